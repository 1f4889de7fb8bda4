// Fans: whether they run, how fast, which way, and whether they swing.
import { percentOf } from "../../words.ts";
import { booleanOf, type DescribedAttribute, type Options, onOff } from "./entity.ts";
import { switchName } from "./names.ts";
import { renamed } from "./naming.ts";
import { valueAs } from "./several.ts";
import { attributeOf, type Component } from "./simple.ts";

export const fan: Component = (options) => {
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
    ...speedOf(options),
    ...valueAs(options, {
      ...{ word: "preset_mode", type: "string", options: options.texts("preset_modes") },
      state: ["preset_mode_state_topic", "preset_mode_value_template"],
      command: { topic: "preset_mode_command_topic", template: "preset_mode_command_template" },
    }),
    ...oscillation(options),
    ...valueAs(options, {
      ...{ word: "direction", type: "string", options: ["forward", "reverse"] },
      state: ["direction_state_topic", "direction_value_template"],
      command: { topic: "direction_command_topic", template: "direction_command_template" },
    }),
  ];
};

/** 0 is off; the device's own range begins with its slowest speed. */
function speedOf(options: Options): DescribedAttribute[] {
  const [min, max] = [options.number("speed_range_min") ?? 1, options.number("speed_range_max") ?? 100];
  if (min >= max) throw new Error("speed_range_max: must be more than speed_range_min");
  const conversion = percentOf(min - 1, max);
  const found = valueAs(options, {
    ...{ word: "speed_pct", type: "number", min: 0, max },
    state: ["percentage_state_topic", "percentage_value_template"],
    command: { topic: "percentage_command_topic", template: "percentage_command_template" },
    conversion,
    reset: options.text("payload_reset_percentage") ?? "None",
  });
  const [one] = found;
  if (!one || one.also || (min === 1 && max === 100)) return found;
  return [{ ...renamed(one, "speed"), also: { name: "speed_pct", conversion } }];
}

function oscillation(options: Options): DescribedAttribute[] {
  const name = "oscillating";
  const [on, off] = [
    options.text("payload_oscillation_on") ?? "oscillate_on",
    options.text("payload_oscillation_off") ?? "oscillate_off",
  ];
  const state = options.reading("oscillation_state_topic", "oscillation_value_template");
  const command = { topic: "oscillation_command_topic", template: "oscillation_command_template" };
  const commanded = options.commanded(name, command, onOff(name, on, off));
  if (!state && !commanded) return [];
  const readings = [state && booleanOf(state, on, off)];
  return [attributeOf(options, { name, type: "boolean" }, { readings, commanded })];
}
