// Covers: by command and by position, also of several in one device.
import { isObject, type Json } from "../../../../../kit/schema/json.ts";
import type { Attribute } from "../../../described.ts";
import { type Conversion, SAME, wrong } from "../../../words.ts";
import {
  type Commanded,
  type CommandKeys,
  type DescribedAttribute,
  numberOf,
  type Options,
  oneOf,
  type Reading,
  type SharedWord,
  textOf,
} from "../entity.ts";
import { jsonIn } from "../naming/names.ts";
import { renamed } from "../naming/naming.ts";
import { percentBetween, valueAs } from "../several.ts";
import { moving } from "./moving.ts";
import { keysOf } from "./parts.ts";
import { attributeOf, type Component } from "./simple.ts";

const STATES = ["open", "opening", "closed", "closing", "stopped"] as const;

export const cover: Component = (options) => {
  const { suffix, readings } = keysOf(options);
  const state = options.reading("state_topic", "value_template");
  const isMade = options.text("value_template") !== undefined && !state?.path;
  const key = state?.path?.at(-1) ?? "state";
  const name = key + suffix;
  const commanded = moves(options, name);
  const found: DescribedAttribute[] = [];
  if (state || commanded) {
    const read = state && !isMade && suffix !== "" ? readings(key) : state ? [state] : [];
    const ends = knowsPosition(options) ? [] : [endsWord(options, { name, commanded, payloads: payloadsOf(options) })];
    found.push(...stateOf(options, { name, isMade, commanded, readings: read, ends }));
    if (state) found.push(moving(options, read, { suffix, of: isMade ? `cover_${name}` : name }));
  }
  const values = [...position(options, { isCommanded: commanded !== undefined }), ...tilt(options)];
  const part = suffix === "" ? {} : { part: suffix.slice(1) };
  return [...found, ...values.map((one) => inPart(one, { suffix, readings }))].map((one) => ({
    ...one,
    attribute: { ...one.attribute, ...part },
  }));
};

/** What a template makes of several values is not the value that the device names `state`, which it can be sent all the same. */
function stateOf(
  options: Options,
  {
    name,
    isMade,
    commanded,
    readings,
    ends,
  }: {
    name: string;
    isMade: boolean;
    commanded: Commanded | undefined;
    readings: readonly Reading[];
    ends: readonly SharedWord[];
  },
): DescribedAttribute[] {
  const attribute = { type: "string", ...valuesOf(options, isMade ? undefined : commanded) } as const;
  const made = { ...attribute, name: isMade ? `cover_${name}` : name };
  const whole = attributeOf(options, made, { readings: readings.map((one) => textOf(one)), commanded });
  const commands = commanded ? [commandOf(Object.keys(payloadsOf(options)), name, commanded)] : [];
  // What never says where it is, is where it was sent.
  const momentary = readings.length > 0 ? { momentary: true as const } : {};
  if (!isMade) return [{ ...whole, also: [...ends, ...commands], ...momentary }];
  const sent = attributeOf(options, { type: "string", name, ...valuesOf(options, commanded) }, { commanded });
  return [
    { ...whole, attribute: { ...whole.attribute, writable: false }, commanded: undefined, also: ends },
    ...(commanded ? [{ ...sent, also: commands, momentary: true as const }] : []),
  ];
}

/** Where it can be commanded, what it takes, and what it only reports beside that. */
function valuesOf(
  options: Options,
  commanded: Commanded | undefined,
): Pick<Attribute, "options" | "reported" | "accepts"> {
  const states = STATES.flatMap((one) => options.text(`state_${one}`) ?? []);
  if (!commanded) return states.length > 0 ? { options: states } : {};
  const payloads = Object.values(payloadsOf(options));
  const others = (all: Iterable<string>): string[] => [...all].filter((one) => !payloads.includes(one));
  return { options: payloads, reported: others(states), accepts: others(meantBy(options).keys()) };
}

function knowsPosition(options: Options): boolean {
  return ["position_topic", "set_position_topic"].some((key) => options.topic(key) !== undefined);
}

function payloadsOf(options: Options): Record<string, string> {
  return {
    ...(options.config.payload_open !== null && { open: options.text("payload_open") ?? "OPEN" }),
    ...(options.config.payload_close !== null && { close: options.text("payload_close") ?? "CLOSE" }),
    ...(options.config.payload_stop !== null && { stop: options.text("payload_stop") ?? "STOP" }),
  };
}

