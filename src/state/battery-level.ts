// How full a device says its battery is. Plugins name and write it in several ways.
import type { JsonObject } from "../core/json.ts";

/** The first that holds a level counts. */
export const BATTERY_ATTRIBUTES = ["battery_pct", "battery", "battery_level"] as const;

export function isBatteryAttribute(name: string): boolean {
  return (BATTERY_ATTRIBUTES as readonly string[]).includes(name);
}

/** Percent from 0 to 100; undefined where the device tells none ("ok", true, …). */
export function batteryLevel(attributes: JsonObject): number | undefined {
  for (const name of BATTERY_ATTRIBUTES) {
    const level = numberOf(attributes[name]);
    if (level !== undefined) return Math.min(100, Math.max(0, level));
  }
  return undefined;
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  const digits = /^\s*([+-]?\d{1,9}(?:\.\d{1,9})?)\s*%?\s*$/.exec(value)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
