// Lights that have a topic for each value.
import type { Json, JsonObject } from "../../../core/json.ts";
import type { Message, Outgoing } from "../../described.ts";
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
} from "./entity.ts";
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
import { inOwnWord, switchName } from "./names.ts";
import { attributeOf } from "./simple.ts";

export function basicLight(options: Options): DescribedAttribute[] {
  options.needsTopic("command_topic");
  const range = rangeOf(options);
  const state =
    options.reading("state_topic", "state_value_template") ?? options.reading("state_topic", "value_template");
  const name = switchName(state?.path?.at(-1) ?? "state");
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const order = options.text("on_command_type") ?? "last";
  const asPayload = onOff(name, on, off);
  const switched = options.commanded(name, { topic: "command_topic", template: "command_template" }, asPayload);
  const values = valuesOf(options, range);
  const writers = new Map(
    values.flatMap(({ attribute, commanded }) => (commanded ? [[attribute.name, commanded]] : [])),
  );
  const whole: Commanded = {
    write({ [name]: isOn, ...styles }) {
      const styled = Object.entries(styles).flatMap(
        ([key, value]) => writers.get(key)?.write({ [key]: value as Json }) ?? [],
      );
      if (isOn === undefined) return styled;
      // Its brightness is what switches it on.
      if (order === "brightness" && isOn === true && writers.has("brightness"))
        return styles.brightness === undefined ? brightest(writers, range).concat(styled) : styled;
      const switching = switched?.write({ [name]: isOn as Json }) ?? [];
      return order === "first" || isOn === false ? [...switching, ...styled] : [...styled, ...switching];
    },
  };
  const main = attributeOf(
    options,
    { name, type: "boolean" },
    { readings: [state && booleanOf(state, on, off)], commanded: whole },
  );
  return [inOwnWord(main), ...values.map((one) => (one.commanded ? { ...one, commanded: whole } : one))];
}

function brightest(writers: ReadonlyMap<string, Commanded>, { scale }: LightRange): Outgoing[] {
  return writers.get("brightness")?.write({ brightness: scale }) ?? [];
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
