// The mode of a climate: `off` wherever the device can be turned off, whichever of its properties does that.
import type { Json, JsonObject } from "../../../../../kit/schema/json.ts";
import { wrong } from "../../../words.ts";
import type { Property } from "../exposes.ts";
import { type Derived, type Own, originOf, type Part } from "./derived.ts";

const OFF = "off";
const HEAT = "heat";
const AUTO = "auto";

interface Mode {
  /** What it is made of. */
  of: Property;
  modes: readonly string[];
  /** Undefined where a message says nothing about it. */
  read(own: Own): Json | undefined;
  /** Undefined where it can only be read. */
  write: ((mode: string) => JsonObject) | undefined;
}

export function modeOf(part: Part): Derived[] {
  const mode = byOperation(part) ?? byPower(part) ?? byPreset(part) ?? bySystem(part);
  if (!mode) return [];
  const { of, modes, read, write } = mode;
  const name = `mode${part.suffix}`;
  const readable = of.attribute.readable;
  return [
    {
      attribute: {
        ...{ name, type: "string", options: modes, readable, writable: write !== undefined },
        ...originOf(of, "mode", part.suffix),
      },
      read,
      write(value) {
        const wanted = modes.find((one) => one === value);
        if (wanted === undefined || !write) throw wrong(name, `must be one of ${modes.join(", ")}`);
        return write(wanted);
      },
    },
  ];
}

function bySystem({ features }: Part): Mode | undefined {
  const system = features.get("system_mode");
  if (!system) return undefined;
  const { options: modes = [], writable } = system.attribute;
  return {
    ...{ of: system, modes },
    read: (own) => own[system.property] as Json | undefined,
    write: writable ? (mode) => set(system, mode) : undefined,
  };
}

/** Bosch's: off and by its schedule is said by another property, and heat or cool by the usual one. */
function byOperation({ features, beside }: Part): Mode | undefined {
  const operation = beside("operating_mode");
  const { options = [], writable } = operation?.attribute ?? {};
  if (!operation || !writable || !["schedule", "manual", "pause"].every((one) => options.includes(one)))
    return undefined;
  const system = features.get("system_mode");
  const active = (system?.attribute.options ?? [HEAT]).filter((one) => one !== OFF && one !== AUTO);
  return {
    ...{ of: operation, modes: [OFF, ...active, AUTO] },
    read(own) {
      const value = own[operation.property];
      if (value === undefined) return undefined;
      if (value === "schedule") return AUTO;
      if (value !== "manual") return OFF;
      const now = own[system?.property ?? ""];
      return active.find((one) => one === now) ?? active[0] ?? HEAT;
    },
    write(mode) {
      if (mode === OFF) return set(operation, "pause");
      if (mode === AUTO) return set(operation, "schedule");
      return { ...set(operation, "manual"), ...(system && active.length > 1 && set(system, mode)) };
    },
  };
}

/** With a switch of its own, beside modes without off. */
function byPower({ features, beside }: Part): Mode | undefined {
  const system = features.get("system_mode");
  const alone = system ? undefined : beside("state", "switch");
  const power = beside("state") ?? beside("air_switch") ?? alone;
  if (power?.attribute.type !== "boolean" || !power.attribute.writable) return undefined;
  if (system?.attribute.options?.includes(OFF)) return undefined;
  const modes = [OFF, ...(system?.attribute.options ?? [HEAT])];
  return {
    ...{ of: system ?? power, modes },
    read(own) {
      const isOn = own[power.property];
      if (isOn === false) return OFF;
      return system ? (own[system.property] as Json | undefined) : isOn === true ? HEAT : undefined;
    },
    write(mode) {
      if (mode === OFF) return { [power.property]: power.encode(false) };
      return { [power.property]: power.encode(true), ...(system?.attribute.writable && set(system, mode)) };
    },
  };
}

/** By its presets, where its modes cannot be set, or there are none. */
function byPreset({ features, beside }: Part): Mode | undefined {
  const system = features.get("system_mode");
  const preset = features.get("preset") ?? beside("preset");
  const presets = preset?.attribute.options ?? [];
  if (!preset?.attribute.writable || !presets.includes(OFF) || system?.attribute.writable) return undefined;
  const by = (...names: string[]): string | undefined => names.find((one) => presets.includes(one));
  const heating = by("on", "manual", "comfort");
  const schedule = by("auto", "schedule");
  const presetOf: Record<string, string | undefined> = { [OFF]: OFF, [AUTO]: schedule, [HEAT]: heating };
  const modes = (system?.attribute.options ?? Object.keys(presetOf)).filter((one) => presetOf[one] !== undefined);
  return {
    ...{ of: system ?? preset, modes },
    read(own) {
      if (system) return own[system.property] as Json | undefined;
      const value = own[preset.property];
      if (value === undefined || value === null) return value;
      return value === OFF ? OFF : value === schedule ? AUTO : HEAT;
    },
    write: (mode) => set(preset, presetOf[mode] ?? OFF),
  };
}

function set(property: Property, value: string): JsonObject {
  return { [property.property]: property.encode(value) };
}
