// Tasmota's own protocol: `tasmota/discovery/MAC/config` and `…/sensors`, retained; an empty one takes it back.
import { messageOf } from "../../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Message } from "../../described.ts";
import type { Incoming, Sender, Source, SourceHost } from "../../source.ts";
import { readTasmotaConfig } from "./config.ts";
import { describeTasmota, questionsTo } from "./device.ts";

type Kind = "config" | "sensors";

interface Known {
  config: JsonObject | undefined;
  sensors: Json | undefined;
}

interface Account {
  /** By address. */
  devices: Map<string, Known>;
  /** By topic. A device says that it is there before it says what it is. */
  wills: Map<string, Message>;
}

const MAX_BYTES = 16_384;
const MAX_WILL_BYTES = 64;
const MAX_DEVICES = 500;

/** `prefix`: `tasmota/discovery`. */
export function createTasmotaSource(host: SourceHost, prefix = "tasmota/discovery"): Source {
  const accounts = new Map<string, Account>();

  function accountOf({ name }: Sender): Account {
    const known = accounts.get(name) ?? { devices: new Map(), wills: new Map() };
    accounts.set(name, known);
    return known;
  }

  function rememberWill({ sender, topic, message, payload }: Incoming): void {
    const { wills } = accountOf(sender);
    wills.delete(topic);
    if (payload.length === 0 || payload.length > MAX_WILL_BYTES) return;
    wills.set(topic, message());
    const [oldest] = wills.keys();
    if (wills.size > MAX_DEVICES && oldest !== undefined) wills.delete(oldest);
  }

  function take({ sender, payload, message }: Incoming, mac: string, kind: Kind): void {
    const { devices } = accountOf(sender);
    const known = devices.get(mac) ?? { config: undefined, sensors: undefined };
    if (!devices.has(mac) && devices.size >= MAX_DEVICES) {
      host.broken(
        sender,
        "more",
        `one account may announce ${MAX_DEVICES} devices: give others an account of their own`,
      );
      return;
    }
    devices.set(mac, known);
    const json = payload.length > MAX_BYTES ? undefined : message().json;
    if (!isObject(json)) {
      host.broken(sender, mac, `${kind}: must be a JSON object of at most ${MAX_BYTES} bytes`);
      return;
    }
    if (kind === "config") known.config = json;
    else known.sensors = json.sn;
    describe(sender, mac, kind);
  }

  function takeBack(sender: Sender, mac: string, kind: Kind): void {
    const { devices } = accountOf(sender);
    const known = devices.get(mac);
    if (kind === "sensors") {
      if (known) known.sensors = undefined;
      return;
    }
    if (devices.delete(mac)) host.withdraw(sender, mac);
    host.broken(sender, mac, undefined);
  }

  function describe(sender: Sender, mac: string, news: Kind): void {
    const { devices, wills } = accountOf(sender);
    const { config: json, sensors } = devices.get(mac) ?? {};
    if (!json) return;
    try {
      const config = readTasmotaConfig(json, mac);
      const announcements = ["config", "sensors"].map((one) => `${prefix}/${mac}/${one}`);
      const later = (ms: number, attributes: JsonObject): void => {
        host.clock.after("tasmota motion", ms, () => host.report(sender, mac, { attributes, actions: [] }));
      };
      const device = describeTasmota({ config, sensors, announcements, later });
      const foreign = device.topics.find((one) => !sender.mayPublish(one));
      if (foreign !== undefined)
        throw new Error(`${sender.name} announces the topic ${foreign}, which it may not publish to itself`);
      host.describe(sender, mac, device);
      host.broken(sender, mac, undefined);
      const will = wills.get(`${config.telemetry}LWT`);
      if (config.sleeps) host.report(sender, mac, { attributes: {}, actions: [], available: true });
      else if (will) host.report(sender, mac, device.read(`${config.telemetry}LWT`, will));
      for (const question of questionsTo(config, news)) host.ask(sender, question);
    } catch (error) {
      host.broken(sender, mac, messageOf(error));
    }
  }

  return {
    name: "tasmota",
    receive(incoming) {
      if (incoming.topic.endsWith("/LWT")) rememberWill(incoming);
      if (!incoming.topic.startsWith(`${prefix}/`)) return false;
      const [mac = "", kind, ...more] = incoming.topic.slice(prefix.length + 1).split("/");
      if ((kind === "config" || kind === "sensors") && more.length === 0) {
        if (incoming.payload.length === 0) takeBack(incoming.sender, mac, kind);
        else take(incoming, mac, kind);
      }
      return true;
    },
  };
}
