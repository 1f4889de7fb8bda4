// Fans: `on`, and how fast in percent, of numbers and of modes with names.
import type { Json, JsonObject } from "../../../../../kit/schema/json.ts";
import { speedOf, wrong } from "../../../words.ts";
import type { Property } from "../exposes.ts";
import { type Derived, derive, originOf, type Part, partsOf } from "./derived.ts";

// From slow to fast. `on`, `auto` and `smart` are none of them.
const SPEEDS = ["low", "medium", "high", ...Array.from({ length: 9 }, (_, at) => String(at + 1))];
const OFF = "off";

/** `isOnTaken`: `on` is what turns the device itself on, of which the fan is a part. */
export function fanWords(properties: ReadonlyMap<string, Property>, { isOnTaken }: { isOnTaken: boolean }): Derived[] {
  return partsOf(properties, "fan").flatMap((part) => {
    const mode = part.features.get("mode");
    const speed = part.features.get("speed");
    const name = isOnTaken ? `on_fan${part.suffix}` : `on${part.suffix}`;
    return [
      ...onOf(part, mode, name),
      ...(mode ? speedOfMode(part, mode) : []),
      ...(speed ? speedOfNumber(part, speed) : []),
    ];
  });
}

function onOf({ features, suffix }: Part, mode: Property | undefined, name: string): Derived[] {
  const state = features.get("state");
  if (state) return state.attribute.word === "on" ? [] : [derive(state, { word: "on", suffix, name })];
  if (!mode) return [];
  const attribute = { ...mode.attribute, ...originOf(mode, "on", suffix), name, type: "boolean" as const };
  return [
    {
      attribute: withoutOptions(attribute),
      read(own) {
        const value = own[mode.property];
        return typeof value === "string" ? value !== OFF : undefined;
      },
      write(value) {
        if (typeof value !== "boolean") throw wrong(name, "must be true or false");
        return turned(mode, value);
      },
    },
  ];
}

/** Of a fan that has no state of its own. zigbee2mqtt takes `fan_state` for each that has modes. */
function turned(mode: Property, isOn: boolean): JsonObject {
  return { [mode.property.replace(/^fan_mode/, "fan_state").replace(/^mode/, "state")]: isOn ? "ON" : "OFF" };
}

function speedOfMode({ features, suffix }: Part, mode: Property): Derived[] {
  const modes = mode.attribute.options ?? [];
  const speeds = SPEEDS.filter((one) => modes.includes(one));
  if (speeds.length === 0) return [];
  const steps = speedOf(1, speeds.length);
  const name = `speed_pct${suffix}`;
  const state = features.get("state");
  const off = (): JsonObject => {
    if (modes.includes(OFF)) return { [mode.property]: mode.encode(OFF) };
    return state ? { [state.property]: state.encode(false) } : turned(mode, false);
  };
  return [
    {
      attribute: {
        ...withoutOptions({ ...mode.attribute, ...originOf(mode, "speed_pct", suffix), name }),
        ...steps.attribute,
      },
      read(own) {
        const value = own[mode.property];
        if (value === undefined) return undefined;
        if (value === OFF) return 0;
        const at = speeds.indexOf(String(value));
        return at < 0 ? null : steps.from(at + 1);
      },
      write(value) {
        const step = steps.to(value, name) as number;
        return step < 1 ? off() : { [mode.property]: mode.encode(speeds[step - 1] as Json) };
      },
    },
  ];
}

function speedOfNumber({ features, suffix }: Part, speed: Property): Derived[] {
  const { min = 1, max = 254 } = speed.attribute;
  // 0 is off, whether it is in the range or not.
  const least = Math.max(1, min);
  const steps = speedOf(least, Math.max(least, max));
  const one = derive(speed, { word: "speed_pct", suffix, conversion: steps });
  const state = features.get("state");
  return [
    {
      ...one,
      write(value) {
        const step = steps.to(value, one.attribute.name) as number;
        if (step < least && state) return { [state.property]: state.encode(false) };
        return { [speed.property]: speed.encode(step) };
      },
    },
  ];
}

function withoutOptions<A extends { options?: readonly string[]; description?: string }>(attribute: A) {
  const { options: _options, description: _description, ...rest } = attribute;
  return rest;
}