function moves(options: Options, name: string): Commanded | undefined {
  const known = Object.values(payloadsOf(options));
  const meant = meantBy(options);
  return options.commanded(name, { topic: "command_topic", template: "command_template" }, (value) => {
    const payload = known.find((one) => one === value) ?? meant.get(String(value));
    if (payload === undefined) throw wrong(name, `must be one of ${known.join(", ")}`);
    return payload;
  });
}

/** Words of all covers, and what it reports at its ends, for what it is to be sent. */
function meantBy(options: Options): Map<string, string> {
  const payloads = payloadsOf(options);
  const { open, close } = payloads;
  const ends = [
    [options.text("state_open") ?? "open", open],
    [options.text("state_closed") ?? "closed", close],
  ] as const;
  return new Map([
    ...ends.flatMap(([said, payload]) => (payload === undefined ? [] : [[said, payload] as const])),
    ...Object.entries(payloads),
  ]);
}

/** The word `command`, which what is called `name` takes. */
export function commandOf(
  names: readonly string[],
  name: string,
  commanded: Commanded,
  said: (word: string) => Json = (word) => word,
): SharedWord {
  const check = oneOf("command", names);
  return {
    word: "command",
    commanded: { write: ({ command = null }) => commanded.write({ [name]: said(check(command) as string) }) },
    assumes: (command) => said(check(command) as string),
    conversion: { ...SAME, attribute: { type: "string", options: names, readable: false }, from: () => undefined },
  };
}

export interface Ends {
  open: number;
  closed: number;
}

export function endsOf(options: Options): Ends {
  return { open: options.number("position_open") ?? 100, closed: options.number("position_closed") ?? 0 };
}

/** 0–100 % between its ends; undefined where they are the same. */
function shareOf({ open, closed }: Ends): Conversion | undefined {
  if (open === closed) return undefined;
  return open === 100 && closed === 0 ? SAME : percentBetween(closed, open);
}

/** What command templates know beside the value: of a scale of its own, that is in percent. */
function variablesOf(options: Options, name: string, share: Conversion | undefined): CommandKeys["variables"] {
  const { open, closed } = endsOf(options);
  const [least, most] = [options.number("tilt_min") ?? 0, options.number("tilt_max") ?? 100];
  return (value) => ({
    ...{ position_open: open, position_closed: closed, tilt_min: least, tilt_max: most },
    [name]: share?.from(value) ?? value,
  });
}

function position(options: Options, { isCommanded }: { isCommanded: boolean }): DescribedAttribute[] {
  const command = {
    ...{ topic: "set_position_topic", template: "set_position_template" },
    variables: variablesOf(options, "position", shareOf(endsOf(options))),
  };
  const found = valueAs(options, {
    ...{ word: "position", type: "number", ...boundsOf(endsOf(options)) },
    state: ["position_topic", "position_template"],
    command,
  });
  return found.map((one) => positionOf(one, { ...endsOf(options), isCommanded }));
}

export function boundsOf({ open, closed }: Ends): { min: number; max: number; unit?: string } {
  const [min, max] = [Math.min(open, closed), Math.max(open, closed)];
  return { min, max, ...(min === 0 && max === 100 && { unit: "%" }) };
}

/** Where it is, in percent also on a scale of its own or upside down; a cover that takes no command is sent to its ends. */
export function positionOf(
  one: DescribedAttribute,
  { open, closed, isCommanded }: Ends & { isCommanded: boolean },
): DescribedAttribute {
  const share = shareOf({ open, closed });
  const { word: _word, ...attribute } = one.attribute;
  const isOwn = share !== SAME && attribute.name === "position";
  const bare = isOwn ? renamed({ ...one, attribute }, "position_raw") : one;
  const { name } = one.attribute;
  const readings = bare.readings.map((reading) => numberOf(keyOr(reading, "position")));
  const ends: Record<string, number> = { open, close: closed };
  const commands =
    one.commanded && !isCommanded && share
      ? [commandOf(Object.keys(ends), name, one.commanded, (word) => ends[word] ?? null)]
      : [];
  const placed = share === SAME ? (bare.also ?? []) : share ? [{ word: "position", conversion: share }] : [];
  return { ...bare, readings, also: [...placed, ...commands] };
}

