// The plugin's devices. The last state of each is kept here, so that everything can be sent again after a reconnect, and an
// unchanged state is not sent at all.
import { createCommands } from "./commands.ts";
import type { Cause, Device, DeviceOptions, SendOptions } from "./definition.ts";
import { type JsonObject, type LooseJson, withoutUndefined } from "./json.ts";
import type { Log } from "./log.ts";
import type { Session } from "./mqtt/session.ts";
import { assertTopicLevel, type Topics } from "./topics.ts";

export interface Devices {
  readonly count: number;
  declare(options: DeviceOptions): Device;
  /** Sends everything about every device, after a connection was made. */
  announce(): void;
  /** Reports all devices as unavailable, as the plugin ends. */
  goOffline(): void;
  /** Runs `start`, and removes the earlier devices that it did not declare again. */
  refresh(start: () => Promise<void>): Promise<void>;
}

interface OwnDevice extends DeviceState {
  options: DeviceOptions;
  online: boolean;
}

export function createDevices(pluginId: string, topics: Topics, session: Session, log: Log): Devices {
  const devices = new Map<string, OwnDevice>();
  let declared = new Set<string>();
  const commands = createCommands(log);

  function send(topic: string, body: object, retain = false): void {
    if (session.connected) session.publish(topic, JSON.stringify(body), { retain });
  }

  function register({ options }: OwnDevice): void {
    const { id, name, area, deviceType, capabilities, manufacturer, model, swVersion, parentId } = options;
    const body = {
      device_id: id,
      plugin_id: pluginId,
      name,
      area,
      device_type: deviceType,
      capabilities,
      manufacturer,
      model,
      sw_version: swVersion,
      parent_device_id: parentId,
    };
    send(topics.register, body);
  }

  function sendAvailability({ options, online }: OwnDevice): void {
    if (!session.connected || !devices.has(options.id)) return;
    session.publish(topics.availability(options.id), online ? "online" : "offline", { retain: true });
  }

  function sendState(device: OwnDevice, patch: JsonObject, cause?: Cause): void {
    const { id } = device.options;
    // After its removal, the author's handle to the device must not bring it back.
    if (devices.get(id) !== device) return;
    const metadata: JsonObject = cause ? { _hc: { change: cause } } : {};
    if (device.whole) send(topics.state(id), { ...device.attributes, ...metadata }, true);
    else send(topics.partialState(id), { ...patch, ...metadata });
  }

  function set(device: OwnDevice, attributes: LooseJson, options: SendOptions): void {
    const { state, changed } = replaceState(device, attributes);
    Object.assign(device, state);
    if (changed || options.force) sendState(device, {}, options.cause ?? commands.causeFor(device.options.id));
  }

  function patch(device: OwnDevice, attributes: LooseJson, options: SendOptions): void {
    const { state, changes } = patchState(device, attributes, options.force);
    Object.assign(device, state);
    if (Object.keys(changes).length > 0)
      sendState(device, changes, options.cause ?? commands.causeFor(device.options.id));
  }

  function listen(device: OwnDevice): void {
    const { id, onCommand } = device.options;
    if (!onCommand) return;
    session.subscribe(topics.command(id), (payload) =>
      commands.run(payload, {
        ...{ id, onCommand, apply: (attributes, how) => patch(device, attributes, how) },
        refuse: (reason, cause) =>
          send(topics.event("command_refused"), { device_id: id, correlation_id: cause?.correlation_id, reason }),
      }),
    );
  }

  function remove(id: string): void {
    const device = devices.get(id);
    if (!device) return;
    devices.delete(id);
    declared.delete(id);
    session.unsubscribe(topics.command(id));
    // Retained messages are deleted first: after `unregister` the plugin may no longer write to the device's topics.
    session.publish(topics.state(id), "", { retain: true, keep: true });
    session.publish(topics.availability(id), "", { retain: true, keep: true });
    session.publish(topics.unregister, JSON.stringify({ device_id: id }), { keep: true });
  }

  function announce(device: OwnDevice): void {
    register(device);
    sendAvailability(device);
    if (device.reported) sendState(device, device.attributes);
  }

  return {
    get count() {
      return devices.size;
    },
    declare(options) {
      assertTopicLevel(options.id, "a device's id");
      const device = devices.get(options.id) ?? { ...NO_STATE, options, online: true };
      device.options = options;
      devices.set(options.id, device);
      declared.add(options.id);
      listen(device);
      register(device);
      sendAvailability(device);
      return {
        set: (attributes, how = {}) => set(device, attributes, how),
        patch: (attributes, how = {}) => patch(device, attributes, how),
        available(online) {
          if (device.online === online) return;
          device.online = online;
          sendAvailability(device);
        },
        remove: () => remove(options.id),
      };
    },
    announce() {
      for (const device of devices.values()) announce(device);
    },
    goOffline() {
      for (const device of devices.values()) sendAvailability({ ...device, online: false });
    },
    async refresh(start) {
      declared = new Set();
      await start();
      for (const id of devices.keys()) if (!declared.has(id)) remove(id);
    },
  };
}

export interface DeviceState {
  attributes: JsonObject;
  /** True after `set`: from then on the whole state is sent and retained, so that the retained message includes every patch.
   *  Before, the hub may know attributes that the plugin does not, so only patches are sent. */
  whole: boolean;
  /** False until something was set. */
  reported: boolean;
}

export const NO_STATE: DeviceState = { attributes: {}, whole: false, reported: false };

/** The state after `set`, and whether it changed. */
export function replaceState(old: DeviceState, given: LooseJson): { state: DeviceState; changed: boolean } {
  const attributes = withoutUndefined(given);
  const changed = !old.whole || !Bun.deepEquals(attributes, old.attributes);
  return { state: { attributes, whole: true, reported: true }, changed };
}

/** The state after `patch`, and those of the given attributes that changed (all of them with `force`). */
export function patchState(
  old: DeviceState,
  given: LooseJson,
  force = false,
): { state: DeviceState; changes: JsonObject } {
  const changes: JsonObject = {};
  const attributes = { ...old.attributes };
  for (const [key, value] of Object.entries(withoutUndefined(given))) {
    const before = old.whole ? (attributes[key] ?? null) : attributes[key];
    if (!force && Bun.deepEquals(before, value)) continue;
    changes[key] = value;
    // In a partial state the removal itself is remembered, to be sent again after a reconnect.
    if (value === null && old.whole) delete attributes[key];
    else attributes[key] = value;
  }
  return {
    state: { attributes, whole: old.whole, reported: old.reported || Object.keys(changes).length > 0 },
    changes,
  };
}
