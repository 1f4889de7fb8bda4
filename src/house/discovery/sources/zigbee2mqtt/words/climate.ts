// Climates: what they measure, what they are to reach, what they do. How they are turned off is in climate-mode.ts.
import type { Json } from "../../../../../kit/schema/json.ts";
import { type Conversion, celsiusOf } from "../../../words.ts";
import type { Property } from "../exposes.ts";
import { modeOf } from "./climate-mode.ts";
import { type Derived, derive, type Own, type Part, partsOf } from "./derived.ts";

const ACTIONS: Readonly<Record<string, string>> = {
  ...{ heat: "heating", cool: "cooling", fan_only: "fan", dry: "drying", preheat: "preheating", defrost: "defrosting" },
};
const ACTION: Conversion = {
  attribute: { type: "string" },
  from: (value) => (typeof value === "string" ? (ACTIONS[value] ?? value) : undefined),
  to: (value) => value,
};
/** What a climate does has this name where the device has presses, whose `action` it never is. */
const BESIDE_PRESSES = "climate_action";

export function climateWords(properties: ReadonlyMap<string, Property>): Derived[] {
  const hasPresses = properties.get("action")?.of === undefined && properties.has("action");
  return partsOf(properties, "climate").flatMap((part) => {
    const { features, suffix } = part;
    const measured = features.get("local_temperature");
    const running = features.get("running_state") ?? part.beside("running_state");
    const action = hasPresses ? BESIDE_PRESSES : "action";
    const [preset, humidity] = [features.get("preset"), part.beside("humidity")];
    return [
      ...(preset ? [derive(preset, { word: "preset_mode", suffix })] : []),
      ...(humidity ? [derive(humidity, { word: "current_humidity", suffix })] : []),
      ...(measured ? [degrees(measured, "current_temperature", suffix)] : []),
      ...targets(part),
      ...modeOf(part),
      ...(running ? [doing(running, action + suffix, suffix)] : []),
    ];
  });
}

function degrees(property: Property, word: string, suffix: string): Derived {
  const { attribute } = property;
  const isFahrenheit = attribute.unit === "°F";
  return derive(property, { word, suffix, ...(isFahrenheit && { conversion: celsiusOf(attribute) }) });
}

function doing(running: Property, name: string, suffix: string): Derived {
  const { options = [] } = running.attribute;
  const attribute = { ...ACTION.attribute, options: options.map((one) => ACTIONS[one] ?? one), writable: false };
  return derive(running, { word: "action", suffix, name, conversion: { ...ACTION, attribute } });
}

/** Of a device that heats and cools, the target is the one of what it is set to; both are there beside it. */
function targets({ features, suffix }: Part): Derived[] {
  const heating = features.get("occupied_heating_setpoint") ?? features.get("current_heating_setpoint");
  const cooling = features.get("occupied_cooling_setpoint");
  const only = heating ?? cooling;
  if (!only) return [];
  const one = degrees(only, "target_temperature", suffix);
  if (!heating || !cooling) return [one];
  return [
    eitherOf([one, degrees(cooling, "target_temperature", suffix)], features.get("system_mode")),
    degrees(heating, "target_temperature_low", suffix),
    degrees(cooling, "target_temperature_high", suffix),
  ];
}

function eitherOf([heating, cooling]: readonly [Derived, Derived], mode: Property | undefined): Derived {
  let now = heating;
  const turn = (own: Own): void => {
    const value: Json | undefined = own[mode?.property ?? ""] as Json | undefined;
    if (value !== undefined) now = value === "cool" ? cooling : heating;
  };
  const min = Math.min(heating.attribute.min ?? -Infinity, cooling.attribute.min ?? -Infinity);
  const max = Math.max(heating.attribute.max ?? Infinity, cooling.attribute.max ?? Infinity);
  return {
    attribute: {
      ...heating.attribute,
      ...(Number.isFinite(min) && { min }),
      ...(Number.isFinite(max) && { max }),
    },
    read(own) {
      turn(own);
      return now.read(own);
    },
    write: (value) => now.write(value),
  };
}
