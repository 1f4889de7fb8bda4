// Zigbee2MQTT's own protocol: `BASE/bridge/devices` is the whole truth about its devices. Several bridges have several bases.
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import type { Heard, Sender, Source, SourceHost } from "../../source.ts";
import { type BridgeDevice, describeBridgeDevice } from "./device.ts";

const BRIDGE = /^(.+)\/bridge\/(devices|state)$/;
// So many are described before other work gets its turn.
const AT_ONCE = 10;

interface Bridge {
  /** By address: its description as text, to see what is new. */
  devices: Map<string, string>;
  /** What is yet to be described. */
  waiting: BridgeDevice[];
}

export function createZigbee2mqttSource(host: SourceHost): Source {
  const bridges = new Map<string, Bridge>();

  function bridgeOf(sender: Sender, base: string): Bridge {
    const key = `${sender.name}\n${base}`;
    const known = bridges.get(key);
    if (known) return known;
    const made: Bridge = { devices: new Map(), waiting: [] };
    bridges.set(key, made);
    return made;
  }

  function takeDevices(sender: Sender, base: string, list: readonly Json[]): void {
    const bridge = bridgeOf(sender, base);
    const isWaiting = bridge.waiting.length > 0;
    const seen = new Set<string>();
    const changed: BridgeDevice[] = [];
    for (const one of list) {
      const device = deviceIn(one);
      if (!device || seen.has(device.ieee_address)) continue;
      seen.add(device.ieee_address);
      const text = JSON.stringify(one);
      if (bridge.devices.get(device.ieee_address) === text) continue;
      bridge.devices.set(device.ieee_address, text);
      changed.push(device);
    }
    for (const ieee of [...bridge.devices.keys()]) {
      if (seen.has(ieee)) continue;
      bridge.devices.delete(ieee);
      host.withdraw(sender, `${base}/${ieee}`);
    }
    bridge.waiting = [...bridge.waiting.filter(({ ieee_address }) => seen.has(ieee_address)), ...changed];
    if (!isWaiting) describeSome(sender, base, bridge);
  }

  function describeSome(sender: Sender, base: string, bridge: Bridge): void {
    for (const device of bridge.waiting.splice(0, AT_ONCE)) {
      const key = `${base}/${device.ieee_address}`;
      try {
        host.describe(sender, key, describeBridgeDevice(base, device));
        host.broken(sender, key, undefined);
      } catch (error) {
        host.broken(sender, key, (error as Error).message);
      }
    }
    if (bridge.waiting.length > 0) host.clock.after("zigbee2mqtt devices", 0, () => describeSome(sender, base, bridge));
  }

  return {
    name: "zigbee2mqtt",
    hear({ sender, topic, message }: Heard) {
      const [, base, kind] = BRIDGE.exec(topic) ?? [];
      if (base === undefined) return false;
      const { text, json } = message();
      if (kind === "state") {
        const state = isObject(json) ? json.state : text.trim();
        host.available(sender, `${base}/`, state === "online");
        return true;
      }
      const key = `${base}/bridge/devices`;
      if (text === "") takeDevices(sender, base, []);
      else if (Array.isArray(json)) takeDevices(sender, base, json);
      else host.broken(sender, key, "bridge/devices is no list: look at the log of Zigbee2MQTT");
      if (text === "" || Array.isArray(json)) host.broken(sender, key, undefined);
      return true;
    },
  };
}

/** The coordinator is the bridge itself; a device that is being interviewed has no definition yet. */
function deviceIn(one: Json): BridgeDevice | undefined {
  if (!isObject(one)) return undefined;
  const { ieee_address: ieee, friendly_name: name, type, disabled, definition } = one;
  if (typeof ieee !== "string" || typeof name !== "string" || !/^[\w:.-]{1,64}$/.test(ieee)) return undefined;
  if (name === "" || name.length > 255 || /[+#\0]/.test(name)) return undefined;
  if (type === "Coordinator" || disabled === true || !isObject(definition)) return undefined;
  return { ...(one as JsonObject), definition: sound(definition) } as unknown as BridgeDevice;
}

function sound(definition: JsonObject): JsonObject {
  const lists = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : []);
  return { ...definition, exposes: lists(definition.exposes), options: lists(definition.options) };
}
