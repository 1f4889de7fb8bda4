// What all simulated devices share: the house's time, chance, the weather, and how batteries drain.
import { Type } from "../sdk/index.ts";

const DAY_SECS = 86_400;
const COLDEST_MEAN_C = 4;
const MEAN_RANGE_K = 8;
const DAILY_SWING_K = 5;
const WARMEST_HOUR = 15;

export const COLDEST_C = COLDEST_MEAN_C - DAILY_SWING_K;
export const WARMEST_C = COLDEST_MEAN_C + MEAN_RANGE_K + DAILY_SWING_K;

/** What does not change while the plugin runs. */
export interface World {
  readonly seed: number;
  readonly batteryDrainPctPerDay: number;
  readonly randomEvents: boolean;
}

/** A period of the house's own time, in seconds; multiples of 86,400 are midnights. */
export interface Span {
  readonly fromSecs: number;
  readonly toSecs: number;
}

/** A number from 0 up to, but not including, 1; equal for equal seeds and words, in every process and on every machine. */
function chance(seed: number, ...words: readonly (string | number)[]): number {
  return Bun.hash.xxHash32(words.join("/"), seed) / 2 ** 32;
}

/** Whether something that happens `perHour` times on average happens in this period. */
export function happens(name: string, perHour: number, { fromSecs, toSecs }: Span, { seed }: World): boolean {
  const probability = 1 - Math.exp((-perHour * (toSecs - fromSecs)) / 3600);
  return chance(seed, name, Math.round(toSecs * 1000)) < probability;
}

export function hourOfDay(secs: number): number {
  return (secs / 3600) % 24;
}

/** The temperature outside: warmest at three in the afternoon, around a mean that changes from day to day. */
export function outsideC(secs: number, seed: number): number {
  const day = Math.floor(secs / DAY_SECS);
  const meanOf = (which: number) => COLDEST_MEAN_C + MEAN_RANGE_K * chance(seed, "weather", which);
  // Interpolated to the next day's mean, without a jump at midnight.
  const mean = meanOf(day) + (meanOf(day + 1) - meanOf(day)) * (secs / DAY_SECS - day);
  return mean + DAILY_SWING_K * Math.cos(((hourOfDay(secs) - WARMEST_HOUR) / 24) * 2 * Math.PI);
}

export const battery = Type.Integer({ title: "Battery", unit: "%", minimum: 0, maximum: 100 });

/** A battery only drains, unless a command changes it. `pct` keeps its fractions, as one step may take less than a percent. */
export function drained(pct: number, { fromSecs, toSecs }: Span, { batteryDrainPctPerDay }: World): number {
  return Math.max(0, pct - (batteryDrainPctPerDay * (toSecs - fromSecs)) / 86_400);
}

/** The house's own time, which may run faster than real time. */
export interface HouseClock {
  /** Seconds; multiples of 86,400 are midnights. */
  now(): number;
  /** Real milliseconds until that time, at least 1. */
  msUntil(secs: number): number;
}

export interface HouseClockOptions {
  startSecs: number;
  /** Simulated seconds for each real one. */
  speed: number;
  /** Real time, which never jumps, unlike the machine's date. */
  monotonicMs(): number;
}

export function createHouseClock({ startSecs, speed, monotonicMs }: HouseClockOptions): HouseClock {
  const startMs = monotonicMs();
  const now = () => startSecs + ((monotonicMs() - startMs) / 1000) * speed;
  return {
    now,
    msUntil: (secs) => Math.max(1, Math.ceil(((secs - now()) / speed) * 1000)),
  };
}

/** This machine's local time as the house's seconds. */
export function localSecs(date: Date): number {
  return date.getTime() / 1000 - date.getTimezoneOffset() * 60;
}
