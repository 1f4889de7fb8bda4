// One device, described from its profile and what its placeholders stand for.
import type { Json, JsonObject } from "../../../../kit/schema/json.ts";
import { putAtPointer } from "../../../../kit/schema/json-pointer.ts";
import { readRgb } from "../../colors.ts";
import type { Attribute, DescribedDevice, Outgoing, Report } from "../../described.ts";
import { type Conversion, celsiusOf, kelvinOf, percentOf, RGB, SAME, speedOf, wrong } from "../../words.ts";
import { decode, encode, typeOf } from "./codec.ts";
import type { CompiledExpressions, Profile } from "./profile.ts";
import { type Occasion, type Take, takerOf } from "./reading.ts";
import type { ActionTable, AttributeTable, AvailabilityTable, ButtonTable, CommandTable } from "./schema.ts";
import { fill, fillTopic, type Values } from "./topic-pattern.ts";

export interface ProfileDevice {
  id: string;
  /** Of the message that made it. */
  parts: Values;
  /** Topics that made it, or could have. */
  seenOn: Pick<ReadonlyMap<string, unknown>, "has" | "keys">;
}

interface Placed {
  table: { topic?: string | undefined };
  /** Its topic; undefined where that is the profile's own. */
  at: string | undefined;
}

export interface DeviceReader {
  /** Undefined where the message is another device's. */
  partsOf(occasion: Omit<Occasion, "parts">): Values | undefined;
  /** Why an expression gives no value, or undefined where the attribute has one. */
  onProblem(attribute: string, problem: string | undefined): void;
}

export function describeProfileDevice(
  profile: Profile,
  device: ProfileDevice,
  { partsOf, onProblem }: DeviceReader,
): DescribedDevice {
  const { table, expressions } = profile;
  const { id, parts, seenOn } = device;
  const filled = (text: string | undefined): string | undefined => (text === undefined ? undefined : fill(text, parts));
  const placed = <T extends ActionTable | AvailabilityTable>(one: T) => ({
    ...{ table: one, at: filled(one.topic), take: takerOf(one, expressions) },
  });
  const channels = channelsOf(profile).map((one) => ({
    ...one,
    at: filled(one.table.topic),
    take: takerOf(one.table, expressions),
  }));
  const actions = (table.actions ?? []).map(placed);
  const availability = table.availability && placed(table.availability);
  const buttons = Object.entries(table.commands ?? {}).map(([name, button]) => {
    const made = buttonOf(name, button);
    return { ...made, attribute: { ...made.attribute, ...namedWord(name, table.type) } };
  });

  function isHere({ table: { topic: given }, at }: Placed, topic: string): boolean {
    return given === undefined ? seenOn.has(topic) : at === topic;
  }

  function read(occasion: Occasion): Report {
    const { topic } = occasion;
    const found: JsonObject = {};
    for (const channel of channels) {
      if (!isHere(channel, topic)) continue;
      const { attribute, table: one, word, take } = channel;
      const { value: raw, problem } = take(occasion);
      const value = raw === undefined ? undefined : decode(one, attribute.type, raw);
      if (problem !== undefined || value !== undefined) onProblem(attribute.name, problem);
      if (value === undefined) continue;
      found[attribute.name] = value;
      word?.read(found);
    }
    const presses = actions.flatMap((one) => (isHere(one, topic) ? pressIn(one, occasion) : []));
    const available = availability ? availableIn(availability, occasion) : true;
    return { attributes: found, actions: presses, ...(available !== undefined && { available }) };
  }

  function orderOf(name: string, value: Json): Ordered {
    for (const { attribute, table: one, word } of channels) {
      if (name !== attribute.name && name !== word?.attribute.name) continue;
      if (!one.command) throw wrong(name, "the device only reports it");
      const meant = word && name === word.attribute.name ? word.own(value) : value;
      const raw = encode({ ...one, type: attribute.type, sent: one.command.map }, meant, attribute.name);
      return { name, command: one.command, value: meant, raw };
    }
    const button = buttons.find(({ attribute }) => attribute.name === name);
    if (!button) throw wrong(name, "the device has no such attribute");
    return button.press(value);
  }

  return {
    identity: id,
    identities: [id, ...(table.same_as ?? []).flatMap((one) => filled(one) ?? [])],
    name: filled(table.name),
    deviceType: table.type ?? "sensor",
    manufacturer: filled(table.manufacturer),
    model: filled(table.model),
    area: filled(table.area),
    parent: filled(table.parent),
    attributes: [
      ...channels.flatMap(({ attribute, word }) => (word ? [attribute, word.attribute] : [attribute])),
      ...buttons.map(({ attribute }) => attribute),
      ...actionAttribute(table.actions ?? []),
    ],
    topics: [
      ...new Set([...seenOn.keys(), ...[...channels, ...actions, availability].flatMap((one) => one?.at ?? [])]),
    ],
    read(topic, message) {
      const known = message.text === "" ? undefined : partsOf({ topic, message });
      return known ? read({ topic, message, parts: { ...parts, ...known } }) : { attributes: {}, actions: [] };
    },
    write: (wanted) =>
      outgoingOf(
        Object.entries(wanted).map(([name, value]) => orderOf(name, value as Json)),
        { parts, expressions },
      ),
  };
}

