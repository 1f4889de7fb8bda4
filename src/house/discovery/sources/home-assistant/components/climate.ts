// Thermostats, water heaters and humidifiers, which are set alike.
import type { Json } from "../../../../../kit/schema/json.ts";
import { type Conversion, celsiusOf, SAME } from "../../../words.ts";
import {
  booleanOf,
  type Commanded,
  type DescribedAttribute,
  type Options,
  onOff,
  quietly,
  type Reading,
} from "../entity.ts";
import { inOwnWord, switchName } from "../naming/names.ts";
import { renamed } from "../naming/naming.ts";
import { stateAnd, type Value, valueAs } from "../several.ts";
import { modeOf, power } from "./climate-mode.ts";
import { attributeOf, type Component } from "./simple.ts";

/** What a kind of device takes where it does not say so itself. */
interface Defaults {
  minTemp: number;
  maxTemp: number;
  modes: readonly string[];
}

export const climate: Component = (options) =>
  climateOf(options, { minTemp: 7, maxTemp: 35, modes: ["auto", "off", "cool", "heat", "dry", "fan_only"] });

export const waterHeater: Component = (options) =>
  climateOf(options, {
    ...{ minTemp: 43.3, maxTemp: 60 },
    modes: ["off", "eco", "electric", "gas", "heat_pump", "high_demand", "performance"],
  });

/** One of several is named so, and what it reads ends so: `local_temperature_th1` of "Th1". */
function climateOf(options: Options, defaults: Defaults): DescribedAttribute[] {
  const found = heated(options, defaults);
  const name = options.text("name")?.toLowerCase().replaceAll(" ", "_");
  const isOf = ({ attribute }: DescribedAttribute): boolean => attribute.name.endsWith(`_${name}`);
  if (!name || !found.some(isOf)) return found;
  return found.map((one) => {
    if (isOf(one) || one.attribute.word !== undefined) return { ...one, attribute: { ...one.attribute, part: name } };
    return one.also ? { ...one, also: one.also.map((word) => ({ ...word, part: name })) } : one;
  });
}

function heated(options: Options, { minTemp, maxTemp, modes }: Defaults): DescribedAttribute[] {
  const isFahrenheit = options.text("temperature_unit") === "F";
  const unit = isFahrenheit ? "°F" : "°C";
  const inUnit = (celsius: number): number => (isFahrenheit ? Math.round(celsius * 1.8 + 32) : celsius);
  const [min, max] = [options.number("min_temp") ?? inUnit(minTemp), options.number("max_temp") ?? inUnit(maxTemp)];
  const step = options.number("temp_step") ?? 1;
  const degrees = { type: "number", min, max, step, unit } as const;
  const temperature = (value: Value): DescribedAttribute[] =>
    valueAs(options, value).map((one) => (isFahrenheit ? inCelsius(one, value.word) : one));
  const mode = modeOf(options, options.texts("modes") ?? modes);
  return [
    ...temperature({
      ...{ word: "current_temperature", type: "number", unit },
      state: ["current_temperature_topic", "current_temperature_template"],
    }),
    ...targets((word, key) => temperature({ word, ...degrees, ...stateAnd(key) }), {
      ...{ mode: mode[0]?.readings[0], isFahrenheit },
    }),
    ...humidity(options, [30, 99]),
    ...mode,
    ...listed(options, "fan_mode", options.texts("fan_modes") ?? ["auto", "low", "medium", "high"]),
    ...listed(options, "swing_mode", options.texts("swing_modes") ?? ["on", "off"]),
    ...listed(options, "swing_horizontal_mode", options.texts("swing_horizontal_modes") ?? ["on", "off"]),
    ...valueAs(options, {
      ...{ word: "preset_mode", type: "string", options: presets(options) },
      state: ["preset_mode_state_topic", "preset_mode_value_template"],
      command: { topic: "preset_mode_command_topic", template: "preset_mode_command_template" },
    }),
    ...valueAs(options, {
      ...{ word: "action", type: "string", conversion: ACTION, isMade: true },
      state: ["action_topic", "action_template"],
    }),
    ...power(options),
  ];
}

const ACTIONS = ["heating", "cooling", "drying", "fan", "idle", "off", "preheating", "defrosting"];
// What devices call them that name no activity but a mode.
const ACTION_OF_MODE: Readonly<Record<string, string>> = {
  ...{ heat: "heating", cool: "cooling", dry: "drying", fan_only: "fan", preheat: "preheating", defrost: "defrosting" },
};
const ACTION: Conversion = {
  ...SAME,
  attribute: { type: "string", options: ACTIONS },
  from(value) {
    const text = String(value);
    const action = ACTION_OF_MODE[text] ?? text;
    return ACTIONS.includes(action) ? action : undefined;
  },
};

