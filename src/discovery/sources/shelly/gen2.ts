// A Shelly of the second generation or later, described from its status and configuration: its components, each with an id.
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import { hex } from "../../colors.ts";
import type { Attribute, DescribedDevice, Message, Outgoing, Report } from "../../described.ts";
import { RGB, wrong } from "../../words.ts";

interface Value {
  /** Where in the status of its component. */
  path: readonly string[];
  attribute: Attribute;
  decode?: (value: Json) => Json | undefined;
  /** Method and parameters. Throws HubError `invalid`. */
  encode?: (value: Json) => [method: string, params: JsonObject];
}

export interface ShellyInfo {
  /** Topic prefix. */
  prefix: string;
  mac: string;
  name: string | undefined;
  model: string | undefined;
  app: string | undefined;
}

/** `status`: of all components, as `Shelly.GetStatus` answers. */
export function describeShelly(info: ShellyInfo, status: JsonObject): DescribedDevice {
  const { prefix, mac } = info;
  const components = Object.keys(status).filter((key) => KINDS.has(kindOf(key)));
  const counts = countKinds(components);
  const values = new Map(components.map((key) => [key, valuesOf(key, status[key] as Json, counts)]));
  const writable = [...values.values()].flat();
  let requests = 0;

  function readComponent(key: string, given: Json, read: JsonObject): void {
    for (const { path, attribute, decode } of values.get(key) ?? []) {
      const value = path.reduce<Json | undefined>(
        (one, name) => (isObject(one) ? (one[name] as Json) : undefined),
        given,
      );
      const decoded = value === undefined ? undefined : decode ? decode(value) : value;
      if (decoded !== undefined) read[attribute.name] = decoded;
    }
  }

  return {
    identity: mac.toLowerCase(),
    identities: [mac.toLowerCase(), `mac:${(mac.toLowerCase().match(/../g) ?? []).join(":")}`],
    name: info.name ?? prefix,
    deviceType: typeOf(components),
    manufacturer: "Shelly",
    model: info.model ?? info.app,
    area: undefined,
    parent: undefined,
    attributes: writable.map(({ attribute }) => attribute),
    topics: [`${prefix}/online`, `${prefix}/events/rpc`, ...components.map((key) => `${prefix}/status/${key}`)],
    read(topic: string, { text, json }: Message): Report {
      if (topic === `${prefix}/online`) return { attributes: {}, actions: [], available: text === "true" };
      const read: JsonObject = {};
      if (topic !== `${prefix}/events/rpc`) {
        readComponent(topic.slice(`${prefix}/status/`.length), json ?? null, read);
        return { attributes: read, actions: [] };
      }
      if (!isObject(json) || !isObject(json.params)) return { attributes: {}, actions: [] };
      for (const [key, value] of Object.entries(json.params)) readComponent(key, value as Json, read);
      return { attributes: read, actions: json.method === "NotifyEvent" ? actionsIn(json.params) : [] };
    },
    write(wanted: JsonObject): Outgoing[] {
      return Object.entries(wanted).map(([name, value]) => {
        const found = writable.find(({ attribute }) => attribute.name === name);
        if (!found) throw wrong(name, "the device has no such attribute");
        if (!found.encode) throw wrong(name, "the device only reports it");
        const [method, params] = found.encode(value as Json);
        return rpc(prefix, ++requests, method, params);
      });
    },
  };
}

/** The answer comes below the device's own prefix, where it may publish. */
export function rpc(prefix: string, id: number, method: string, params?: JsonObject): Outgoing {
  const request = { id, src: `${prefix}/hub`, method, ...(params && { params }) };
  return { topic: `${prefix}/rpc`, payload: JSON.stringify(request), qos: 1, retain: false };
}

const kindOf = (key: string): string => key.split(":")[0] ?? "";
const idOf = (key: string): number => Number(key.split(":")[1] ?? 0);

function countKinds(components: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of components) counts.set(kindOf(key), (counts.get(kindOf(key)) ?? 0) + 1);
  return counts;
}

function typeOf(components: readonly string[]): string {
  const kinds = new Set(components.map(kindOf));
  if (kinds.has("cover")) return "cover";
  if (["light", "rgb", "rgbw", "cct"].some((one) => kinds.has(one))) return "light";
  return kinds.has("switch") ? "switch" : "sensor";
}

const MEASURED: Readonly<Record<string, string>> = { apower: "W", voltage: "V", current: "A", freq: "Hz", pf: "" };

type Maker = (id: number, named: (name: string) => string, status: JsonObject) => Value[];

function bool(name: string, path: readonly string[], encode?: Value["encode"]): Value {
  return {
    path,
    attribute: { name, type: "boolean", readable: true, writable: encode !== undefined },
    decode: (value) => (typeof value === "boolean" ? value : undefined),
    ...(encode && { encode }),
  };
}

function number(name: string, path: readonly string[], more: Partial<Attribute>, encode?: Value["encode"]): Value {
  return {
    path,
    attribute: { name, type: "number", ...more, readable: true, writable: encode !== undefined },
    decode: (value) => (typeof value === "number" ? value : undefined),
    ...(encode && { encode }),
  };
}

function needsBoolean(name: string, value: Json): boolean {
  if (typeof value !== "boolean") throw wrong(name, "must be true or false");
  return value;
}

function needsNumber(name: string, value: Json, min: number, max: number): number {
  if (typeof value !== "number" || value < min || value > max)
    throw wrong(name, `must be a number from ${min} to ${max}`);
  return value;
}

