// Thermostats and water heaters, and humidifiers, which are set alike.
import { booleanOf, type DescribedAttribute, type Options, onOff } from "./entity.ts";
import { switchName } from "./names.ts";
import { stateAnd, valueAs } from "./several.ts";
import { attributeOf, type Component } from "./simple.ts";

export const climate: Component = (options) => {
  const [min, max, step] = [
    options.number("min_temp") ?? 7,
    options.number("max_temp") ?? 35,
    options.number("temp_step") ?? 1,
  ];
  const unit = options.text("temperature_unit") === "F" ? "°F" : "°C";
  const degrees = { type: "number", min, max, step, unit } as const;
  const preset = { state: ["preset_mode_state_topic", "preset_mode_value_template"] as [string, string] };
  return [
    ...valueAs(options, {
      word: "current_temperature",
      type: "number",
      unit,
      state: ["current_temperature_topic", "current_temperature_template"],
    }),
    ...valueAs(options, {
      word: "current_humidity",
      type: "number",
      unit: "%",
      state: ["current_humidity_topic", "current_humidity_template"],
    }),
    ...valueAs(options, { word: "target_temperature", ...degrees, ...stateAnd("temperature") }),
    ...valueAs(options, { word: "target_temperature_high", ...degrees, ...stateAnd("temperature_high") }),
    ...valueAs(options, { word: "target_temperature_low", ...degrees, ...stateAnd("temperature_low") }),
    ...valueAs(options, {
      ...{
        word: "target_humidity",
        type: "number",
        min: options.number("min_humidity") ?? 30,
        max: options.number("max_humidity") ?? 99,
        unit: "%",
      },
      ...stateAnd("target_humidity"),
    }),
    ...valueAs(options, { word: "mode", type: "string", options: options.texts("modes"), ...stateAnd("mode") }),
    ...valueAs(options, {
      word: "fan_mode",
      type: "string",
      options: options.texts("fan_modes"),
      ...stateAnd("fan_mode"),
    }),
    ...valueAs(options, {
      word: "swing_mode",
      type: "string",
      options: options.texts("swing_modes"),
      ...stateAnd("swing_mode"),
    }),
    ...valueAs(options, {
      ...{ word: "swing_horizontal_mode", type: "string", options: options.texts("swing_horizontal_modes") },
      ...stateAnd("swing_horizontal_mode"),
    }),
    ...valueAs(options, {
      ...{ word: "preset_mode", type: "string", options: options.texts("preset_modes"), ...preset },
      command: { topic: "preset_mode_command_topic", template: "preset_mode_command_template" },
    }),
    ...valueAs(options, { word: "action", type: "string", state: ["action_topic", "action_template"] }),
    ...powerOf(options),
  ];
};

function powerOf(options: Options): DescribedAttribute[] {
  const name = "power";
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const command = { topic: "power_command_topic", template: "power_command_template" };
  const commanded = options.commanded(name, command, onOff(name, on, off));
  return commanded ? [attributeOf(options, { name, type: "boolean" }, { commanded })] : [];
}

export const humidifier: Component = (options) => {
  options.needsTopic("command_topic");
  const state = options.reading("state_topic", "state_value_template");
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const name = switchName(state?.path?.at(-1) ?? "state");
  const commanded = options.commanded(
    name,
    { topic: "command_topic", template: "command_template" },
    onOff(name, on, off),
  );
  return [
    attributeOf(options, { name, type: "boolean" }, { readings: [state && booleanOf(state, on, off)], commanded }),
    ...climate(options),
  ];
};