/** 0–100 % of how far its slats are open. */
function tilt(options: Options): DescribedAttribute[] {
  const [least, most] = [options.number("tilt_min") ?? 0, options.number("tilt_max") ?? 100];
  const [opened, closed] = [options.number("tilt_opened_value"), options.number("tilt_closed_value")];
  // Said outright, it counts more than the range does.
  const isTurned = opened !== undefined && closed !== undefined && (opened - closed) * (most - least) < 0;
  const conversion = least === most ? undefined : isTurned ? percentBetween(most, least) : percentBetween(least, most);
  const found = valueAs(options, {
    ...{ word: "tilt", type: "number", min: Math.min(least, most), max: Math.max(least, most) },
    state: ["tilt_status_topic", "tilt_status_template"],
    command: {
      ...{ topic: "tilt_command_topic", template: "tilt_command_template" },
      variables: variablesOf(options, "tilt_position", conversion),
    },
  });
  const beside =
    options.text("tilt_status_topic") === undefined && options.reading("position_topic", "position_template");
  return found.map((one) => ({
    ...one,
    ...(beside && { readings: [numberOf(keyIn(beside, "tilt_position"))] }),
    ...(beside && { attribute: { ...one.attribute, readable: true } }),
    ...(conversion && { also: [...(one.also ?? []), { word: "tilt_pct", conversion }] }),
  }));
}

/** Of a JSON object, `{"state": "opening", "position": 10}`, or the whole. */
export function keyOr(reading: Reading, key: string): Reading {
  return { ...reading, read: (message) => partOf(reading, message, key, { isAlone: true }) };
}

function keyIn(reading: Reading, key: string): Reading {
  const template = `${reading.template ?? ""} ${key}`;
  return {
    ...reading,
    path: undefined,
    template,
    read: (message) => partOf(reading, message, key, { isAlone: false }),
  };
}

function partOf(
  reading: Reading,
  message: Parameters<Reading["read"]>[0],
  key: string,
  { isAlone }: { isAlone: boolean },
): Json | undefined {
  const json = isObject(message.json) && reading.template === undefined ? message.json : undefined;
  const value = json ? undefined : reading.read(message);
  const object = json ?? jsonIn(value);
  if (!isObject(object)) return isAlone ? value : undefined;
  return Object.hasOwn(object, key) ? (object[key] as Json) : undefined;
}

/** Named after its part, and read from what the whole device reports, too. */
function inPart(one: DescribedAttribute, { suffix, readings }: ReturnType<typeof keysOf>): DescribedAttribute {
  if (suffix === "") return one;
  const [reading] = one.readings;
  const key = reading?.path?.at(-1);
  const { name } = one.attribute;
  const more = key === undefined ? one.readings : readings(key);
  return { ...renamed(one, name.endsWith(suffix) ? name : name + suffix), readings: more };
}

/** Payloads, as they are announced. */
interface EndPayloads {
  open?: string | undefined;
  close?: string | undefined;
}

/** The word `position`, 0 or 100, of what is called `name`. */
function endsWord(
  options: Options,
  { name, commanded, payloads }: { name: string; commanded: Commanded | undefined; payloads: EndPayloads },
): SharedWord {
  const { open, close } = payloads;
  const isCommanded = commanded !== undefined && open !== undefined && close !== undefined;
  const toEnd = (value: Json, called: string): Json => {
    if (value !== 0 && value !== 100) throw wrong(called, "must be 0 (closed) or 100 (open): it knows nothing between");
    return (value === 100 ? open : close) ?? null;
  };
  return {
    word: "position",
    conversion: {
      attribute: { type: "number", unit: "%", min: 0, max: 100, step: 100, writable: isCommanded },
      from: endOf(options, payloads),
      to: toEnd,
    },
    ...(isCommanded && {
      assumes: (value) => toEnd(value, "position"),
      commanded: { write: ({ position = null }) => commanded.write({ [name]: toEnd(position, "position") }) },
    }),
  };
}

/**
 * At the end that it reports. One that never says that it is closed has come to its end when it stops; one that does, and stops on
 * its way down, is somewhere between, and nobody knows where.
 */
function endOf(options: Options, { open, close }: EndPayloads): Conversion["from"] {
  const state = (key: string): string => options.text(`state_${key}`) ?? key;
  const stop = options.text("payload_stop") ?? "STOP";
  const [opened, closed, opening, closing, stopped] = ["open", "closed", "opening", "closing", "stopped"].map(state);
  let last: "up" | "down" | undefined;
  let saysClosed = false;
  return (value) => {
    const said = String(value);
    if (said === closed) saysClosed = true;
    if (said === opening) last = "up";
    else if (said === closing) last = "down";
    else if (said === opened || said === open || said === "open") {
      last = "up";
      return 100;
    } else if (said === closed || said === close || said === "close") {
      last = "down";
      return 0;
    } else if (said === stopped) return last === undefined ? undefined : last === "up" ? 100 : saysClosed ? null : 0;
    // Of one that says nothing: commanded to stop, it is somewhere.
    else if (said === stop || said === "stop") return null;
    return undefined;
  };
}
