// The bridge itself as a device: whether it lets others join, what it runs, and the commands it takes.
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Attribute, DescribedDevice, Hardware, Outgoing } from "../../described.ts";
import { hardwareOf } from "../../hardware.ts";
import { wrong } from "../../words.ts";
import { onlineIn } from "./entity.ts";
import type { Named } from "./names.ts";
import { bridgeRequests, commandAttribute, requestOf } from "./requests.ts";

// The longest that Zigbee knows.
const JOIN_SECONDS = 254;
const LOG_LEVELS = ["error", "warning", "info", "debug"];

const shown = { readable: true, writable: false, category: "diagnostic" } as const;
const ATTRIBUTES: readonly Attribute[] = [
  {
    ...{ name: "permit_join", type: "boolean", readable: true, writable: true },
    description: `Devices may join the network; switched on, for ${JOIN_SECONDS} seconds`,
  },
  {
    ...{ name: "permit_join_end", type: "number", unit: "ms", ...shown },
    description: "When joining ends, in milliseconds since 1970",
  },
  { name: "version", type: "string", ...shown },
  { name: "coordinator_type", type: "string", ...shown },
  { name: "channel", type: "number", ...shown },
  { name: "restart_required", type: "boolean", ...shown },
  {
    ...{ name: "log_level", type: "string", options: LOG_LEVELS, readable: true, writable: true, category: "config" },
  },
];

export interface SelfOptions {
  /** The bridge's topic. */
  base: string;
  /** Address of its coordinator, as far as it is known. */
  coordinator: string | undefined;
  hardware: Hardware;
  /** Throws HubError `invalid`. */
  resolve: (name: string) => Named;
}

export function bridgeIdentity(base: string): string {
  return `${base}_bridge`;
}

/** Of `bridge/info`: its version, that of the stick's firmware, and its own page. */
export function hardwareIn({ version, coordinator, config }: JsonObject): Hardware {
  const { revision } = isObject(coordinator) && isObject(coordinator.meta) ? coordinator.meta : {};
  const { url } = isObject(config) && isObject(config.frontend) ? config.frontend : {};
  const said = { sw_version: version, hw_version: revision, configuration_url: url };
  return hardwareOf(Object.fromEntries(Object.entries(said).map(([key, value]) => [key, value ?? null])));
}

export function describeBridge({ base, coordinator, hardware, resolve }: SelfOptions): DescribedDevice {
  const identity = bridgeIdentity(base);
  const requests = bridgeRequests(resolve);
  const known = new Map(ATTRIBUTES.map((one) => [one.name, one]));
  const state = `${base}/bridge/state`;
  return {
    identity,
    // The other is what its messages for Home Assistant call it.
    identities: [identity, ...(coordinator === undefined ? [] : [`zigbee2mqtt_bridge_${coordinator}`])],
    name: base === "zigbee2mqtt" ? "Zigbee2MQTT" : `Zigbee2MQTT (${base})`,
    deviceType: "bridge",
    manufacturer: "Zigbee2MQTT",
    model: "Bridge",
    hardware,
    area: undefined,
    parent: undefined,
    attributes: [...ATTRIBUTES, commandAttribute(requests)],
    topics: [`${base}/bridge/info`, state],
    read(topic, { json, text }) {
      if (topic !== state) return { attributes: isObject(json) ? readInfo(json) : {}, actions: [] };
      const available = onlineIn(text, json);
      return { attributes: {}, actions: [], ...(available !== undefined && { available }) };
    },
    write(wanted) {
      const request = requestOf(base, requests, wanted);
      if (request) return [request];
      return Object.entries(wanted).map(([name, value]) => setting(base, name, value, known.get(name)));
    },
  };
}

function setting(base: string, name: string, value: Json, attribute: Attribute | undefined): Outgoing {
  const request = (about: string, payload: JsonObject): Outgoing => ({
    ...{ topic: `${base}/bridge/request/${about}`, payload: JSON.stringify(payload), qos: 1, retain: false },
  });
  if (name === "permit_join") {
    if (typeof value !== "boolean") throw wrong(name, "must be true or false");
    return request("permit_join", { time: value ? JOIN_SECONDS : 0 });
  }
  if (name === "log_level") {
    if (typeof value !== "string" || !LOG_LEVELS.includes(value))
      throw wrong(name, `must be one of ${LOG_LEVELS.join(", ")}`);
    return request("options", { options: { advanced: { log_level: value } } });
  }
  throw wrong(name, attribute ? "the device only reports it" : "the device has no such attribute");
}

function readInfo(info: JsonObject): JsonObject {
  const { permit_join, permit_join_end: end = null, version, restart_required, log_level } = info;
  const coordinator_type = isObject(info.coordinator) ? info.coordinator.type : undefined;
  const channel = isObject(info.network) ? info.network.channel : undefined;
  return {
    ...(typeof permit_join === "boolean" && { permit_join, permit_join_end: permit_join ? end : null }),
    ...(typeof version === "string" && { version }),
    ...(typeof coordinator_type === "string" && { coordinator_type }),
    ...(typeof channel === "number" && { channel }),
    ...(typeof restart_required === "boolean" && { restart_required }),
    ...(typeof log_level === "string" && { log_level }),
  };
}
