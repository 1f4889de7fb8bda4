// Thermostats, water heaters and humidifiers, which are set alike.
import type { Json } from "../../../core/json.ts";
import type { Conversion } from "../../words.ts";
import { wrong } from "../../words.ts";
import { booleanOf, type DescribedAttribute, type Options, onOff } from "./entity.ts";
import { switchName } from "./names.ts";
import { renamed } from "./naming.ts";
import { stateAnd, type Value, valueAs } from "./several.ts";
import { attributeOf, type Component } from "./simple.ts";

/** What a kind of device takes where it does not say so itself. */
interface Defaults {
  minTemp: number;
  maxTemp: number;
  modes: readonly string[];
}

export const climate: Component = (options) =>
  heated(options, { minTemp: 7, maxTemp: 35, modes: ["auto", "off", "cool", "heat", "dry", "fan_only"] });

export const waterHeater: Component = (options) =>
  heated(options, {
    ...{ minTemp: 43.3, maxTemp: 60 },
    modes: ["off", "eco", "electric", "gas", "heat_pump", "high_demand", "performance"],
  });

function heated(options: Options, { minTemp, maxTemp, modes }: Defaults): DescribedAttribute[] {
  const isFahrenheit = options.text("temperature_unit") === "F";
  const unit = isFahrenheit ? "°F" : "°C";
  const inUnit = (celsius: number): number => (isFahrenheit ? Math.round(celsius * 1.8 + 32) : celsius);
  const [min, max] = [options.number("min_temp") ?? inUnit(minTemp), options.number("max_temp") ?? inUnit(maxTemp)];
  const step = options.number("temp_step") ?? 1;
  const degrees = { type: "number", min, max, step, unit } as const;
  const temperature = (value: Value): DescribedAttribute[] =>
    valueAs(options, value).map((one) => (isFahrenheit ? inCelsius(one, value.word) : one));
  return [
    ...temperature({
      ...{ word: "current_temperature", type: "number", unit },
      state: ["current_temperature_topic", "current_temperature_template"],
    }),
    ...temperature({ word: "target_temperature", ...degrees, ...stateAnd("temperature") }),
    ...temperature({ word: "target_temperature_high", ...degrees, ...stateAnd("temperature_high") }),
    ...temperature({ word: "target_temperature_low", ...degrees, ...stateAnd("temperature_low") }),
    ...humidity(options, [30, 99]),
    ...listed(options, "mode", options.texts("modes") ?? modes),
    ...listed(options, "fan_mode", options.texts("fan_modes") ?? ["auto", "low", "medium", "high"]),
    ...listed(options, "swing_mode", options.texts("swing_modes") ?? ["on", "off"]),
    ...listed(options, "swing_horizontal_mode", options.texts("swing_horizontal_modes") ?? ["on", "off"]),
    ...valueAs(options, {
      ...{ word: "preset_mode", type: "string", options: presets(options) },
      state: ["preset_mode_state_topic", "preset_mode_value_template"],
      command: { topic: "preset_mode_command_topic", template: "preset_mode_command_template" },
    }),
    ...valueAs(options, { word: "action", type: "string", state: ["action_topic", "action_template"] }),
    ...power(options),
  ];
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
  const { name, min, max } = one.attribute;
  const own = name === word ? renamed(one, `${word}_f`) : one;
  return { ...own, also: { name: word, conversion: celsiusOf(min, max) } };
}

function celsiusOf(min: number | undefined, max: number | undefined): Conversion {
  const celsius = (fahrenheit: number): number => Math.round(((fahrenheit - 32) / 1.8) * 10) / 10;
  const bounds = {
    ...(min !== undefined && { min: celsius(min) }),
    ...(max !== undefined && { max: celsius(max) }),
  };
  return {
    attribute: { type: "number", unit: "°C", ...bounds },
    from: (value) => (typeof value === "number" ? celsius(value) : undefined),
    to(value, name) {
      if (typeof value !== "number") throw wrong(name, "must be a number of °C");
      return Math.round(value * 1.8 + 32);
    },
  };
}

function power(options: Options): DescribedAttribute[] {
  const name = "power";
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const command = { topic: "power_command_topic", template: "power_command_template" };
  const commanded = options.commanded(name, command, onOff(name, on, off));
  return commanded ? [attributeOf(options, { name, type: "boolean" }, { commanded })] : [];
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
    attributeOf(options, { name, type: "boolean" }, { readings: [state && booleanOf(state, on, off)], commanded }),
    ...humidity(options, [0, 100]),
    ...listed(options, "mode", options.texts("modes") ?? []),
    ...valueAs(options, { word: "action", type: "string", state: ["action_topic", "action_template"] }),
  ];
};
