// The temperature outside: warmest at three in the afternoon, around a mean that drifts from day to day.
import { chance, hourOfDay } from "./chance.ts";

const DAY_SECS = 86_400;
const COLDEST_MEAN_C = 4;
const MEAN_RANGE_K = 8;
const DAILY_SWING_K = 5;
const WARMEST_HOUR = 15;

export const COLDEST_C = COLDEST_MEAN_C - DAILY_SWING_K;
export const WARMEST_C = COLDEST_MEAN_C + MEAN_RANGE_K + DAILY_SWING_K;

export function outsideC(secs: number, seed: number): number {
  const day = Math.floor(secs / DAY_SECS);
  const meanOf = (which: number) => COLDEST_MEAN_C + MEAN_RANGE_K * chance(seed, "weather", which);
  // From this day's mean to the next one's without a jump at midnight.
  const mean = meanOf(day) + (meanOf(day + 1) - meanOf(day)) * (secs / DAY_SECS - day);
  return mean + DAILY_SWING_K * Math.cos(((hourOfDay(secs) - WARMEST_HOUR) / 24) * 2 * Math.PI);
}