const measured = (named: (name: string) => string, status: JsonObject): Value[] => [
  ...Object.entries(MEASURED).flatMap(([key, unit]) =>
    key in status ? [number(named(key === "apower" ? "power" : key), [key], unit === "" ? {} : { unit })] : [],
  ),
  ...(isObject(status.aenergy) ? [number(named("energy"), ["aenergy", "total"], { unit: "Wh" })] : []),
];

const onOff =
  (component: string): Maker =>
  (id, named, status) => {
    const name = named("on");
    return [
      bool(name, ["output"], (value) => [`${component}.Set`, { id, on: needsBoolean(name, value) }]),
      ...measured(named, status),
    ];
  };

const light =
  (component: string): Maker =>
  (id, named, status) => {
    const found = onOff(component)(id, named, status);
    const pct = { unit: "%", min: 0, max: 100 };
    for (const name of [named("brightness"), named("brightness_pct")])
      found.push(
        number(name, ["brightness"], name === named("brightness") ? pct : { ...pct, derived: true }, (value) => [
          `${component}.Set`,
          { id, brightness: Math.round(needsNumber(name, value, 0, 100)) },
        ]),
      );
    if (component === "CCT") {
      const name = named("color_temp_k");
      const encode = (value: Json): [string, JsonObject] => [
        "CCT.Set",
        { id, ct: needsNumber(name, value, 2700, 6500) },
      ];
      found.push(number(name, ["ct"], { unit: "K", min: 2700, max: 6500 }, encode));
    }
    if (component.startsWith("RGB")) found.push(rgb(component, id, named("color_rgb")));
    return found;
  };

function rgb(component: string, id: number, name: string): Value {
  return {
    path: ["rgb"],
    attribute: { name, type: "string", readable: true, writable: true },
    decode(value) {
      return Array.isArray(value) && value.length === 3 ? hex(value.map(Number)) : undefined;
    },
    encode(value) {
      const { r, g, b } = RGB.to(value, name) as { r: number; g: number; b: number };
      return [`${component}.Set`, { id, rgb: [r, g, b] }];
    },
  };
}

const COVER_COMMANDS: Readonly<Record<string, string>> = {
  open: "Cover.Open",
  close: "Cover.Close",
  stop: "Cover.Stop",
};

const cover: Maker = (id, named, status) => {
  const [position, command] = [named("position"), named("command")];
  const goTo = (value: Json): [string, JsonObject] => [
    "Cover.GoToPosition",
    { id, pos: Math.round(needsNumber(position, value, 0, 100)) },
  ];
  return [
    number(position, ["current_pos"], { unit: "%", min: 0, max: 100 }, goTo),
    { path: ["state"], attribute: { name: named("moving"), type: "string", readable: true, writable: false } },
    {
      path: [],
      attribute: {
        name: command,
        type: "string",
        options: Object.keys(COVER_COMMANDS),
        readable: false,
        writable: true,
      },
      decode: () => undefined,
      encode(value) {
        const method = COVER_COMMANDS[String(value)];
        if (method === undefined) throw wrong(command, "must be one of open, close, stop");
        return [method, { id }];
      },
    },
    ...measured(named, status),
  ];
};

const one =
  (make: (named: (name: string) => string) => Value): Maker =>
  (_id, named) => [make(named)];

const KINDS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ["switch", onOff("Switch")],
  ["light", light("Light")],
  ["rgb", light("RGB")],
  ["rgbw", light("RGBW")],
  ["cct", light("CCT")],
  ["cover", cover],
  ["input", one((named) => bool(named("input"), ["state"]))],
  ["temperature", one((named) => number(named("temperature"), ["tC"], { unit: "°C" }))],
  ["humidity", one((named) => number(named("humidity"), ["rh"], { unit: "%" }))],
  ["illuminance", one((named) => number(named("illuminance"), ["lux"], { unit: "lx" }))],
  ["smoke", one((named) => bool(named("smoke"), ["alarm"]))],
  ["flood", one((named) => bool(named("water_leak"), ["alarm"]))],
  ["devicepower", one((named) => number(named("battery"), ["battery", "percent"], { unit: "%" }))],
  ["voltmeter", one((named) => number(named("voltage"), ["voltage"], { unit: "V" }))],
  ["em1", (_id, named, status) => [...measured(named, status), number(named("power"), ["act_power"], { unit: "W" })]],
  ["pm1", (_id, named, status) => measured(named, status)],
  ["wifi", one((named) => number(named("rssi"), ["rssi"], { unit: "dBm", category: "diagnostic" }))],
]);

/** The only one of its kind needs no number: `on`; otherwise `on_0`, `on_1`. */
function valuesOf(key: string, status: Json, counts: ReadonlyMap<string, number>): Value[] {
  const kind = kindOf(key);
  const several = (counts.get(kind) ?? 0) > 1;
  const named = (name: string): string => (several ? `${name}_${idOf(key)}` : name);
  return KINDS.get(kind)?.(idOf(key), named, isObject(status) ? status : {}) ?? [];
}

/** `{"events":[{"component":"input:0","event":"single_push"}]}`. */
function actionsIn({ events }: JsonObject): string[] {
  if (!Array.isArray(events)) return [];
  return events.flatMap((event) => {
    if (!isObject(event) || typeof event.event !== "string" || typeof event.component !== "string") return [];
    return event.component.startsWith("input:") ? [`${event.component.replace("input:", "")}_${event.event}`] : [];
  });
}
