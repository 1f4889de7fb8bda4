// Reads and makes the attributes of a timer: its state, its duration, its label, whether it repeats and, while it is started, its end.
import type { JsonObject } from "../../../kit/schema/json.ts";
import type { Device } from "../device.ts";

export type TimerState = "idle" | "started" | "paused" | "expired" | "cancelled";

export function stateOf({ attributes }: Device): TimerState {
  return (attributes.state as TimerState | undefined) ?? "idle";
}

export function numberIn({ attributes }: Device, name: string): number | undefined {
  const value = attributes[name];
  return typeof value === "number" ? value : undefined;
}

export function durationOf(device: Device): number | undefined {
  return numberIn(device, "duration_secs");
}

/** Epoch ms; 0 if it cannot be read, so that the timer ends. */
export function endsAtOf({ attributes }: Device): number {
  const at = Date.parse(String(attributes.ends_at));
  return Number.isNaN(at) ? 0 : at;
}

export function earlierEnd(a: Device, b: Device): number {
  return endsAtOf(a) - endsAtOf(b);
}

/** What a timer was started with; it stays when the timer ends. */
export interface TimerSettings {
  duration_secs?: number;
  label?: string;
  /** It starts again at its end. */
  repeat?: true;
}

export function settingsOf({ attributes }: Device): TimerSettings {
  const { duration_secs, label, repeat } = attributes;
  return {
    ...(typeof duration_secs === "number" && { duration_secs }),
    ...(typeof label === "string" && { label }),
    ...(repeat === true && { repeat }),
  };
}

export function withSettings(state: TimerState, settings: TimerSettings): JsonObject {
  return { state, ...settings };
}

export function msOf(secs: number): number {
  return Math.round(secs * 1000);
}

export function isoAt(ms: number): string {
  return new Date(ms).toISOString();
}
