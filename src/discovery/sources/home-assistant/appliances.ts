// Fans, sirens, vacuums, mowers, alarm panels.
import type { Json } from "../../../core/json.ts";
import { percentOf } from "../../words.ts";
import { booleanOf, type DescribedAttribute, type Options, oneOf, onOff, type Reading } from "./entity.ts";
import { switchName } from "./names.ts";
import { renamed, valueAs } from "./several.ts";
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
  const [min, max] = [options.number("speed_range_min") ?? 1, options.number("speed_range_max") ?? 100];
  const preset = valueAs(options, {
    ...{ word: "preset_mode", type: "string", options: options.texts("preset_modes") },
    state: ["preset_mode_state_topic", "preset_mode_value_template"],
    command: { topic: "preset_mode_command_topic", template: "preset_mode_command_template" },
  });
  return [
    attributeOf(options, { name, type: "boolean" }, { readings: [state && booleanOf(state, on, off)], commanded }),
    ...speedOf(options, min, max),
    ...preset,
    ...valueAs(options, {
      ...{ word: "oscillating", type: "string" },
      state: ["oscillation_state_topic", "oscillation_value_template"],
      command: { topic: "oscillation_command_topic", template: "oscillation_command_template" },
    }),
    ...valueAs(options, {
      ...{ word: "direction", type: "string", options: ["forward", "reverse"] },
      state: ["direction_state_topic", "direction_value_template"],
      command: { topic: "direction_command_topic", template: "direction_command_template" },
    }),
  ];
};

/** 0 is off; the device's own range begins with its slowest speed. */
function speedOf(options: Options, min: number, max: number): DescribedAttribute[] {
  const found = valueAs(options, {
    ...{ word: "speed_pct", type: "number", min: 0, max },
    state: ["percentage_state_topic", "percentage_value_template"],
    command: { topic: "percentage_command_topic", template: "percentage_command_template" },
    conversion: percentOf(min - 1, max),
  });
  const [one] = found;
  if (!one || one.also || (min === 1 && max === 100)) return found;
  return [{ ...renamed(one, "speed"), also: { name: "speed_pct", conversion: percentOf(min - 1, max) } }];
}

export const siren: Component = (options) => {
  const topic = options.needsTopic("command_topic");
  const state = options.reading("state_topic", "state_value_template");
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const [template, offTemplate] = [options.template("command_template"), options.template("command_off_template")];
  const tones = options.texts("available_tones");
  const name = switchName(state?.path?.at(-1) ?? "state");
  const commanded = {
    write(wanted: Record<string, Json | undefined>) {
      const isOn = wanted[name] ?? true;
      const value = onOff(name, on, off)(isOn as Json);
      if (isOn === false)
        return [options.outgoing(topic, offTemplate ? offTemplate.write({ value }) : JSON.stringify({ state: value }))];
      const { [name]: _on, ...more } = wanted;
      const values = { value, ...more } as Record<string, Json>;
      return [options.outgoing(topic, template ? template.write(values) : JSON.stringify({ ...more, state: value }))];
    },
  };
  const found = [
    attributeOf(options, { name, type: "boolean" }, { readings: [state && booleanOf(state, on, off)], commanded }),
  ];
  if (tones) found.push(attributeOf(options, { name: "tone", type: "string", options: tones }, { commanded }));
  if (options.config.support_volume_set !== false)
    found.push(attributeOf(options, { name: "volume_level", type: "number", min: 0, max: 1 }, { commanded }));
  if (options.config.support_duration !== false)
    found.push(attributeOf(options, { name: "duration", type: "number", unit: "s" }, { commanded }));
  return found;
};

/** What starts, stops and goes back: commands by name. */
export const vacuum: Component = (options) => [
  ...actions(options, "command_topic", {
    ...{ start: "start", pause: "pause", stop: "stop", return_to_base: "return_to_base" },
    ...{ clean_spot: "clean_spot", locate: "locate" },
  }),
  ...valueAs(options, {
    ...{ word: "fan_speed", type: "string", options: options.texts("fan_speed_list") },
    command: { topic: "set_fan_speed_topic", template: "" },
  }),
  ...jsonState(options, ["state", "fan_speed"]),
];

export const lawnMower: Component = (options) => [
  ...valueAs(options, { word: "activity", type: "string", state: ["activity_state_topic", "activity_value_template"] }),
  ...["start_mowing", "pause", "dock"].flatMap((one) => actions(options, `${one}_command_topic`, { [one]: one })),
];

export const alarm: Component = (options) => {
  const armed = ["arm_home", "arm_away", "arm_night", "arm_vacation", "arm_custom_bypass", "disarm", "trigger"];
  return [
    ...valueAs(options, { word: "alarm", type: "string", state: ["state_topic", "value_template"] }),
    ...actions(options, "command_topic", Object.fromEntries(armed.map((one) => [one, one.toUpperCase()]))),
  ];
};

/** One attribute `command`, whose values are the names of what can be done. */
function actions(options: Options, topicKey: string, payloads: Readonly<Record<string, string>>): DescribedAttribute[] {
  const topic = options.topic(topicKey);
  if (topic === undefined) return [];
  const names = Object.keys(payloads);
  const command = (value: Json): Json => {
    const wanted = oneOf("command", names)(value) as string;
    return options.text(`payload_${wanted}`) ?? payloads[wanted] ?? wanted;
  };
  const commanded = options.commanded("command", { topic: topicKey, template: "command_template" }, command);
  return [attributeOf(options, { name: "command", type: "string", options: names }, { commanded })];
}

function jsonState(options: Options, keys: readonly string[]): DescribedAttribute[] {
  const topic = options.topic("state_topic");
  if (topic === undefined) return [];
  return keys.map((key) => {
    const reading: Reading = {
      topic,
      path: [key],
      read: ({ json }) =>
        json && typeof json === "object" && !Array.isArray(json) ? (json[key] as Json | undefined) : undefined,
    };
    return attributeOf(options, { name: key, type: "string" }, { readings: [reading] });
  });
}
