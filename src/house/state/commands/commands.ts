// Commands for devices: each is checked, carries who asked, is passed to the device's plugin, and is reported as an event. What
// becomes of it is watched in command-watch.ts, and reported by command-answers.ts to who waits for it.
import { HubError } from "../../../kit/schema/errors.ts";
import { HUB_PLUGIN_ID, type RandomBytes, uuid } from "../../../kit/schema/ids.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import type { Device } from "../device.ts";
import { shownCommand } from "../passwords.ts";
import type { Registry } from "../registry.ts";
import { refusal } from "../virtual/read-command.ts";
import { type Delivered, outcomeOf, outcomeOfAll } from "./command-answers.ts";
import { commandProblems } from "./command-check.ts";
import type { CommandAnswer, CommandWatch, SentFields } from "./command-watch.ts";

/** Who asks for a command. */
export interface Actor {
  /** `user`, `api_key`, `whitelist`, `rule`, … */
  kind: string;
  id: string;
  name: string;
}

type Sends<T> = (deviceId: string, command: JsonObject, actor: Actor, options?: { force?: boolean }) => Promise<T>;

export interface Commands {
  /**
   * Sends the wanted state or `command` and returns its correlation id.
   * Throws HubError `not_found`, `invalid` for what the device says it does not take, or `conflict` for an unavailable device
   * unless forced.
   */
  send: Sends<string>;
  /** The same for who waits for what becomes of it. */
  deliver: Sends<Delivered>;
}

export interface CommandsOptions {
  registry: Pick<Registry, "get" | "given">;
  clock: Clock;
  random: RandomBytes;
  emit: (event: HubEvent) => void;
  /** Sends the payload to the device's plugin. */
  dispatch: (deviceId: string, payload: JsonObject) => Promise<void>;
  /** Whether somebody is connected who takes the device's commands. */
  reaches: (device: Device) => boolean;
  watch: CommandWatch;
  /** Where two machines share the house: shows plugins which of two hubs is the newer one. */
  epoch?: () => number | undefined;
  /**
   * For the hub's own devices: checks the command and returns the function that carries it out. Throws HubError `invalid`
   * or `conflict`. `force`: also where it is for a device that is not available.
   */
  prepare: (device: Device, wanted: JsonObject, cause: JsonObject, options: { force: boolean }) => CarryOut;
}

/** Does it; of a group, resolves with what was sent to its members. */
export type CarryOut = (() => void) | (() => Promise<(readonly [id: string, Delivered])[]>);

export function createCommands(options: CommandsOptions): Commands {
  const { registry, clock, random, emit, dispatch, reaches, watch, prepare, epoch } = options;

  function numbered(cause: JsonObject): JsonObject {
    const now = epoch?.();
    return now === undefined ? cause : { ...cause, epoch: now };
  }

  /** The answer is in an object: as the promise of a promise, it would be waited for. */
  async function pass(
    device: Device,
    payload: JsonObject,
    sent: SentFields,
  ): Promise<{ answer: Promise<CommandAnswer> }> {
    const answer = watch.expect(device, sent);
    try {
      await dispatch(device.id, payload);
      return { answer };
    } catch (error) {
      watch.forget(sent.correlation_id);
      throw error;
    }
  }

  const deliver: Commands["deliver"] = async (deviceId, command, actor, { force = false } = {}) => {
    const device = registry.get(deviceId);
    const { _hc: _, ...asked } = command;
    const wanted = registry.given.inPresent(deviceId, asked);
    const problems = device.pluginId === HUB_PLUGIN_ID ? [] : commandProblems(device, wanted);
    if (problems.length > 0) throw refusal(problems);
    if (!device.available && !force) {
      throw new HubError(
        "conflict",
        `the device "${deviceId}" is not available; ?force=true sends the command all the same`,
      );
    }
    const away = force ? undefined : Object.keys(wanted).find((name) => device.unavailable.includes(name));
    if (away !== undefined)
      throw new HubError(
        "conflict",
        `${away} of the device "${deviceId}" is not available; ?force=true sends the command all the same`,
      );
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
      command: shownCommand(device.details, wanted),
      source: actor.kind,
      actor_name: actor.name,
      correlation_id: correlationId,
    };
    if (device.pluginId === HUB_PLUGIN_ID) {
      const carryOut = prepare(device, wanted, cause, { force });
      emit({ type: "device_command_sent", ...sent });
      const members = (await carryOut()) ?? [];
      return { correlationId, outcome: () => outcomeOfAll(members) };
    }
    const reached = reaches(device);
    const { answer } = await pass(
      device,
      { ...registry.given.inOwn(deviceId, wanted), _hc: { command: numbered(cause) } },
      sent,
    );
    emit({ type: "device_command_sent", ...sent });
    watch.sent(correlationId, reached);
    return { correlationId, outcome: () => outcomeOf(answer, clock) };
  };

  return { deliver, send: async (...command) => (await deliver(...command)).correlationId };
}
