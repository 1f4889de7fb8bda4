// What the hub must make of a device's messages, by the rules of "Words of devices", written again without the hub's own code.
import type { Exposed, Model } from "./lines.ts";

/** How a property appears in the hub. Where it is exposed several times, each of them is right. */
export interface Appearance {
  attribute: string;
  /** `state`: the whole message that it came in; none for what is commanded. */
  of(value: unknown, state?: Readonly<Record<string, unknown>>): unknown;
}

const SPECIFIC = ["light", "switch", "fan", "cover", "lock", "climate"];

/** By property. */
export function appearancesOf({ bridgeDevice }: Model): Map<string, Appearance[]> {
  const { exposes } = bridgeDevice.definition;
  const kinds = exposes.map(({ type }) => type);
  const found = new Map<string, Appearance[]>();
  for (const exposed of exposes) {
    const isSpecific = SPECIFIC.includes(exposed.type);
    for (const part of isSpecific ? (exposed.features ?? []) : [exposed]) {
      if (part.property === undefined) continue;
      const within = { of: isSpecific ? exposed.type : undefined, kinds };
      const appearance = appearanceOf(part, part.property, within);
      found.set(part.property, [...(found.get(part.property) ?? []), appearance, ...inUnit(part, part.property)]);
    }
  }
  for (const [property, appearances] of found)
    for (const one of appearances) if (one.attribute === property) one.attribute = ownName(property, { kinds, found });
  return found;
}

/** A word that all devices share is in one unit: what a device measures in another bears that at its end. */
function inUnit({ type, unit, access = 0 }: Exposed, property: string): Appearance[] {
  const slug = (unit ?? "").toLowerCase().replace(/[^a-z0-9]+/g, "");
  if (type !== "numeric" || slug === "" || (access & 2) !== 0) return [];
  return [{ attribute: `${property}_${slug}`, of: (value) => value }];
}

interface Within {
  of: string | undefined;
  /** Of all that the device exposes. */
  kinds: readonly string[];
}

function appearanceOf(part: Exposed, property: string, within: Within): Appearance {
  if (part.type !== "binary") return { attribute: property, of: (value) => value };
  const attribute = stateWord(part, property, within);
  const isTrue = trueWord(part, property);
  return {
    attribute,
    of(value, state) {
      // Neither locked nor unlocked is unknown, whatever else it says.
      if (within.of === "lock" && state?.lock_state === "not_fully_locked") return null;
      if (typeof value === "boolean") return value;
      return value === part.value_on || value === part.value_off ? value === isTrue : value;
    },
  };
}

// Rule 1: of two words, true is what the name says; these are the ones of real devices that begin with the other one.
const TURNED = [
  [/./, "UNLOCK", "LOCK"],
  [/^window/, "CLOSE", "OPEN"],
  [/^show_/, "HIDE", "SHOW"],
  [/./, "OFF", "ON"],
] as const;

function trueWord({ value_on: on, value_off: off }: Exposed, property: string): unknown {
  return TURNED.some(([name, first, second]) => name.test(property) && on === first && off === second) ? off : on;
}

// Rule 2: `state_l1` of a switch is `on_l1`, the state of a lock is `locked`; a siren or a valve is exposed as a mere binary. What
// is switched beside a ceiling fan is a part of it.
function stateWord(
  { access = 0, value_on: on, value_off: off, endpoint }: Exposed,
  property: string,
  { of, kinds }: Within,
): string {
  if (property !== "state" && !property.startsWith("state_")) return property;
  const isState = property === "state" || property === `state_${endpoint}`;
  const isOfLock = of === undefined && isState && [on, off].every((one) => one === "LOCK" || one === "UNLOCK");
  if (of === "lock" || isOfLock) return property.replace("state", "locked");
  const isFan = kinds.includes("fan") && !["climate", "cover", "lock"].some((one) => kinds.includes(one));
  if ((of === "light" || of === "switch") && isFan && property === "state") return `on_${of}`;
  const isSwitched = of === undefined && on === "ON" && (access & 2) !== 0;
  if (of === "light" || of === "switch" || of === "fan" || (isSwitched && isState))
    return property.replace("state", "on");
  return property;
}

/** What a shared word of the same name stands in the way of is kept under another. */
function ownName(
  property: string,
  { kinds, found }: { kinds: readonly string[]; found: ReadonlyMap<string, unknown> },
): string {
  const isOf = (kind: string): boolean => kinds.includes(kind);
  const isTaken =
    (isOf("lock") && property === "lock_state") ||
    (isOf("climate") && property === "mode") ||
    (isOf("cover") && /^moving(_|$)/.test(property)) ||
    (isOf("light") && property === "color_rgb" && found.has("color"));
  return isTaken ? `${property}_own` : property;
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
  // `NAME/set` and `NAME/l1/set` cannot be distinguished without the name; both spellings are right.
  return [...plain, ...plain.map((one) => `${one}_${endpoint}`)];
}
