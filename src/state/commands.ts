// Commands for devices: each is checked, carries who asked, is passed to the device's plugin, and is reported as an event. What
// becomes of it is watched in command-watch.ts.
import type { Clock } from "../core/clock.ts";
import { type ErrorCode, HubError, messageOf } from "../core/errors.ts";
import { HUB_PLUGIN_ID, type RandomBytes, uuid } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import { within } from "../core/lifecycle.ts";
import type { Log } from "../core/log.ts";
import { isStorageFault } from "../core/storage-fault.ts";
import type { HubEvent } from "../events/catalog.ts";
import { commandProblems } from "./command-check.ts";
import type { CommandWatch, SentFields } from "./command-watch.ts";
import type { Device } from "./device.ts";
import type { Registry } from "./registry.ts";
import { refusal } from "./virtual/read-command.ts";

/** Who asks for a command. */
export interface Actor {
  /** `user`, `api_key`, `whitelist`, `rule`, … */
  kind: string;
  id: string;
  name: string;
}

export interface Commands {
  /**
   * Sends the wanted state or `command` and returns its correlation id.
   * Throws HubError `not_found`, `invalid` for what the device says it does not take, or `conflict` for an unavailable device
   * unless forced.
   */
  send(deviceId: string, command: JsonObject, actor: Actor, options?: { force?: boolean }): Promise<string>;
}

export interface CommandsOptions {
  registry: Pick<Registry, "get">;
  clock: Clock;
  random: RandomBytes;
  emit: (event: HubEvent) => void;
  /** Sends the payload to the device's plugin. */
  dispatch: (deviceId: string, payload: JsonObject) => Promise<void>;
  /** Whether somebody is connected who takes the device's commands. */
  reaches: (device: Device) => boolean;
  watch: CommandWatch;
  /** Where two machines share the house: tells plugins which of two hubs is the newer one. */
  epoch?: () => number | undefined;
  /**
   * For the hub's own devices: checks the command and returns the function that carries it out. Throws HubError `invalid`
   * or `conflict`. `force`: also where it is for a device that is not available.
   */
  prepare: (
    device: Device,
    wanted: JsonObject,
    cause: JsonObject,
    options: { force: boolean },
  ) => () => void | Promise<void>;
}

export function createCommands(options: CommandsOptions): Commands {
  const { registry, clock, random, emit, dispatch, reaches, watch, prepare, epoch } = options;

  function numbered(cause: JsonObject): JsonObject {
    const now = epoch?.();
    return now === undefined ? cause : { ...cause, epoch: now };
  }

  async function pass(device: Device, payload: JsonObject, sent: SentFields): Promise<void> {
    watch.expect(device, sent);
    try {
      await dispatch(device.id, payload);
    } catch (error) {
      watch.forget(sent.correlation_id);
      throw error;
    }
  }

  return {
    async send(deviceId, command, actor, { force = false } = {}) {
      const device = registry.get(deviceId);
      const { _hc: _, ...wanted } = command;
      const problems = device.pluginId === HUB_PLUGIN_ID ? [] : commandProblems(device, wanted);
      if (problems.length > 0) throw refusal(problems);
      if (!device.available && !force) {
        throw new HubError(
          "conflict",
          `the device "${deviceId}" is not available; ?force=true sends the command all the same`,
        );
      }
      const correlationId = uuid(random);
      const cause: JsonObject = {
        kind: actor.kind,
        source: actor.kind === "rule" ? "rule" : "api",
        actor_id: actor.id,
        actor_name: actor.name,
        correlation_id: correlationId,
        changed_at: new Date(clock.now()).toISOString(),
      };
      const sent: SentFields = {
        device_id: deviceId,
        plugin_id: device.pluginId,
        command: wanted,
        source: actor.kind,
        actor_name: actor.name,
        correlation_id: correlationId,
      };
      if (device.pluginId === HUB_PLUGIN_ID) {
        const carryOut = prepare(device, wanted, cause, { force });
        emit({ type: "device_command_sent", ...sent });
        await carryOut();
        return correlationId;
      }
      const reached = reaches(device);
      await pass(device, { ...wanted, _hc: { command: numbered(cause) } }, sent);
      emit({ type: "device_command_sent", ...sent });
      watch.sent(correlationId, reached);
      return correlationId;
    },
  };
}

export interface SentCommand {
  device_id: string;
  correlation_id: string;
}

export interface FailedCommand {
  device_id: string;
  code: ErrorCode | "internal";
  error: string;
}

export interface SendAllOptions {
  commands: Pick<Commands, "send">;
  clock: Clock;
  log: Log;
  actor: Actor;
  force: boolean;
}

const LONGEST_MS = 5000;

/** Sends all commands at once. A device that is missing, refuses or hangs does not stop the others. `wanted`: device id → command. */
export async function sendAll(
  wanted: Readonly<Record<string, JsonObject>>,
  { commands, clock, log, actor, force }: SendAllOptions,
): Promise<{ sent: SentCommand[]; failed: FailedCommand[] }> {
  async function sendOne(deviceId: string, command: JsonObject): Promise<SentCommand> {
    const sending = commands.send(deviceId, command, actor, { force });
    if (!(await within(clock, LONGEST_MS, "scene command", sending))) {
      const message = `was not taken within ${LONGEST_MS / 1000} s; it may still arrive`;
      throw new HubError("upstream_failed", `the command for "${deviceId}" ${message}`);
    }
    return { device_id: deviceId, correlation_id: await sending };
  }

  const outcomes = await Promise.all(
    Object.entries(wanted).map(([deviceId, command]) =>
      sendOne(deviceId, command).catch(
        (error: unknown): FailedCommand => ({ device_id: deviceId, ...reasonOf(error, log) }),
      ),
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
