// The states of timers, which homeCore calls by other words. Its timers all have ids that begin with `timer_`.
import type { Json } from "../../kit/schema/json.ts";

/** homeCore's word → ours. */
export const TIMER_STATES: ReadonlyMap<string, string> = new Map([
  ["running", "started"],
  ["finished", "expired"],
  // Before 0.1.
  ["fired", "expired"],
]);

export function isTimerState(deviceId: unknown, attribute: unknown): boolean {
  return attribute === "state" && typeof deviceId === "string" && deviceId.startsWith("timer_");
}

export function ourTimerState(value: Json): Json {
  return typeof value === "string" ? (TIMER_STATES.get(value) ?? value) : value;
}

export function isTimerStateWord(value: unknown): boolean {
  return typeof value === "string" && TIMER_STATES.has(value);
}
