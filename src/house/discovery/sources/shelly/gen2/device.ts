// A Shelly of the second generation or later, described from its status and configuration: its components, each with an id.
import { isObject, type Json, type JsonObject } from "../../../../../kit/schema/json.ts";
import type { DescribedDevice, Message, Outgoing, Report } from "../../../described.ts";
import { inNetwork } from "../../../hardware.ts";
import { macIdentities } from "../../../mac.ts";
import { type Press, pressWith } from "../../../presses.ts";
import { wrong } from "../../../words.ts";
import { marked } from "../words.ts";
import type { Call, Component, Value } from "./component.ts";
import { KINDS } from "./components.ts";

export interface ShellyInfo {
  /** Begin of its topics. */
  prefix: string;
  /** Twelve hexadecimal digits in small letters. */
  mac: string;
  name: string | undefined;
  model: string | undefined;
  /** Of its firmware. */
  version?: string | undefined;
}

export interface ShellyOptions {
  info: ShellyInfo;
  /** Of all components, as `Shelly.GetStatus` and `Shelly.GetConfig` answer. */
  status: JsonObject;
  config: JsonObject;
  /** A new number for a request with this method. */
  nextId(method: string): number;
  /** Questions that make it report its whole state. */
  refresh(): Outgoing[];
}

const MAX_COMPONENTS = 100;

export function describeShelly({ info, status, config, nextId, refresh }: ShellyOptions): DescribedDevice {
  const { prefix, mac } = info;
  const [online, events] = [`${prefix}/online`, `${prefix}/events/rpc`];
  const components = componentsOf(status, config);
  const values = valuesOf(components);
  const all = [...values.values()].flat();
  const deviceType = typeOf(components, all);
  const actionOf = actionNames(status);

  function readComponent(key: string, given: Json | undefined, read: JsonObject): void {
    if (!isObject(given)) return;
    for (const { attribute, decode } of values.get(key) ?? []) {
      const value = decode?.(given);
      if (value !== undefined) read[attribute.name] = value;
    }
  }

  return {
    identity: mac,
    identities: macIdentities(mac),
    name: info.name ?? prefix,
    deviceType,
    manufacturer: "Shelly",
    model: info.model,
    hardware: inNetwork({ mac, ip: addressIn(status), version: info.version }),
    area: undefined,
    parent: undefined,
    attributes: all.map(({ attribute }) => marked(attribute, deviceType)),
    // One that sleeps is not gone.
    topics: [...(sleeps(status) ? [] : [online]), events, ...components.map(({ key }) => `${prefix}/status/${key}`)],
    read(topic: string, { text, json }: Message): Report {
      if (topic === online) return { attributes: {}, actions: [], available: text === "true" };
      const read: JsonObject = {};
      if (topic !== events) {
        readComponent(topic.slice(`${prefix}/status/`.length), json, read);
        return { attributes: read, actions: [] };
      }
      if (!isObject(json) || !isObject(json.params)) return { attributes: {}, actions: [] };
      if (json.method === "NotifyEvent") return { attributes: {}, actions: actionsIn(json.params, actionOf) };
      for (const [key, value] of Object.entries(json.params)) readComponent(key, value, read);
      return { attributes: read, actions: [] };
    },
    refresh,
    write: (wanted) =>
      merged(Object.entries(wanted).map(([name, value]) => callFor(all, name, value))).map(({ method, params }) =>
        request(prefix, { id: nextId(method), method, params }),
      ),
  };
}

function addressIn({ wifi, eth }: JsonObject): Json | undefined {
  return (isObject(eth) && eth.ip) || (isObject(wifi) ? wifi.sta_ip : undefined);
}

/** The answer comes below the device's own prefix, where it may publish. */
export function request(prefix: string, call: { id: number; method: string; params?: JsonObject }): Outgoing {
  const { id, method, params } = call;
  const frame = { id, src: `${prefix}/hub`, method, ...(params && { params }) };
  return { topic: `${prefix}/rpc`, payload: JSON.stringify(frame), qos: 1, retain: false };
}

/** A device with a battery wakes, reports, and is away again. */
export function sleeps(status: JsonObject): boolean {
  const { sys } = status;
  if (isObject(sys) && typeof sys.wakeup_period === "number" && sys.wakeup_period > 0) return true;
  const { "devicepower:0": power } = status;
  return isObject(power) && !(isObject(power.external) && power.external.present === true);
}

