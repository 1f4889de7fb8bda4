// Lights, in the three forms that Home Assistant knows: as JSON, one topic for each value, and by templates.
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import type { Message } from "../../described.ts";
import { type Conversion, kelvinOf, percentOf, RGB, wrong } from "../../words.ts";
import {
  booleanOf,
  type Commanded,
  type DescribedAttribute,
  numberOf,
  type Options,
  oneOf,
  onOff,
  type Reading,
  textOf,
  within,
} from "./entity.ts";
import { switchName } from "./names.ts";
import { attributeOf, type Component } from "./simple.ts";

export const light: Component = (options) => {
  switch (options.text("schema") ?? "basic") {
    case "json":
      return jsonLight(options);
    case "template":
      return templateLight(options);
    default:
      return basicLight(options);
  }
};

const COLORS = ["hs", "xy", "rgb", "rgbw", "rgbww"];

interface Range {
  /** Of the brightness. */
  scale: number;
  coolest: number;
  warmest: number;
  inKelvin: boolean;
}

function rangeOf(options: Options): Range {
  const inKelvin = options.is("color_temp_kelvin");
  const mired = (key: string): number | undefined => {
    const kelvin = options.number(key);
    return kelvin === undefined ? undefined : Math.round(1_000_000 / kelvin);
  };
  return {
    scale: options.number("brightness_scale") ?? 255,
    coolest: options.number("min_mireds") ?? mired("max_kelvin") ?? 153,
    warmest: options.number("max_mireds") ?? mired("min_kelvin") ?? 500,
    inKelvin,
  };
}

const withWord = (one: DescribedAttribute, name: string, conversion: Conversion): DescribedAttribute => ({
  ...one,
  also: { name, conversion },
});

/** Of a key of the light's own JSON object. */
function keyOf(topic: string, key: string): Reading {
  return {
    topic,
    path: [key],
    read: ({ json }: Message) => (isObject(json) && Object.hasOwn(json, key) ? (json[key] as Json) : undefined),
  };
}

/**
 * One message carries all. A lamp of several ends in the name of its part (`…/l1`); the whole device may report such a part
 * with that suffix on each key.
 */
function jsonLight(options: Options): DescribedAttribute[] {
  const command = options.needsTopic("command_topic");
  const state = options.topic("state_topic");
  const part = /^(.+)\/(\w+)$/.exec(state ?? "");
  const partName = part && command.startsWith(`${state}/`) ? part[2] : undefined;
  const suffix =
    partName !== undefined && options.entity.config.name !== undefined && isPart(options, partName)
      ? `_${partName}`
      : "";
  const readings = (key: string): Reading[] => {
    if (state === undefined) return [];
    const own = keyOf(state, key);
    return suffix === "" ? [own] : [own, keyOf(part?.[1] ?? "", key + suffix)];
  };
  const modes = options.texts("supported_color_modes") ?? [];
  const range = rangeOf(options);
  const commanded: Commanded = { write: (wanted) => [options.outgoing(command, jsonOf(wanted, suffix))] };
  const found: DescribedAttribute[] = [];
  const add = (
    key: string,
    attribute: Parameters<typeof attributeOf>[1],
    convert: (one: Reading) => Reading = (one) => one,
  ) => {
    const made = attributeOf(options, attribute, { readings: readings(key).map(convert), commanded });
    found.push(made);
    return made;
  };
  add("state", { name: `on${suffix}`, type: "boolean" }, (one) => booleanOf(one, "ON", "OFF"));
  const dims = options.is("brightness") || modes.some((mode) => mode !== "onoff");
  if (dims) {
    const one = add("brightness", { name: `brightness${suffix}`, type: "number", min: 0, max: range.scale });
    one.also = { name: `brightness_pct${suffix}`, conversion: percentOf(0, range.scale) };
  }
  if (modes.includes("color_temp") || options.is("color_temp")) {
    const { coolest, warmest } = range;
    const one = add("color_temp", {
      name: `color_temp${suffix}`,
      type: "number",
      unit: "mired",
      min: coolest,
      max: warmest,
    });
    one.also = { name: `color_temp_k${suffix}`, conversion: kelvinOf(coolest, warmest) };
  }
  if (modes.some((mode) => COLORS.includes(mode))) {
    const one = add("color", { name: `color${suffix}`, type: "object" });
    one.also = { name: `color_rgb${suffix}`, conversion: RGB };
  }
  const effects = options.texts("effect_list");
  if (options.is("effect") && effects) add("effect", { name: `effect${suffix}`, type: "string", options: effects });
  return found;
}

/** Named after its end of the topic, as zigbee2mqtt names "L1". */
function isPart(options: Options, part: string): boolean {
  return String(options.config.name).toLowerCase().replaceAll(" ", "_") === part.toLowerCase();
}

function jsonOf(wanted: JsonObject, suffix: string): string {
  const payload: JsonObject = {};
  for (const [name, value] of Object.entries(wanted)) {
    const key = name.slice(0, name.length - suffix.length);
    if (key === "on") payload.state = onOff(name, "ON", "OFF")(value as Json);
    else payload[key] = checkedLight(key, name, value as Json);
  }
  return JSON.stringify(payload);
}

function checkedLight(key: string, name: string, value: Json): Json {
  if ((key === "brightness" || key === "color_temp") && typeof value !== "number")
    throw wrong(name, "must be a number");
  if (key === "color" && !isObject(value)) throw wrong(name, "must be an object such as {x, y} or {h, s}");
  if (key === "effect" && typeof value !== "string") throw wrong(name, "must be a text");
  return value;
}

