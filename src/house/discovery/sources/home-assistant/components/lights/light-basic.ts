// Lights that have a topic for each value.
import type { Json, JsonObject } from "../../../../../../kit/schema/json.ts";
import type { Message, Outgoing } from "../../../../described.ts";
import {
  booleanOf,
  type Commanded,
  type DescribedAttribute,
  numberOf,
  type Options,
  oneOf,
  onOff,
  type Reading,
  type SharedWord,
  textOf,
  within,
} from "../../entity.ts";
import { inOwnWord, switchName } from "../../naming/names.ts";
import { attributeOf } from "../simple.ts";
import {
  brightnessOf,
  type ColorMode,
  colorIn,
  colorOfText,
  colorText,
  type LightRange,
  rangeOf,
  warmthOf,
} from "./light-values.ts";

export function basicLight(options: Options): DescribedAttribute[] {
  options.needsTopic("command_topic");
  const range = rangeOf(options);
  const state =
    options.reading("state_topic", "state_value_template") ?? options.reading("state_topic", "value_template");
  const name = switchName(state?.path?.at(-1) ?? "state");
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const asPayload = onOff(name, on, off);
  const switched = options.commanded(name, { topic: "command_topic", template: "command_template" }, asPayload);
  const { values, lastBrightness } = remembering(valuesOf(options, range), range);
  const whole = commandsOf(options, { name, switched, values, lastBrightness });
  const main = attributeOf(
    options,
    { name, type: "boolean" },
    { readings: [state && booleanOf(state, on, off)], commanded: whole },
  );
  return [inOwnWord(main), ...values.map((one) => (one.commanded ? { ...one, commanded: whole } : one))];
}

interface Parts {
  /** Of what turns it on and off. */
  name: string;
  switched: Commanded | undefined;
  values: readonly DescribedAttribute[];
  lastBrightness: () => number;
}

/**
 * What lights it comes with what turns it on: before it, after it (as most lamps need it), or, where its brightness is what turns it
 * on, as the brightness that it had.
 */
function commandsOf(options: Options, { name, switched, values, lastBrightness }: Parts): Commanded {
  const order = options.text("on_command_type") ?? "last";
  const writers = new Map(
    values.flatMap(({ attribute, commanded }) => (commanded ? [[attribute.name, commanded]] : [])),
  );
  const written = (key: string, value: Json): Outgoing[] => writers.get(key)?.write({ [key]: value }) ?? [];
  const isByBrightness = order === "brightness" && writers.has("brightness");
  return {
    write({ [name]: wanted, ...styles }) {
      const isOn = wanted ?? styles.brightness !== 0;
      const switching = (): Outgoing[] => switched?.write({ [name]: isOn }) ?? [];
      const styled = Object.entries(styles).flatMap(([key, value]) => written(key, value as Json));
      if (isOn !== true) return wanted === undefined ? switching() : [...switching(), ...styled];
      if (isByBrightness) {
        const isLit = styles.brightness !== undefined || styles.white !== undefined;
        return isLit ? styled : [...styled, ...written("brightness", lastBrightness())];
      }
      return order === "first" ? [...switching(), ...styled] : [...styled, ...switching()];
    },
  };
}

/** With the brightness that it said last, while it was lit; at first all of it. */
function remembering(
  values: readonly DescribedAttribute[],
  { scale }: LightRange,
): { values: DescribedAttribute[]; lastBrightness: () => number } {
  let last = scale;
  const remembering = (reading: Reading): Reading => ({
    ...reading,
    read(message) {
      const value = reading.read(message);
      if (typeof value === "number" && value > 0) last = value;
      return value;
    },
  });
  return {
    values: values.map((one) =>
      one.attribute.name === "brightness" ? { ...one, readings: one.readings.map(remembering) } : one,
    ),
    lastBrightness: () => last,
  };
}

/** All but whether it is on. */
function valuesOf(options: Options, range: LightRange): DescribedAttribute[] {
  const [brightness, pct] = brightnessOf(range);
  const warmth = warmthOf(range);
  const effects = options.texts("effect_list");
  return [
    ...describedValue(options, "brightness", {
      ...{ attribute: brightness, also: pct, read: numberOf },
      check: within(brightness.name, 0, range.scale),
    }),
    ...describedValue(options, "color_temp", {
      ...{ attribute: warmth.attribute, also: warmth.also, read: numberOf },
      check: warmth.check,
    }),
    ...describedValue(options, "effect", {
      attribute: { name: "effect", type: "string", ...(effects && { options: effects }) },
      ...{ read: textOf, check: oneOf("effect", effects ?? []) },
    }),
    ...describedValue(options, "color_mode", { attribute: { name: "color_mode", type: "string" }, read: textOf }),
    ...describedValue(options, "white", {
      attribute: { name: "white", type: "number", min: 0, max: options.number("white_scale") ?? 255 },
      ...{ read: numberOf, check: within("white", 0, options.number("white_scale") ?? 255) },
    }),
    ...colorOf(options),
  ];
}

function describedValue(
  options: Options,
  what: string,
  {
    attribute,
    also,
    read,
    check = (value) => value,
  }: {
    attribute: Parameters<typeof attributeOf>[1];
    also?: SharedWord | undefined;
    read: (reading: Reading) => Reading;
    check?: (value: Json) => Json;
  },
): DescribedAttribute[] {
  const state = options.reading(`${what}_state_topic`, `${what}_value_template`);
  const keys = { topic: `${what}_command_topic`, template: `${what}_command_template` };
  const commanded = options.commanded(attribute.name, keys, check);
  if (!state && !commanded) return [];
  return [
    {
      ...attributeOf(options, attribute, { readings: [state && read(state)], commanded }),
      ...(also && { also: [also] }),
    },
  ];
}

const MODES: readonly ColorMode[] = ["rgb", "hs", "xy", "rgbw", "rgbww"];
// What command templates call the numbers of a colour.
const NAMES: Readonly<Record<string, string>> = {
  ...{ r: "red", g: "green", b: "blue", c: "cold_white", h: "hue", s: "sat", x: "x", y: "y" },
};

/** `255,128,0` on the wire. Of several ways to say a colour the light's first is read and commanded. */
function colorOf(options: Options): DescribedAttribute[] {
  const mode = MODES.find(
    (one) => options.topic(`${one}_command_topic`) !== undefined || options.topic(`${one}_state_topic`) !== undefined,
  );
  if (!mode) return [];
  const name = "color_rgb";
  const topic = options.topic(`${mode}_command_topic`);
  const template = options.template(`${mode}_command_template`);
  const state = options.reading(`${mode}_state_topic`, `${mode}_value_template`);
  const commanded: Commanded | undefined =
    topic === undefined
      ? undefined
      : {
          write(wanted) {
            const color = colorIn(mode).to(wanted[name] as Json, name) as JsonObject;
            const text = colorText(color);
            return [
              options.outgoing(topic, template ? template.write({ ...spelled(mode, color), value: text }) : text),
            ];
          },
        };
  const reading = state && { ...state, read: (message: Message) => colorOfText(mode, state.read(message)) };
  return [attributeOf(options, { name, type: "string", word: name }, { readings: [reading], commanded })];
}

function spelled(mode: ColorMode, color: JsonObject): Record<string, Json> {
  const white = mode === "rgbww" ? "warm_white" : "white";
  return Object.fromEntries(
    Object.entries(color).map(([key, value]) => [key === "w" ? white : (NAMES[key] ?? key), value as Json]),
  );
}
