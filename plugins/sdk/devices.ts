// The plugin's devices: what was last said about each is held here, so that a reconnect can say it all again and
// an unchanged state is not sent at all.
import { createCommands } from "./commands.ts";
import type { Cause, Device, DeviceOptions, SendOptions } from "./device.ts";
import { type DeviceState, NOTHING_SAID, patchState, replaceState } from "./device-state.ts";
import type { JsonObject, LooseJson } from "./json.ts";
import type { Log } from "./log.ts";
import type { Session } from "./mqtt/session.ts";
import { assertTopicLevel, type Topics } from "./topics.ts";

export interface Devices {
  readonly count: number;
  declare(options: DeviceOptions): Device;
  /** Everything about every device, after a connection was made. */
  announce(): void;
  /** For the end: the devices are unreachable without their plugin. */
  goOffline(): void;
  /** Runs `start`; devices known before that it did not declare again are removed. */
  refresh(start: () => Promise<void>): Promise<void>;
}

interface Held extends DeviceState {
  options: DeviceOptions;
  online: boolean;
}

export function createDevices(pluginId: string, topics: Topics, session: Session, log: Log): Devices {
  const held = new Map<string, Held>();
  let declared = new Set<string>();
  const commands = createCommands(log);

  function send(topic: string, body: object, retain = false): void {
    if (session.connected) session.publish(topic, JSON.stringify(body), { retain });
  }

  function register({ options }: Held): void {
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

  function sendAvailability({ options, online }: Held): void {
    if (!session.connected || !held.has(options.id)) return;
    session.publish(topics.availability(options.id), online ? "online" : "offline", { retain: true });
  }

  function sendState(device: Held, patch: JsonObject, cause?: Cause): void {
    const { id } = device.options;
    // A handle outlives its device's removal; what is said through it then must not bring the device back.
    if (held.get(id) !== device) return;
    const metadata: JsonObject = cause ? { _hc: { change: cause } } : {};
    if (device.whole) send(topics.state(id), { ...device.attributes, ...metadata }, true);
    else send(topics.partialState(id), { ...patch, ...metadata });
  }

  function set(device: Held, attributes: LooseJson, options: SendOptions): void {
    const { state, changed } = replaceState(device, attributes);
    Object.assign(device, state);
    if (changed || options.force) sendState(device, {}, options.cause ?? commands.causeFor(device.options.id));
  }

  function patch(device: Held, attributes: LooseJson, options: SendOptions): void {
    const { state, news } = patchState(device, attributes, options.force);
    Object.assign(device, state);
    if (Object.keys(news).length > 0) sendState(device, news, options.cause ?? commands.causeFor(device.options.id));
  }

  function listen(device: Held): void {
    const { id, onCommand } = device.options;
    if (!onCommand) return;
    session.subscribe(topics.command(id), (payload) =>
      commands.take(payload, { id, onCommand, apply: (attributes, how) => patch(device, attributes, how) }),
    );
  }

  function remove(id: string): void {
    const device = held.get(id);
    if (!device) return;
    held.delete(id);
    declared.delete(id);
    session.unsubscribe(topics.command(id));
    // Retained messages go first: once unregistered, the device's topics are no longer ours to write.
    session.publish(topics.state(id), "", { retain: true, keep: true });
    session.publish(topics.availability(id), "", { retain: true, keep: true });
    session.publish(topics.unregister, JSON.stringify({ device_id: id }), { keep: true });
  }

  function announce(device: Held): void {
    register(device);
    sendAvailability(device);
    if (device.spoken) sendState(device, device.attributes);
  }

  return {
    get count() {
      return held.size;
    },
    declare(options) {
      assertTopicLevel(options.id, "a device's id");
      const device = held.get(options.id) ?? { ...NOTHING_SAID, options, online: true };
      device.options = options;
      held.set(options.id, device);
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
      for (const device of held.values()) announce(device);
    },
    goOffline() {
      for (const device of held.values()) sendAvailability({ ...device, online: false });
    },
    async refresh(start) {
      declared = new Set();
      await start();
      for (const id of held.keys()) if (!declared.has(id)) remove(id);
    },
  };
}