function componentsOf(status: JsonObject, config: JsonObject): Component[] {
  const keys = Object.keys(status)
    .filter((key) => KINDS.has(kindOf(key)) && isObject(status[key]) && key.length <= 64)
    .slice(0, MAX_COMPONENTS);
  return keys.map((key) => {
    const [kind, id] = [kindOf(key), idOf(key)];
    const several = keys.filter((other) => kindOf(other) === kind).length > 1;
    const { [key]: own } = status;
    const { [key]: configured } = config;
    return {
      ...{ key, kind, id, named: (name: string) => (several ? `${name}_${id}` : name) },
      ...{ status: isObject(own) ? own : {}, config: isObject(configured) ? configured : {} },
    };
  });
}

/** By component. What two kinds call the same has the later one's kind behind it. */
function valuesOf(components: readonly Component[]): Map<string, Value[]> {
  const names = new Set<string>();
  const found = new Map<string, Value[]>();
  for (const component of components) {
    const { key, kind, id, config } = component;
    const values = (KINDS.get(kind)?.(component) ?? []).map((value, at) => {
      const { name } = value.attribute;
      const own = names.has(name) ? `${name}_${kind}_${id}` : name;
      names.add(own);
      const described = at === 0 && typeof config.name === "string" && config.name !== "";
      const description = described ? { description: String(config.name).slice(0, 100) } : {};
      return { ...value, attribute: { ...value.attribute, name: own, ...description } };
    });
    found.set(key, values);
  }
  return found;
}

const kindOf = (key: string): string => key.split(":")[0] ?? "";
const idOf = (key: string): number => Number(key.split(":")[1] ?? 0) || 0;

const TYPES: readonly (readonly [type: string, kinds: readonly string[]])[] = [
  ["climate", ["thermostat", "blutrv"]],
  ["cover", ["cover"]],
  ["light", ["light", "rgb", "rgbw", "cct"]],
  ["switch", ["switch"]],
  ["binary_sensor", ["smoke", "flood", "presencezone"]],
];

function typeOf(components: readonly Component[], values: readonly Value[]): string {
  const kinds = new Set(components.map(({ kind }) => kind));
  const found = TYPES.find(([, of]) => of.some((kind) => kinds.has(kind)));
  if (found) return found[0];
  const measures = values.some(({ attribute: { category, type } }) => type === "number" && category === undefined);
  return kinds.has("input") && !measures ? "button" : "sensor";
}

function callFor(values: readonly Value[], name: string, value: Json): Call {
  const found = values.find(({ attribute }) => attribute.name === name);
  if (!found) throw wrong(name, "the device has no such attribute");
  if (!found.encode) throw wrong(name, "the device only reports it");
  return found.encode(value, name);
}

/** Several attributes of one component are one call. */
function merged(calls: readonly Call[]): Call[] {
  const found: Call[] = [];
  for (const { method, params } of calls) {
    const same = found.find((one) => one.method === method && one.params.id === params.id);
    if (!same) {
      found.push({ method, params });
      continue;
    }
    const [before, after] = [same.params.config, params.config];
    same.params = { ...same.params, ...params };
    if (isObject(before) && isObject(after)) same.params.config = { ...before, ...after };
  }
  return found;
}

// Components whose events are presses, or something like it.
const PRESSED = new Set(["input", "button", "bthomedevice"]);

/** `single_push` of the only input; of several `1_single_push`. */
function actionNames(status: JsonObject): (component: string, event: string) => string | undefined {
  const counts = new Map<string, number>();
  for (const key of Object.keys(status)) counts.set(kindOf(key), (counts.get(kindOf(key)) ?? 0) + 1);
  return (component, event) => {
    const kind = kindOf(component);
    if (!PRESSED.has(kind) || event === "config_changed") return undefined;
    return kind === "input" && (counts.get(kind) ?? 0) <= 1 ? event : `${idOf(component)}_${event}`;
  };
}

/** `{"events":[{"component":"bthomedevice:200","id":200,"event":"single_push","idx":1,"ts":1.5}]}`. */
function actionsIn({ events }: JsonObject, actionOf: ReturnType<typeof actionNames>): Press[] {
  if (!Array.isArray(events)) return [];
  return events.slice(0, 20).flatMap((one): Press[] => {
    if (!isObject(one)) return [];
    const { component, id: _id, event, ts: _ts, ...data } = one;
    if (typeof event !== "string" || typeof component !== "string" || event.length > 64) return [];
    const action = actionOf(component, event);
    return action === undefined ? [] : [pressWith(action, data)];
  });
}
