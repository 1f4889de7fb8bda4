// Lights that are sent what templates make of all that is wanted.
import type { Json, JsonObject } from "../../../../../../kit/schema/json.ts";
import { hueOfRgb } from "../../../../colors.ts";
import type { Message } from "../../../../described.ts";
import { RGB } from "../../../../words.ts";
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
import { attributeOf } from "../simple.ts";
import { brightnessOf, rangeOf, warmthOf } from "./light-values.ts";

export function templateLight(options: Options): DescribedAttribute[] {
  const topic = options.needsTopic("command_topic");
  const [on, off] = [options.template("command_on_template"), options.template("command_off_template")];
  if (!on || !off) throw new Error("command_on_template and command_off_template are needed");
  const range = rangeOf(options);
  const [brightness, pct] = brightnessOf(range);
  const warmth = warmthOf(range);
  const effects = options.texts("effect_list") ?? [];
  const checks: Readonly<Record<string, (value: Json) => Json>> = {
    on: (value) => onOff("on", "on", "off")(value),
    [brightness.name]: within(brightness.name, 0, range.scale),
    [warmth.attribute.name]: warmth.check,
    effect: oneOf("effect", effects),
    transition: within("transition", 0, undefined, "s"),
    flash: oneOf("flash", ["short", "long"]),
  };
  const commanded: Commanded = {
    write(wanted) {
      const isOff = wanted.on === false;
      const values = { ...spelled(wanted, checks), state: isOff ? "off" : "on" };
      return [options.outgoing(topic, (isOff ? off : on).write(values))];
    },
  };
  const used = ["command_on_template", "command_off_template"].map((key) => options.text(key) ?? "").join(" ");
  const reading = (key: string): Reading | undefined =>
    options.text(key) === undefined ? undefined : options.reading("state_topic", key);
  /** Where a template reads it, or the commands speak of it. */
  const value = (
    key: string,
    attribute: Parameters<typeof attributeOf>[1],
    { also, read }: { also?: SharedWord | undefined; read: (one: Reading) => Reading },
  ): DescribedAttribute[] => {
    const state = reading(`${key}_template`);
    if (!state && !new RegExp(`\\b${key}\\b`).test(used)) return [];
    return [
      {
        ...attributeOf(options, attribute, { readings: [state && read(state)], commanded }),
        ...(also && { also: [also] }),
      },
    ];
  };
  const momentary = (one: DescribedAttribute): DescribedAttribute => ({ ...one, momentary: true });
  const state = reading("state_template");
  return [
    attributeOf(
      options,
      { name: "on", type: "boolean", word: "on" },
      { readings: [state && booleanOf(state, "on", "off")], commanded },
    ),
    ...value("brightness", brightness, { also: pct, read: numberOf }),
    ...value("color_temp", warmth.attribute, { also: warmth.also, read: numberOf }),
    ...color(options, { reading, used, commanded }),
    ...(effects.length > 0
      ? value("effect", { name: "effect", type: "string", options: effects }, { read: textOf })
      : []),
    ...value("transition", { name: "transition", type: "number", unit: "s", min: 0 }, { read: numberOf }).map(
      momentary,
    ),
    ...value("flash", { name: "flash", type: "string", options: ["short", "long"] }, { read: textOf }).map(momentary),
  ];
}

/** Read from three templates, one for each of red, green and blue. */
function color(
  options: Options,
  { reading, used, commanded }: { reading: (key: string) => Reading | undefined; used: string; commanded: Commanded },
): DescribedAttribute[] {
  const [red, green, blue] = ["red", "green", "blue"].map((one) => reading(`${one}_template`));
  if (!/\b(red|hue)\b/.test(used) && !red) return [];
  const whole = red &&
    green &&
    blue && {
      ...{ topic: red.topic, path: undefined },
      read(message: Message): Json | undefined {
        const [r, g, b] = [red, green, blue].map((one) => numberOf(one).read(message));
        return RGB.from({ r: r ?? null, g: g ?? null, b: b ?? null });
      },
    };
  return [
    attributeOf(options, { name: "color_rgb", type: "string", word: "color_rgb" }, { readings: [whole], commanded }),
  ];
}

/** As command templates name it. Throws HubError `invalid`. */
function spelled(wanted: JsonObject, checks: Readonly<Record<string, (value: Json) => Json>>): Record<string, Json> {
  const values: Record<string, Json> = {};
  for (const [name, value] of Object.entries(wanted)) {
    if (name === "color_rgb") {
      const rgb = RGB.to(value as Json, name) as { r: number; g: number; b: number };
      const { hue, saturation } = hueOfRgb(rgb);
      Object.assign(values, { red: rgb.r, green: rgb.g, blue: rgb.b, hue, sat: saturation });
    } else if (name === "color_temp_k") values.color_temp = checks[name]?.(value as Json) ?? null;
    else values[name] = checks[name]?.(value as Json) ?? (value as Json);
  }
  return values;
}
