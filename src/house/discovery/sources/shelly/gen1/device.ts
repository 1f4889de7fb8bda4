// A Shelly of the first generation, described from the topics that its model has and those that it was seen on.
import type { JsonObject } from "../../../../../kit/schema/json.ts";
import type { DescribedDevice, Hardware, Message, Outgoing, Report } from "../../../described.ts";
import { macIdentities } from "../../../mac.ts";
import { wrong } from "../../../words.ts";
import { marked } from "../words.ts";
import { sleeps } from "./models.ts";
import { channelOf, partOf } from "./parts.ts";
import type { Part, Sending, Value } from "./value.ts";

export interface FirstGeneration {
  /** `shellies/shellyplug-s-04713C` */
  base: string;
  name: string;
  /** Twelve hexadecimal digits in small letters. */
  mac: string;
  model: string;
  hardware: Hardware;
  /** Ends of the topics it reports on. */
  paths: readonly string[];
  /** Whether a press of an input with this count is a new one. */
  isNew(input: number, count: number): boolean;
}

export function describeFirstGeneration(device: FirstGeneration): DescribedDevice {
  const { base, name, mac, model, hardware, paths } = device;
  const parts = partsOf(device);
  const values = new Map<string, Value>();
  for (const one of [...parts.values()].flatMap((part) => part.values))
    if (!values.has(one.attribute.name)) values.set(one.attribute.name, one);
  const online = `${base}/online`;
  const deviceType = typeOf(paths, model);

  return {
    identity: mac,
    identities: macIdentities(mac),
    name,
    deviceType,
    manufacturer: "Shelly",
    model,
    hardware,
    area: undefined,
    parent: undefined,
    attributes: [...values.values()].map(({ attribute }) => marked(attribute, deviceType)),
    // One that sleeps is not gone.
    topics: [...(sleeps(model) ? [] : [online]), ...[...parts.keys()].map((path) => `${base}/${path}`)],
    read(topic: string, message: Message): Report {
      if (topic === online) return { attributes: {}, actions: [], available: message.text === "true" };
      const part = parts.get(topic.slice(base.length + 1));
      const read: JsonObject = {};
      for (const { attribute, decode } of part?.values ?? []) {
        const value = decode?.(message);
        if (value !== undefined) read[attribute.name] = value;
      }
      return { attributes: read, actions: part?.actions?.(message) ?? [] };
    },
    refresh: () => [outgoing(base, { path: "command", payload: "update" })],
    write: (wanted) => sendings(wanted, values).map((sending) => outgoing(base, sending)),
  };
}

/** Whether a device's topic is one of the house. */
export function isPath(path: string): boolean {
  const options = {
    model: "",
    named: String,
    pressed: String,
    isNew: () => false,
    units: { isFahrenheit: false },
    ends: new Map(),
  };
  return partOf(path, options) !== undefined;
}

function partsOf({ paths, model, isNew }: FirstGeneration): Map<string, Part> {
  const [units, ends] = [{ isFahrenheit: false }, new Map()];
  const counts = new Map<string, Set<number>>();
  for (const channel of paths.map(channelOf)) {
    if (!channel) continue;
    counts.set(channel.kind, (counts.get(channel.kind) ?? new Set()).add(channel.number));
  }
  return new Map(
    paths.flatMap((path) => {
      const { kind = "", number = 0 } = channelOf(path) ?? {};
      const several = (counts.get(kind)?.size ?? 0) > 1;
      const part = partOf(path, {
        model,
        named: (name) => (several ? `${name}_${number}` : name),
        pressed: (press) => (several ? `${number}_${press}` : press),
        isNew: (count) => isNew(number, count),
        ...{ units, ends },
      });
      return part ? [[path, part] as const] : [];
    }),
  );
}

function sendings(wanted: JsonObject, values: ReadonlyMap<string, Value>): Sending[] {
  const found: Sending[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const own = values.get(name);
    if (!own) throw wrong(name, "the device has no such attribute");
    if (!own.encode) throw wrong(name, "the device only reports it");
    const sending = own.encode(value, wanted);
    const same = found.find(({ path }) => path === sending.path);
    if (same && typeof same.payload !== "string" && typeof sending.payload !== "string")
      same.payload = { ...same.payload, ...sending.payload };
    else found.push(sending);
  }
  return found;
}

function outgoing(base: string, { path, payload }: Sending): Outgoing {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  return { topic: `${base}/${path}`, payload: text, qos: 0, retain: false };
}

const TYPES: readonly (readonly [type: string, path: RegExp])[] = [
  ["cover", /^roller\//],
  ["light", /^(light|white|color)\//],
  ["switch", /^relay\//],
  ["binary_sensor", /^sensor\/(state|flood|smoke|gas|motion)$/],
  ["button", /^input_event\//],
];

function typeOf(paths: readonly string[], model: string): string {
  if (model.startsWith("SHTRV")) return "climate";
  if (model.startsWith("SHMOS")) return "binary_sensor";
  return TYPES.find(([, path]) => paths.some((one) => path.test(one)))?.[0] ?? "sensor";
}