function channelsOf({ table }: Profile) {
  return Object.entries(table.attributes ?? {}).map(([name, one]) => {
    const access = { readable: true, writable: one.command !== undefined };
    const attribute = { ...attributeOf(name, one, access), ...namedWord(name, table.type) };
    return { attribute, table: one, word: wordOf(one, attribute) };
  });
}

function attributeOf(
  name: string,
  table: AttributeTable | ButtonTable,
  { readable, writable }: Pick<Attribute, "readable" | "writable">,
): Attribute {
  const { unit, min, max, step, options, format, icon, category, hidden, description } = table;
  const { precision = "decimals" in table ? table.decimals : undefined, state_class: stateClass } = table;
  return {
    ...{ name, readable, writable, type: typeOf(table) ?? "boolean" },
    ...(unit !== undefined && { unit }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(step !== undefined && { step }),
    ...(options && { options }),
    ...(format && { format }),
    ...(precision !== undefined && { precision }),
    ...(stateClass && { stateClass }),
    ...(icon !== undefined && { icon }),
    ...(category && { category }),
    ...(table.class !== undefined && { class: table.class }),
    ...(hidden && { hidden }),
    ...(description !== undefined && { description }),
  };
}

/** A command without a value of its own is a button to press. */
function buttonOf(name: string, table: ButtonTable) {
  const type = typeOf({ ...table, map: undefined });
  const attribute = attributeOf(name, { ...table, type: type ?? "boolean" }, { readable: false, writable: true });
  return {
    attribute,
    press(value: Json): Ordered {
      if (type === undefined && value !== true) throw wrong(name, "must be true: it is a button to press");
      const raw = encode({ ...table, map: undefined, type: attribute.type, sent: table.map }, value, name);
      return { name, command: table, value, raw };
    },
  };
}

function actionAttribute(actions: readonly ActionTable[]): Attribute[] {
  if (actions.length === 0) return [];
  const named = actions.flatMap(({ map = {} }) => Object.values(map).map(String));
  const isComplete = actions.every(({ map }) => map !== undefined);
  const options = isComplete ? { options: [...new Set(named)] } : {};
  return [{ name: "action", type: "string", readable: true, writable: false, ...options }];
}

function pressIn({ table, take }: { table: ActionTable; take: Take }, occasion: Occasion): string[] {
  const { value } = take(occasion);
  if (value === undefined || value === null || value === "" || typeof value === "object") return [];
  const press = String(value);
  if (table.map === undefined) return [press];
  return Object.hasOwn(table.map, press) ? [String(table.map[press])] : [];
}

function availableIn(
  { table, at, take }: { table: AvailabilityTable; at: string | undefined; take: Take },
  occasion: Occasion,
): boolean | undefined {
  // Whoever may fall silent, or says nothing of whether it is there, is there as soon as it speaks.
  if (at !== occasion.topic) return at === undefined || table.silent_secs !== undefined ? true : undefined;
  const { value } = take(occasion);
  const { available = "online", unavailable = "offline" } = table;
  if (String(value) === String(available)) return true;
  if (String(value) === String(unavailable)) return false;
  return typeof value === "boolean" ? value : undefined;
}

interface Ordered {
  /** Of the attribute, for errors. */
  name: string;
  command: CommandTable;
  /** In the hub's words. */
  value: Json;
  /** In the device's. */
  raw: Json;
}

/** Throws HubError `invalid`. */
function outgoingOf(
  ordered: readonly Ordered[],
  { parts, expressions }: { parts: Values; expressions: CompiledExpressions },
): Outgoing[] {
  const outgoing: Outgoing[] = [];
  const objects = new Map<string, { message: Outgoing; object: JsonObject }>();
  for (const { name, command, value, raw } of ordered) {
    const topic = fillTopic(command.topic, parts);
    if (topic === undefined)
      throw wrong(name, `the topic ${command.topic} cannot be made of what the device is called`);
    const { qos = 0, retain = false } = command;
    const sent = command.cel === undefined ? raw : computed(name, command.cel, { value, parts, expressions });
    if (command.pointer === undefined) {
      outgoing.push({ topic, qos, retain, payload: payloadOf(command, sent, parts) });
      continue;
    }
    const key = `${topic}\n${qos}${retain}`;
    const known = objects.get(key) ?? { message: { topic, qos, retain, payload: "" }, object: {} };
    if (!objects.has(key)) outgoing.push(known.message);
    objects.set(key, known);
    putAtPointer(known.object, command.pointer, sent);
    known.message.payload = JSON.stringify(known.object);
  }
  return outgoing;
}

function computed(
  name: string,
  cel: string,
  { value, parts, expressions }: { value: Json; parts: Values; expressions: CompiledExpressions },
): Json {
  const rgb = typeof value === "string" ? readRgb(value) : undefined;
  const result = expressions.writing(cel).run({ value, rgb: rgb ? { ...rgb } : null, parts });
  if (!result.ok) throw wrong(name, `its expression fails: ${result.problem}`);
  return result.value;
}

function payloadOf({ payload }: CommandTable, sent: Json, parts: Values): string {
  const value = typeof sent === "string" ? sent : JSON.stringify(sent);
  return payload === undefined ? value : (fill(payload, { ...parts, value }) ?? payload);
}

interface Word {
  attribute: Attribute;
  /** Adds it to what was read. */
  read(read: JsonObject): void;
  /** In the attribute's own words. Throws HubError `invalid`. */
  own(value: Json): Json;
}

/** `own`: the attribute that it is made of. */
function wordOf(table: AttributeTable, own: Attribute): Word | undefined {
  const { word: name } = table;
  if (name === undefined) return undefined;
  const { attribute, from, to } = conversionOf(name, table);
  return {
    attribute: { ...own, ...attribute, name, word: name, of: own.name, derived: true },
    read(read) {
      const value = read[own.name];
      const converted = value === undefined ? undefined : from(value);
      if (converted !== undefined) read[name] = converted;
    },
    own: (value) => to(value, name),
  };
}

function conversionOf(word: NonNullable<AttributeTable["word"]>, table: AttributeTable): Conversion {
  const { min = 0, max = 100, unit } = table;
  switch (word) {
    case "brightness_pct":
    case "volume_pct":
    case "position":
      return percentOf(min, max);
    case "speed_pct":
      // 0 is off, also where the range begins with it.
      return speedOf(Math.max(1, min), max);
    case "color_temp_k":
      return kelvinOf(Math.max(1, min), max);
    case "color_rgb":
      return RGB;
    case "current_temperature":
    case "target_temperature":
      return unit === "°F" ? celsiusOf(table) : SAME;
    default:
      return SAME;
  }
}

// By the type of the device.
const NAMED: Readonly<Record<string, readonly string[]>> = {
  light: ["brightness_pct", "color_temp_k", "color_rgb"],
  cover: ["position", "moving", "command", "tilt_pct"],
  valve: ["position", "moving", "command"],
  climate: ["current_temperature", "target_temperature", "mode", "action"],
  lock: ["locked", "lock_state"],
  fan: ["speed_pct"],
  vacuum: ["command", "state"],
  media: ["volume_pct"],
};

/** What a profile calls by the very name of a word is that word. */
function namedWord(name: string, deviceType: string | undefined): Pick<Attribute, "word"> {
  return name === "on" || NAMED[deviceType ?? ""]?.includes(name) ? { word: name } : {};
}
