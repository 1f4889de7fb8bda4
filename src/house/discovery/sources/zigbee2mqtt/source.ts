// Zigbee2MQTT's own protocol: `BASE/bridge/devices` is the whole truth about its devices. Several bridges have several bases.
import { isObject, parseJson } from "../../../../kit/schema/json.ts";
import type { Incoming, Sender, Source, SourceHost } from "../../source.ts";
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
  function listIn({ sender, topic, message }: Incoming) {
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

  function receiveBridge(bridge: Bridge, kind: string, incoming: Incoming): boolean {
    switch (kind) {
      case "state":
        bridge.receiveState(incoming.message());
        return false;
      case "info": {
        const { json } = incoming.message();
        if (isObject(json)) bridge.receiveInfo(json);
        return false;
      }
      case "devices": {
        const list = listIn(incoming);
        if (list) bridge.receiveDevices(list);
        if (incoming.payload.length === 0) bridge.leave();
        return true;
      }
      case "groups": {
        const list = listIn(incoming);
        if (list) bridge.receiveGroups(list);
        return true;
      }
      default: {
        const { json } = incoming.message();
        if (!isObject(json)) return true;
        if (kind === "logging") bridge.receiveLog(json);
        else bridge.receiveResponse(kind.slice("response/".length), json);
        return true;
      }
    }
  }

  /** A state that comes before its device is described must not be lost. */
  function keepEarly(incoming: Incoming): void {
    const { sender, topic } = incoming;
    if (topic.endsWith("/set") || topic.endsWith("/get")) return;
    const isBelow = (base: string): boolean => topic.startsWith(base) && topic[base.length] === "/";
    for (const bridge of bridges.values()) {
      if (bridge.account !== sender.name || !isBelow(bridge.base)) continue;
      if (!bridge.markReachable(topic)) early.keep(incoming);
      return;
    }
    if (isBelow(DEFAULT_BASE)) early.keep(incoming);
  }

  return {
    name: "zigbee2mqtt",
    receive(incoming) {
      if (!incoming.topic.includes("/bridge/")) {
        keepEarly(incoming);
        return false;
      }
      const [, base, kind] = BRIDGE.exec(incoming.topic) ?? [];
      if (base === undefined || kind === undefined) return false;
      const bridge = bridgeOf(incoming.sender, base);
      return bridge === undefined || receiveBridge(bridge, kind, incoming);
    },
  };
}