function targets(
  temperature: (word: string, key: string) => DescribedAttribute[],
  { mode, isFahrenheit }: { mode: Reading | undefined; isFahrenheit: boolean },
): DescribedAttribute[] {
  const one = temperature("target_temperature", "temperature");
  const [high] = temperature("target_temperature_high", "temperature_high");
  const [low] = temperature("target_temperature_low", "temperature_low");
  const both = [high, low].filter((side) => side !== undefined);
  const [only] = both;
  if (one.length > 0 || !only) return [...one, ...both];
  const conversion = isFahrenheit ? celsiusOf(only.attribute) : SAME;
  if (!high || !low) return [{ ...only, also: [...(only.also ?? []), { word: "target_temperature", conversion }] }];
  return [high, low, eitherTarget({ high, low, mode, conversion })];
}

interface Target {
  high: DescribedAttribute;
  low: DescribedAttribute;
  mode: Reading | undefined;
  conversion: Conversion;
}

/** Of what is set to two degrees, for heating and for cooling: the one of its mode. */
function eitherTarget({ high, low, mode, conversion }: Target): DescribedAttribute {
  const last = new Map<DescribedAttribute, Json>();
  let now = low;
  const said = (): Json | undefined => {
    const value = last.get(now);
    return typeof value === "number" ? conversion.from(value) : value;
  };
  const remembered = ({ topic, read, template }: Reading, take: (value: Json) => void): Reading => ({
    ...{ topic, path: undefined, template: `${template ?? ""} target` },
    read(message) {
      const value = quietly(() => read(message));
      if (value === undefined) return undefined;
      take(value);
      return said();
    },
  });
  const readings = [
    ...(mode ? [remembered(mode, (value) => (now = value === "cool" ? high : low))] : []),
    ...[low, high].flatMap((one) =>
      one.readings.map((reading) => remembered(reading, (value) => last.set(one, value))),
    ),
  ];
  const commanded: Commanded = {
    write({ target_temperature: wanted = null }) {
      const { commanded: set, attribute, key } = now;
      return set?.write({ [key ?? attribute.name]: conversion.to(wanted, "target_temperature") }) ?? [];
    },
  };
  const { description: _description, name: of, ...kind } = low.attribute;
  const name = "target_temperature";
  return {
    attribute: { ...kind, ...conversion.attribute, ...{ name, word: name, derived: true, of } },
    ...{ readings, ...(low.commanded && high.commanded && { commanded }) },
  };
}

function presets(options: Options): string[] | undefined {
  const listed = options.texts("preset_modes");
  return listed && [...new Set([...listed, "none"])];
}

function listed(options: Options, word: string, values: readonly string[]): DescribedAttribute[] {
  return valueAs(options, { word, type: "string", options: values, ...stateAnd(word) });
}

function humidity(options: Options, [least, most]: [number, number]): DescribedAttribute[] {
  const [min, max] = [options.number("min_humidity") ?? least, options.number("max_humidity") ?? most];
  return [
    ...valueAs(options, {
      ...{ word: "current_humidity", type: "number", unit: "%" },
      state: ["current_humidity_topic", "current_humidity_template"],
    }),
    ...valueAs(options, {
      word: "target_humidity",
      type: "number",
      min,
      max,
      unit: "%",
      ...stateAnd("target_humidity"),
    }),
  ];
}

/** The shared words are in °C, whatever the device speaks. */
function inCelsius(one: DescribedAttribute, word: string): DescribedAttribute {
  const { word: _word, ...attribute } = one.attribute;
  const own = attribute.name === word ? renamed({ ...one, attribute }, `${word}_f`) : one;
  return { ...own, also: [{ word, conversion: celsiusOf(attribute) }] };
}

export const humidifier: Component = (options) => {
  options.needsTopic("target_humidity_command_topic");
  options.needsTopic("command_topic");
  const state = options.reading("state_topic", "state_value_template");
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const name = switchName(state?.path?.at(-1) ?? "state");
  const command = { topic: "command_topic", template: "command_template" };
  const asPayload: (value: Json) => Json = onOff(name, on, off);
  const commanded = options.commanded(name, command, asPayload);
  return [
    inOwnWord(
      attributeOf(options, { name, type: "boolean" }, { readings: [state && booleanOf(state, on, off)], commanded }),
    ),
    ...humidity(options, [0, 100]),
    ...listed(options, "mode", options.texts("modes") ?? []).map(itsOwn),
    ...valueAs(options, { word: "action", type: "string", state: ["action_topic", "action_template"] }).map(itsOwn),
  ];
};

/** What a humidifier calls mode and action is not what a climate does. */
function itsOwn(one: DescribedAttribute): DescribedAttribute {
  const { word: _word, ...attribute } = one.attribute;
  return { ...one, attribute };
}
