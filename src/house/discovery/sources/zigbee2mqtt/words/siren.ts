// Sirens: `on` sounds the alarm as zigbee2mqtt has Home Assistant sound it, and stops it.
import type { Json, JsonObject } from "../../../../../kit/schema/json.ts";
import { wrong } from "../../../words.ts";
import type { Expose } from "../expose.ts";
import type { Property } from "../exposes.ts";
import { type Derived, derive, originOf } from "./derived.ts";

// Until then a siren stops by itself where it is not commanded otherwise.
const DURATION_SECS = 10;
const STOP = "stop";
const SWITCHES = ["alarm", "siren_on"];
/** What only has a siren beside its switch: how loud it is, and what it plays. */
const SOUNDS = ["volume", "melody", "ringtone", "alarm_volume", "alarm_volume_level"];

/** `isOnTaken`: `on` is what turns the device itself on, of which the siren is a part. */
export function sirenWords(
  exposes: readonly Expose[],
  properties: ReadonlyMap<string, Property>,
  { isOnTaken }: { isOnTaken: boolean },
): Derived[] {
  const name = isOnTaken ? "on_siren" : "on";
  const warning = exposes.find((one) => one.type === "composite" && one.name === "warning");
  const property = warning && properties.get(warning.property ?? "");
  if (warning && property?.attribute.writable) return [warned(warning, property, { name, properties })];
  const own = SWITCHES.flatMap((one) => properties.get(one) ?? []).find(({ attribute }) => attribute.writable);
  if (own?.attribute.type !== "boolean" || !SOUNDS.some((one) => properties.has(one))) return [];
  const one = derive(own, { word: "on", suffix: "", name });
  return [own.attribute.readable ? one : assumed(one)];
}

function warned(
  warning: Expose,
  property: Property,
  { name, properties }: { name: string; properties: ReadonlyMap<string, Property> },
): Derived {
  const reported = properties.get("alarm");
  const reports = reported?.attribute.type === "boolean" && reported.attribute.readable ? reported : undefined;
  const one: Derived = {
    attribute: { name, type: "boolean", readable: true, writable: true, ...originOf(property, "on", "") },
    read: (own) => (reports ? (own[reports.property] as Json | undefined) : undefined),
    write(value): JsonObject {
      if (typeof value !== "boolean") throw wrong(name, "must be true or false");
      return { [property.property]: value ? alarmOf(warning) : { mode: STOP } };
    },
  };
  return reports ? one : assumed(one);
}

function assumed(one: Derived): Derived {
  return { ...one, attribute: { ...one.attribute, readable: true }, assumed: true };
}

function alarmOf({ features }: Expose): JsonObject {
  const valuesOf = (name: string): Json[] => features.find((one) => one.name === name)?.values ?? [];
  const pick = (wanted: string, values: Json[]): Json | undefined =>
    values.includes(wanted) ? wanted : values.find((one) => one !== STOP);
  const [mode, level] = [pick("emergency", valuesOf("mode")), pick("medium", valuesOf("level"))];
  return {
    ...(mode !== undefined && { mode }),
    ...(level !== undefined && { level }),
    ...(features.some((one) => one.name === "duration") && { duration: DURATION_SECS }),
  };
}
