// Commands for several devices at once, as a scene sends them: each by itself, and what became of each.
import { isStorageFault } from "../../kit/files/storage-fault.ts";
import { within } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { type ErrorCode, HubError, messageOf } from "../../kit/schema/errors.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { type Delivered, type TakenOutcome, taken } from "./command-answers.ts";
import type { Actor, Commands } from "./commands.ts";

export interface SentCommand {
  device_id: string;
  correlation_id: string;
}

export interface FailedCommand {
  device_id: string;
  code: ErrorCode | "internal";
  error: string;
}

export interface SentToAll {
  sent: SentCommand[];
  failed: FailedCommand[];
}

/** What was refused is among `failed`. */
export interface TakenByAll {
  sent: (SentCommand & TakenOutcome)[];
  failed: FailedCommand[];
}

export interface SendAllOptions {
  commands: Pick<Commands, "deliver">;
  clock: Clock;
  log: Log;
  actor: Actor;
  force: boolean;
}

const MAX_MS = 5000;

/**
 * Sends all commands at once. A device that is missing, refuses or hangs does not stop the others. `wanted`: device id → command.
 * `outcome` says what became of them, after a second at most.
 */
export async function sendAll(
  wanted: Readonly<Record<string, JsonObject>>,
  { commands, clock, log, actor, force }: SendAllOptions,
): Promise<SentToAll & { outcome: () => Promise<TakenByAll> }> {
  async function sendOne(deviceId: string, command: JsonObject): Promise<SentCommand & { delivered: Delivered }> {
    const sending = commands.deliver(deviceId, command, actor, { force });
    if (!(await within(clock, MAX_MS, "scene command", sending))) {
      const message = `was not taken within ${MAX_MS / 1000} s; it may still arrive`;
      throw new HubError("upstream_failed", `the command for "${deviceId}" ${message}`);
    }
    const delivered = await sending;
    return { device_id: deviceId, correlation_id: delivered.correlationId, delivered };
  }
  const failure = (device_id: string, error: unknown): FailedCommand => ({ device_id, ...reasonOf(error, log) });

  const [sent, failed] = parted(
    await Promise.all(
      Object.entries(wanted).map(([id, command]) => sendOne(id, command).catch((error: unknown) => failure(id, error))),
    ),
  );
  return {
    sent: sent.map(({ device_id, correlation_id }) => ({ device_id, correlation_id })),
    failed,
    async outcome() {
      const became = sent.map(async ({ delivered, ...one }) => ({ ...one, ...(await taken(delivered)) }));
      const each = became.map((one, index) => one.catch((error) => failure(sent[index]?.device_id ?? "", error)));
      const [took, refused] = parted(await Promise.all(each));
      return { sent: took, failed: [...failed, ...refused] };
    },
  };
}

function parted<T extends SentCommand>(outcomes: readonly (T | FailedCommand)[]): [T[], FailedCommand[]] {
  const isFailed = (one: T | FailedCommand): one is FailedCommand => !("correlation_id" in one);
  return [outcomes.filter((one): one is T => !isFailed(one)), outcomes.filter(isFailed)];
}

function reasonOf(error: unknown, log: Log): Omit<FailedCommand, "device_id"> {
  if (error instanceof HubError) return { code: error.code, error: error.message };
  if (isStorageFault(error)) return { code: "storage", error: "the disk is full or cannot be written" };
  log.error("a command of a scene failed", { error: messageOf(error) });
  return { code: "internal", error: "something went wrong inside the hub; its log says what" };
}