/** A topic for each value. */
function basicLight(options: Options): DescribedAttribute[] {
  options.needsTopic("command_topic");
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const range = rangeOf(options);
  const found: DescribedAttribute[] = [];
  const state =
    options.reading("state_topic", "state_value_template") ?? options.reading("state_topic", "value_template");
  const name = switchName(state?.path?.at(-1) ?? "state");
  const commanded = options.commanded(
    name,
    { topic: "command_topic", template: "command_template" },
    onOff(name, on, off),
  );
  found.push(
    attributeOf(options, { name, type: "boolean" }, { readings: [state && booleanOf(state, on, off)], commanded }),
  );
  const brightness = valueAs(options, "brightness", "number", within("brightness", 0, range.scale));
  if (brightness) found.push(withWord(brightness, "brightness_pct", percentOf(0, range.scale)));
  const { coolest, warmest, inKelvin } = range;
  const warmth = inKelvin ? "color_temp_k" : "color_temp";
  const temperature = valueAs(options, "color_temp", "number", within(warmth, undefined, undefined), warmth);
  if (temperature)
    found.push(inKelvin ? temperature : withWord(temperature, "color_temp_k", kelvinOf(coolest, warmest)));
  const effects = options.texts("effect_list") ?? [];
  const effect = valueAs(options, "effect", "string", oneOf("effect", effects));
  if (effect) found.push(effect);
  const rgb = rgbOf(options);
  return rgb ? [...found, rgb] : found;
}

function valueAs(
  options: Options,
  what: string,
  type: "number" | "string",
  check: (value: Json) => Json,
  name = what,
): DescribedAttribute | undefined {
  const state = options.reading(`${what}_state_topic`, `${what}_value_template`);
  const commanded = options.commanded(
    name,
    { topic: `${what}_command_topic`, template: `${what}_command_template` },
    check,
  );
  if (!state && !commanded) return undefined;
  const reading = state && (type === "number" ? numberOf(state) : textOf(state));
  return attributeOf(options, { name, type }, { readings: [reading], commanded });
}

/** `255,128,0` on the wire. */
function rgbOf(options: Options): DescribedAttribute | undefined {
  const state = options.reading("rgb_state_topic", "rgb_value_template");
  const topic = options.topic("rgb_command_topic");
  if (!state && topic === undefined) return undefined;
  const template = options.template("rgb_command_template");
  const name = "color_rgb";
  const commanded: Commanded | undefined =
    topic === undefined
      ? undefined
      : {
          write(wanted) {
            const { r, g, b } = RGB.to(wanted[name] as Json, name) as { r: number; g: number; b: number };
            const payload = template
              ? template.write({ red: r, green: g, blue: b, value: `${r},${g},${b}` })
              : `${r},${g},${b}`;
            return [options.outgoing(topic, payload)];
          },
        };
  const reading = state && { ...state, read: (message: Message) => rgbIn(state.read(message)) };
  return attributeOf(options, { name, type: "string" }, { readings: [reading], commanded });
}

function rgbIn(value: Json | undefined): Json | undefined {
  const [r, g, b] = typeof value === "string" ? value.split(",").map(Number) : [];
  if (r === undefined || g === undefined || b === undefined || [r, g, b].some(Number.isNaN)) return undefined;
  return RGB.from({ r, g, b });
}

/** What is sent is made by templates from all that is wanted. */
function templateLight(options: Options): DescribedAttribute[] {
  const command = options.needsTopic("command_topic");
  const [on, off] = [options.template("command_on_template"), options.template("command_off_template")];
  if (!on || !off) throw new Error("command_on_template and command_off_template are needed");
  const commanded: Commanded = {
    write(wanted) {
      if (wanted.on === false) return [options.outgoing(command, off.write({ state: "off", ...numbersOf(wanted) }))];
      return [options.outgoing(command, on.write({ state: "on", ...numbersOf(wanted) }))];
    },
  };
  const reading = (key: string) => options.reading("state_topic", key);
  const state = reading("state_template");
  const found = [
    attributeOf(
      options,
      { name: "on", type: "boolean" },
      { readings: [state && booleanOf(state, "on", "off")], commanded },
    ),
  ];
  const brightness = reading("brightness_template");
  if (
    options.text("brightness_template") !== undefined ||
    (options.text("command_on_template") ?? "").includes("brightness")
  ) {
    const one = attributeOf(
      options,
      { name: "brightness", type: "number", min: 0, max: 255 },
      { readings: [brightness && numberOf(brightness)], commanded },
    );
    found.push(withWord(one, "brightness_pct", percentOf(0, 255)));
  }
  const warmth = options.text("color_temp_template") === undefined ? undefined : reading("color_temp_template");
  if (warmth) {
    const { coolest, warmest } = rangeOf(options);
    const one = attributeOf(
      options,
      { name: "color_temp", type: "number", min: coolest, max: warmest },
      { readings: [numberOf(warmth)], commanded },
    );
    found.push(withWord(one, "color_temp_k", kelvinOf(coolest, warmest)));
  }
  const effects = options.texts("effect_list");
  if (effects) {
    const effect = options.text("effect_template") === undefined ? undefined : reading("effect_template");
    found.push(
      attributeOf(
        options,
        { name: "effect", type: "string", options: effects },
        { readings: [effect && textOf(effect)], commanded },
      ),
    );
  }
  return found;
}

function numbersOf({ on: _on, ...wanted }: JsonObject): Record<string, Json> {
  return wanted as Record<string, Json>;
}
