// Zigbee2MQTT's own protocol: `BASE/bridge/devices` is the whole truth about its devices. Several bridges have several bases.
import { isObject, parseJson } from "../../../core/json.ts";
import type { Heard, Sender, Source, SourceHost } from "../../source.ts";
import { Bridge } from "./bridge.ts";
import { Claims } from "./claims.ts";
import { EarlyMessages } from "./early-messages.ts";

const BRIDGE = /^(.+?)\/bridge\/(devices|groups|info|state|logging|response\/.+)$/;
// Unless somebody changed it: what comes there before anything else is kept from the start.
const DEFAULT_BASE = "zigbee2mqtt";
const MAX_BRIDGES = 32;

export function createZigbee2mqttSource(host: SourceHost): Source {
  const claims = new Claims<Bridge>();
  const early = new EarlyMessages();
  const bridges = new Map<string, Bridge>();

  function bridgeOf(sender: Sender, base: string): Bridge | undefined {
    const id = `${sender.name}\n${base}`;
    const known = bridges.get(id);
    if (known) {
      known.sender = sender;
      return known;
    }
    if (bridges.size >= MAX_BRIDGES) {
      host.broken(sender, `${base}/bridge`, `there are ${MAX_BRIDGES} bridges already`);
      return undefined;
    }
    const bridge = new Bridge({ host, sender, base, claims, early });
    bridges.set(id, bridge);
    return bridge;
  }

  /** A list as `bridge/devices` and `bridge/groups` hold it; undefined where it is none, and then that is reported. */
  function listIn({ sender, topic, message }: Heard) {
    const { text, json } = message();
    if (text === "" || Array.isArray(json)) {
      host.broken(sender, topic, undefined);
      return Array.isArray(json) ? json : [];
    }
    const parsed = parseJson(text);
    const why = parsed.ok ? "no list" : parsed.problem;
    host.broken(sender, topic, `${topic}: ${why}. Restart Zigbee2MQTT, or look at its log.`);
    return undefined;
  }

  function hearBridge(bridge: Bridge, kind: string, heard: Heard): boolean {
    switch (kind) {
      case "state":
        bridge.heardState(heard.message());
        return false;
      case "info": {
        const { json } = heard.message();
        if (isObject(json)) bridge.heardInfo(json);
        return false;
      }
      case "devices": {
        const list = listIn(heard);
        if (list) bridge.heardDevices(list);
        if (heard.payload.length === 0) bridge.leave();
        return true;
      }
      case "groups": {
        const list = listIn(heard);
        if (list) bridge.heardGroups(list);
        return true;
      }
      default: {
        const { json } = heard.message();
        if (!isObject(json)) return true;
        if (kind === "logging") bridge.heardLog(json);
        else bridge.heardResponse(kind.slice("response/".length), json);
        return true;
      }
    }
  }

  /** A state that comes before its device is described must not be lost. */
  function keepEarly(heard: Heard): void {
    const { sender, topic } = heard;
    if (topic.endsWith("/set") || topic.endsWith("/get")) return;
    const isBelow = (base: string): boolean => topic.startsWith(base) && topic[base.length] === "/";
    for (const bridge of bridges.values()) {
      if (bridge.account !== sender.name || !isBelow(bridge.base)) continue;
      if (!bridge.hasHeardFrom(topic)) early.keep(heard);
      return;
    }
    if (isBelow(DEFAULT_BASE)) early.keep(heard);
  }

  return {
    name: "zigbee2mqtt",
    hear(heard) {
      if (!heard.topic.includes("/bridge/")) {
        keepEarly(heard);
        return false;
      }
      const [, base, kind] = BRIDGE.exec(heard.topic) ?? [];
      if (base === undefined || kind === undefined) return false;
      const bridge = bridgeOf(heard.sender, base);
      return bridge === undefined || hearBridge(bridge, kind, heard);
    },
  };
}
