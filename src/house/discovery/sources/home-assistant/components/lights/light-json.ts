// Lights that take one JSON message for all.
import { isObject, type Json, type JsonObject } from "../../../../../../kit/schema/json.ts";
import { wrong } from "../../../../words.ts";
import {
  booleanOf,
  type Commanded,
  type DescribedAttribute,
  type Options,
  oneOf,
  onOff,
  type Reading,
  within,
} from "../../entity.ts";
import { keysOf } from "../parts.ts";
import { attributeOf } from "../simple.ts";
import { brightnessOf, colorIn, colorModeOf, partIn, rangeOf, warmthOf } from "./light-values.ts";

/** What one attribute is on the wire. Throws HubError `invalid`. */
type Encode = (value: Json) => [key: string, value: Json];

export function jsonLight(options: Options): DescribedAttribute[] {
  const topic = options.needsTopic("command_topic");
  const { suffix, readings } = keysOf(options);
  const modes = options.texts("supported_color_modes") ?? [];
  const range = rangeOf(options);
  const encoders = new Map<string, Encode>();
  const commanded: Commanded = { write: (wanted) => [options.outgoing(topic, written(wanted, encoders))] };
  const found: DescribedAttribute[] = [];

  function add(
    key: string,
    attribute: Parameters<typeof attributeOf>[1],
    { check, convert = (one) => one }: { check: (value: Json) => Json; convert?: (one: Reading) => Reading },
  ): DescribedAttribute {
    encoders.set(attribute.name, (value) => [key, check(value)]);
    const made = attributeOf(options, attribute, { readings: readings(key).map(convert), commanded });
    found.push(made);
    return made;
  }

  const [on, part] = [`on${suffix}`, partIn(suffix)];
  add(
    "state",
    { name: on, type: "boolean", word: "on", ...part },
    {
      check: onOff(on, "ON", "OFF"),
      convert: (one) => booleanOf(one, "ON", "OFF"),
    },
  );
  if (options.is("brightness") || modes.some((mode) => mode !== "onoff")) {
    const [attribute, also] = brightnessOf(range, suffix);
    add("brightness", attribute, { check: within(attribute.name, 0, range.scale) }).also = [also];
  }
  if (modes.includes("color_temp") || options.is("color_temp")) {
    const { attribute, also, check } = warmthOf(range, suffix);
    const made = add("color_temp", attribute, { check });
    if (also) made.also = [also];
  }
  const mode = colorModeOf(modes);
  if (mode) {
    const name = `color${suffix}`;
    add("color", { name, type: "object", ...part }, { check: asColor(name) }).also = [
      { word: "color_rgb", conversion: colorIn(mode) },
    ];
  }
  const effects = options.texts("effect_list");
  if (options.is("effect") && effects) {
    const name = `effect${suffix}`;
    add("effect", { name, type: "string", options: effects }, { check: oneOf(name, effects) });
  }
  return [...found, ...manners(options, { suffix, modes, encoders, commanded, scale: range.scale })];
}

/** How a command is carried out, rather than how the light is. */
function manners(
  options: Options,
  {
    suffix,
    modes,
    encoders,
    commanded,
    scale,
  }: {
    suffix: string;
    modes: readonly string[];
    encoders: Map<string, Encode>;
    commanded: Commanded;
    scale: number;
  },
): DescribedAttribute[] {
  const found: DescribedAttribute[] = [];
  const add = (name: string, attribute: Omit<Parameters<typeof attributeOf>[1], "name">, encode: Encode): void => {
    encoders.set(name, encode);
    found.push({ ...attributeOf(options, { ...attribute, name }, { commanded }), momentary: true });
  };
  const transition = `transition${suffix}`;
  if (options.config.transition !== false)
    add(transition, { type: "number", unit: "s", min: 0 }, (value) => [
      "transition",
      within(transition, 0, undefined, "s")(value),
    ]);
  const flash = `flash${suffix}`;
  const lengths = { short: options.number("flash_time_short") ?? 2, long: options.number("flash_time_long") ?? 10 };
  if (options.config.flash !== false)
    add(flash, { type: "string", options: Object.keys(lengths) }, (value) => [
      "flash",
      lengths[oneOf(flash, Object.keys(lengths))(value) as keyof typeof lengths],
    ]);
  const white = `white${suffix}`;
  if (modes.includes("white"))
    add(white, { type: "number", min: 0, max: scale }, (value) => ["white", within(white, 0, scale)(value)]);
  return found;
}

function written(wanted: JsonObject, encoders: ReadonlyMap<string, Encode>): string {
  const payload: JsonObject = {};
  for (const [name, value] of Object.entries(wanted)) {
    const [key, encoded] = encoders.get(name)?.(value as Json) ?? [name, value as Json];
    payload[key] = encoded;
  }
  return JSON.stringify(lit(payload));
}

/** What lights a lamp besides `state`. */
const LIGHTING = ["brightness", "color_temp", "color", "effect", "flash", "white"];

/** A lamp is commanded to be on with what lights it: there are some that take the rest only beside it. At no brightness it is off. */
function lit(payload: JsonObject): JsonObject {
  if (payload.state !== undefined || !LIGHTING.some((key) => Object.hasOwn(payload, key))) return payload;
  const { brightness, ...rest } = payload;
  return brightness === 0 ? { state: "OFF", ...rest } : { state: "ON", ...payload };
}

function asColor(name: string): (value: Json) => Json {
  return (value) => {
    if (!isObject(value)) throw wrong(name, "must be an object such as {x, y} or {h, s}");
    return value;
  };
}
