// Tasmota's own protocol: `tasmota/discovery/MAC/config` and `…/sensors`, retained; an empty one takes it back.
import { messageOf } from "../../../core/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import type { Message } from "../../described.ts";
import type { Heard, Sender, Source, SourceHost } from "../../source.ts";
import { readTasmotaConfig } from "./config.ts";
import { describeTasmota, questionsTo } from "./device.ts";

interface Known {
  config: JsonObject | undefined;
  sensors: Json | undefined;
}

const LARGEST_BYTES = 65_536;
const MOST_DEVICES = 500;
const MOST_WILLS = 2000;
const LONGEST_WILL_BYTES = 64;

/** `prefix`: `tasmota/discovery`. */
export function createTasmotaSource(host: SourceHost, prefix = "tasmota/discovery"): Source {
  /** By account, then by address. */
  const accounts = new Map<string, Map<string, Known>>();

  /** By account and topic. A device says that it is there before it says what it is. */
  const wills = new Map<string, Message>();

  function rememberWill({ sender, topic, message, payload }: Heard): void {
    const key = `${sender.name}\n${topic}`;
    wills.delete(key);
    if (payload.length === 0 || payload.length > LONGEST_WILL_BYTES) return;
    wills.set(key, { text: message().text, json: undefined });
    const [oldest] = wills.keys();
    if (wills.size > MOST_WILLS && oldest !== undefined) wills.delete(oldest);
  }

  function devicesOf({ name }: Sender): Map<string, Known> {
    const known = accounts.get(name) ?? new Map<string, Known>();
    accounts.set(name, known);
    return known;
  }

  function take({ sender, payload, message }: Heard, mac: string, kind: "config" | "sensors"): void {
    const devices = devicesOf(sender);
    const known = devices.get(mac) ?? { config: undefined, sensors: undefined };
    if (!devices.has(mac) && devices.size >= MOST_DEVICES) {
      host.broken(sender, mac, `one account may announce ${MOST_DEVICES} devices`);
      return;
    }
    const json = payload.length > LARGEST_BYTES ? undefined : message().json;
    if (!isObject(json)) {
      host.broken(sender, mac, `${kind}: must be a JSON object of at most ${LARGEST_BYTES} bytes`);
      return;
    }
    devices.set(mac, kind === "config" ? { ...known, config: json } : { ...known, sensors: json.sn });
    describe(sender, mac, kind);
  }

  function takeBack(sender: Sender, mac: string, kind: "config" | "sensors"): void {
    const devices = devicesOf(sender);
    const known = devices.get(mac);
    if (kind === "sensors") {
      if (known) known.sensors = undefined;
      return;
    }
    if (devices.delete(mac)) host.withdraw(sender, mac);
    host.broken(sender, mac, undefined);
  }

  function describe(sender: Sender, mac: string, news: "config" | "sensors"): void {
    const { config: json, sensors } = devicesOf(sender).get(mac) ?? {};
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
      const will = wills.get(`${sender.name}\n${config.telemetry}LWT`);
      if (config.sleeps) host.report(sender, mac, { attributes: {}, actions: [], available: true });
      else if (will) host.report(sender, mac, device.read(`${config.telemetry}LWT`, will));
      for (const question of questionsTo(config, news)) host.ask(sender, question);
    } catch (error) {
      host.broken(sender, mac, messageOf(error));
    }
  }

  return {
    name: "tasmota",
    hear(heard) {
      if (heard.topic.endsWith("/LWT")) rememberWill(heard);
      if (!heard.topic.startsWith(`${prefix}/`)) return false;
      const [mac = "", kind, ...more] = heard.topic.slice(prefix.length + 1).split("/");
      if ((kind === "config" || kind === "sensors") && more.length === 0) {
        if (heard.payload.length === 0) takeBack(heard.sender, mac, kind);
        else take(heard, mac, kind);
      }
      return true;
    },
  };
}
