// What the hub must make of a device's messages, by the rules of "Words of devices", written again without the hub's own code.
import type { Exposed, Model } from "./lines.ts";

/** How a property appears in the hub. Where it is exposed several times, each of them is right. */
export interface Appearance {
  attribute: string;
  of(value: unknown): unknown;
}

const SPECIFIC = ["light", "switch", "fan", "cover", "lock", "climate"];

/** By property. */
export function appearancesOf({ bridgeDevice }: Model): Map<string, Appearance[]> {
  const found = new Map<string, Appearance[]>();
  for (const exposed of bridgeDevice.definition.exposes) {
    const isSpecific = SPECIFIC.includes(exposed.type);
    for (const part of isSpecific ? (exposed.features ?? []) : [exposed]) {
      if (part.property === undefined) continue;
      const appearance = appearanceOf(part, part.property, isSpecific ? exposed.type : undefined);
      found.set(part.property, [...(found.get(part.property) ?? []), appearance]);
    }
  }
  return found;
}

function appearanceOf(part: Exposed, property: string, of: string | undefined): Appearance {
  if (part.type !== "binary") return { attribute: property, of: (value) => value };
  const { value_on: on, value_off: off } = part;
  return {
    attribute: stateWord(part, property, of),
    of: (value) => (value === on ? true : value === off ? false : value),
  };
}

// Rule 2: `state_l1` of a switch is `on_l1`, the state of a lock is `locked`; a siren or a valve is exposed as a mere binary.
function stateWord({ access = 0, value_on: on, endpoint }: Exposed, property: string, of: string | undefined): string {
  if (property !== "state" && !property.startsWith("state_")) return property;
  const isSwitched = of === undefined && on === "ON" && (access & 2) !== 0;
  const isState = property === "state" || property === `state_${endpoint}`;
  if (of === "lock") return property.replace("state", "locked");
  if (of === "light" || of === "switch" || of === "fan" || (isSwitched && isState))
    return property.replace("state", "on");
  return property;
}

/** What a message on `zigbee2mqtt/…` sets, as Zigbee2MQTT understands it; undefined for a message that sets nothing of this device. */
export function setIn(name: string, topic: string, payload: string): Record<string, unknown> | undefined {
  const rest = topic.startsWith(`zigbee2mqtt/${name}/`) ? topic.slice(`zigbee2mqtt/${name}/`.length).split("/") : [];
  const at = rest.indexOf("set");
  if (at < 0 || at > 1 || rest.length > at + 2) return undefined;
  const [endpoint, attribute] = [at === 1 ? rest[0] : undefined, rest[at + 1]];
  const value = parsed(payload);
  const set = attribute === undefined ? (isRecord(value) ? value : { state: value }) : { [attribute]: value };
  if (endpoint === undefined) return set;
  const named = (key: string): string =>
    key === endpoint || key.endsWith(`_${endpoint}`) ? key : `${key}_${endpoint}`;
  return Object.fromEntries(Object.entries(set).map(([key, one]) => [named(key), one]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether Home Assistant's payloads of a model let a property be set at all. */
export function settableThere({ discovery }: Model, property: string): boolean {
  return discovery.some(({ payload }) => {
    const text = JSON.stringify(payload);
    const topics = Object.entries(payload).filter(([key]) => key.endsWith("command_topic"));
    if (topics.length === 0) return false;
    if (topics.some(([, topic]) => String(topic).endsWith(`/set/${property}`))) return true;
    if (payload.schema === "json") return lightProperties(payload).includes(property);
    return topics.some(([, topic]) => String(topic).endsWith("/set")) && text.includes(`value_json[\\"${property}\\"]`);
  });
}

function lightProperties({
  command_topic: topic,
  brightness,
  supported_color_modes: modes,
}: Record<string, unknown>): string[] {
  const endpoint = /\/([^/]+)\/set$/.exec(String(topic))?.[1];
  const has = (mode: string): boolean => Array.isArray(modes) && modes.includes(mode);
  const plain = [
    "state",
    ...(brightness === true ? ["brightness"] : []),
    ...(has("color_temp") ? ["color_temp"] : []),
    ...(has("xy") || has("hs") ? ["color"] : []),
  ];
  // `NAME/set` and `NAME/l1/set` cannot be told apart without the name; both spellings are right.
  return [...plain, ...plain.map((one) => `${one}_${endpoint}`)];
}
