// Commands for all devices of a scene at once. One that is missing, refuses or hangs stops none of the others.
import type { Clock } from "../core/clock.ts";
import { type ErrorCode, HubError, messageOf } from "../core/errors.ts";
import { within } from "../core/lifecycle.ts";
import type { Log } from "../core/log.ts";
import { isStorageFault } from "../core/storage-fault.ts";
import type { Actor, Commands } from "./commands.ts";
import type { SceneStates } from "./scenes-states.ts";

export interface SentCommand {
  device_id: string;
  correlation_id: string;
}

export interface FailedCommand {
  device_id: string;
  code: ErrorCode | "internal";
  error: string;
}

export interface CommandAllOptions {
  commands: Pick<Commands, "send">;
  clock: Clock;
  log: Log;
  actor: Actor;
  force: boolean;
}

const LONGEST_MS = 5000;

export async function commandAll(
  states: SceneStates,
  { commands, clock, log, actor, force }: CommandAllOptions,
): Promise<{ sent: SentCommand[]; failed: FailedCommand[] }> {
  async function command(deviceId: string): Promise<SentCommand> {
    const sending = commands.send(deviceId, states[deviceId] ?? {}, actor, { force });
    if (!(await within(clock, LONGEST_MS, "scene command", sending))) {
      const message = `was not taken within ${LONGEST_MS / 1000} s; it may still arrive`;
      throw new HubError("upstream_failed", `the command for "${deviceId}" ${message}`);
    }
    return { device_id: deviceId, correlation_id: await sending };
  }

  const outcomes = await Promise.all(
    Object.keys(states).map((deviceId) =>
      command(deviceId).catch((error: unknown): FailedCommand => ({ device_id: deviceId, ...reasonOf(error, log) })),
    ),
  );
  return {
    sent: outcomes.filter((outcome) => "correlation_id" in outcome),
    failed: outcomes.filter((outcome) => "code" in outcome),
  };
}

function reasonOf(error: unknown, log: Log): Omit<FailedCommand, "device_id"> {
  if (error instanceof HubError) return { code: error.code, error: error.message };
  if (isStorageFault(error)) return { code: "storage", error: "the disk is full or cannot be written" };
  log.error("a command of a scene failed", { error: messageOf(error) });
  return { code: "internal", error: "something went wrong inside the hub; its log says what" };
}
