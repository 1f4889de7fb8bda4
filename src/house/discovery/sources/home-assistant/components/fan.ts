// Fans: whether they run, how fast, which way, and whether they swing.
import type { Json } from "../../../../../kit/schema/json.ts";
import { type Conversion, SAME, speedOf, wrong } from "../../../words.ts";
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
import { valueAs } from "../several.ts";
import { attributeOf, type Component } from "./simple.ts";

const PRESET_COMMAND = { topic: "preset_mode_command_topic", template: "preset_mode_command_template" };

export const fan: Component = (options) => {
  options.needsTopic("command_topic");
  const speed = speeds(options);
  const [preset] = valueAs(options, {
    ...{ word: "preset_mode", type: "string", options: options.texts("preset_modes") },
    state: ["preset_mode_state_topic", "preset_mode_value_template"],
    command: PRESET_COMMAND,
  });
  const named = speed.length === 0 && preset ? speedOfNames(options, preset) : undefined;
  return [
    ...switched(options, speed[0] ?? named?.own),
    ...speed,
    ...(preset ? [named?.own ?? preset] : []),
    ...(named ? [named.speed] : []),
    ...oscillation(options),
    ...valueAs(options, {
      ...{ word: "direction", type: "string", options: ["forward", "reverse"] },
      state: ["direction_state_topic", "direction_value_template"],
      command: { topic: "direction_command_topic", template: "direction_command_template" },
    }),
  ];
};

/** `speed`: what says whether it runs where its state does not. */
function switched(options: Options, speed: DescribedAttribute | undefined): DescribedAttribute[] {
  const state = options.reading("state_topic", "state_value_template");
  const [on, off] = [options.text("payload_on") ?? "ON", options.text("payload_off") ?? "OFF"];
  const name = switchName(state?.path?.at(-1) ?? "state");
  const command = { topic: "command_topic", template: "command_template" };
  const commanded = options.commanded(name, command, onOff(name, on, off));
  const said = state && booleanOf(state, on, off);
  const running = (speed?.readings ?? []).map(runningIn);
  if (!said) return [inOwnWord(attributeOf(options, { name, type: "boolean" }, { readings: running, commanded }))];
  const own = attributeOf(options, { name, type: "boolean" }, { readings: [said], commanded });
  if (name === "on" || name.startsWith("on_")) return [inOwnWord(own)];
  const readings = [said, ...running].map((reading) => ({
    ...reading,
    path: undefined,
    template: `${reading.template ?? ""} on`,
  }));
  // Where they come in one message, the state counts; it is null of a device that has none.
  const [first, ...others] = readings;
  const both = first && others.every(({ topic }) => topic === first.topic) ? [eitherOf(readings)] : readings;
  const word = attributeOf(options, { name: "on", type: "boolean", word: "on" }, { readings: both, commanded });
  return [own, { ...word, key: name, attribute: { ...word.attribute, derived: true, of: name } }];
}

/** The first that knows. */
function eitherOf(readings: readonly Reading[]): Reading {
  const [first] = readings as readonly [Reading];
  return {
    ...first,
    read(message) {
      let found: Json | undefined;
      for (const { read } of readings) {
        const value = quietly(() => read(message));
        if (value !== undefined && value !== null) return value;
        found ??= value;
      }
      return found;
    },
  };
}

function runningIn(reading: Reading): Reading {
  return {
    ...reading,
    ...{ path: undefined, template: `${reading.template ?? ""} on` },
    read(message) {
      const value = reading.read(message);
      if (typeof value === "number") return value > 0;
      return typeof value === "string" ? value !== OFF : value;
    },
  };
}

/** 0 is off; the device's own range begins with its slowest speed. */
function speeds(options: Options): DescribedAttribute[] {
  const bounds = [options.number("speed_range_min") ?? 1, options.number("speed_range_max") ?? 100];
  const [min, max] = [Math.max(1, Math.min(...bounds)), Math.max(1, ...bounds)];
  const conversion = speedOf(min, max);
  const isPercent = min === 1 && max === 100;
  const found = valueAs(options, {
    ...{ word: "speed_pct", type: "number", min: 0, max },
    state: ["percentage_state_topic", "percentage_value_template"],
    command: { topic: "percentage_command_topic", template: "percentage_command_template" },
    ...(!isPercent && { conversion }),
    reset: options.text("payload_reset_percentage") ?? "None",
  });
  // What a template or a topic brings is no name of the device's own.
  return found.map((one) => (one.attribute.name === "speed_pct" && !isPercent ? renamed(one, "speed") : one));
}

const OFF = "off";
// From slow to fast. `on`, `auto` and `smart` are none of them.
const NAMED = ["low", "medium", "high", ...Array.from({ length: 9 }, (_, at) => String(at + 1))];

/** Of a fan that has only modes: those that are named after speeds. */
function speedOfNames(
  options: Options,
  preset: DescribedAttribute,
): { own: DescribedAttribute; speed: DescribedAttribute } | undefined {
  const modes = options.texts("preset_modes") ?? [];
  const known = NAMED.filter((one) => modes.includes(one));
  if (known.length === 0) return undefined;
  const steps = speedOf(1, known.length);
  const { name: of } = preset.attribute;
  const conversion: Conversion = {
    ...{ attribute: steps.attribute, to: SAME.to },
    from(value) {
      const at = known.indexOf(String(value));
      return value === OFF ? 0 : at < 0 ? null : steps.from(at + 1);
    },
  };
  const off = options.commanded(
    "off",
    { topic: "command_topic", template: "command_template" },
    () => options.text("payload_off") ?? "OFF",
  );
  const set = preset.commanded;
  const commanded: Commanded | undefined = set && {
    write({ speed_pct: wanted = null }) {
      const step = steps.to(wanted, "speed_pct") as number;
      const mode = step < 1 ? OFF : known[step - 1];
      if (mode === OFF && !modes.includes(OFF)) return off?.write({ off: true }) ?? [];
      if (mode === undefined) throw wrong("speed_pct", "is no speed of it");
      return set.write({ [of]: mode });
    },
  };
  const readings = preset.readings.map((reading): Reading => {
    const template = `${reading.template ?? ""} speed`;
    return {
      ...{ topic: reading.topic, path: undefined, template },
      read(message) {
        const value = reading.read(message);
        return value === undefined || value === null ? value : conversion.from(value);
      },
    };
  });
  const kind = { name: "speed_pct", ...steps.attribute, type: "number", word: "speed_pct" } as const;
  const speed = attributeOf(options, kind, { readings, commanded });
  return { own: preset, speed: { ...speed, attribute: { ...speed.attribute, derived: true, of } } };
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
