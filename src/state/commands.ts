// The way out: a command for a device, stamped with who asked, and the event that says so.
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { HUB_PLUGIN_ID, type RandomBytes, uuid } from "../core/ids.ts";
import type { JsonObject } from "../core/json.ts";
import type { HubEvent } from "../events/catalog.ts";
import type { Device } from "./device.ts";
import type { Registry } from "./registry.ts";

/** Who asks for a command. */
export interface Actor {
  /** `user`, `api_key`, `whitelist`, `rule`, … */
  kind: string;
  id: string;
  name: string;
}

export interface Commands {
  /**
   * Sends the wanted state or `command` and answers its correlation id.
   * Throws HubError `not_found`, or `conflict` for an unavailable device unless forced.
   */
  send(deviceId: string, command: JsonObject, actor: Actor, options?: { force?: boolean }): Promise<string>;
}

export interface CommandsOptions {
  registry: Pick<Registry, "get">;
  clock: Clock;
  random: RandomBytes;
  emit: (event: HubEvent) => void;
  /** Hands the payload to the device's plugin. */
  dispatch: (deviceId: string, payload: JsonObject) => Promise<void>;
  /**
   * For devices of the hub itself: checks the command, and gives back what carries it out. Throws HubError `invalid` or
   * `conflict`.
   */
  prepare: (device: Device, wanted: JsonObject, cause: JsonObject) => () => void;
}

export function createCommands({ registry, clock, random, emit, dispatch, prepare }: CommandsOptions): Commands {
  return {
    async send(deviceId, command, actor, { force = false } = {}) {
      const device = registry.get(deviceId);
      if (!device.available && !force) {
        throw new HubError(
          "conflict",
          `the device "${deviceId}" is not available; ?force=true sends the command all the same`,
        );
      }
      const correlationId = uuid(random);
      const { _hc: _, ...wanted } = command;
      const cause: JsonObject = {
        kind: actor.kind,
        source: actor.kind === "rule" ? "rule" : "api",
        actor_id: actor.id,
        actor_name: actor.name,
        correlation_id: correlationId,
        changed_at: new Date(clock.now()).toISOString(),
      };
      const carryOut = device.pluginId === HUB_PLUGIN_ID ? prepare(device, wanted, cause) : undefined;
      if (!carryOut) await dispatch(deviceId, { ...wanted, _hc: { command: cause } });
      emit({
        type: "device_command_sent",
        device_id: deviceId,
        plugin_id: device.pluginId,
        command: wanted,
        source: actor.kind,
        actor_name: actor.name,
        correlation_id: correlationId,
      });
      carryOut?.();
      return correlationId;
    },
  };
}
