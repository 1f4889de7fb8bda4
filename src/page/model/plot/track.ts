// Recorded values of one attribute, as they are drawn.
import type { Json } from "../device/json.ts";

/** Its value from then on; null where it had none any more. */
export interface Sample {
  at: number;
  value: Json;
}

export interface Track {
  name: string;
  /** Numbers are lines, all else is bars. */
  kind: "line" | "bar";
  samples: Sample[];
  /** Of stretches: the samples are their means, at their beginnings. */
  band?: { low: Sample[]; high: Sample[] };
}

export interface Window {
  from: number;
  to: number;
}

/** Drawn beyond this, a scale has no more numbers that a person could read; and sums of such overflow. */
const LARGEST = 1e30;

export function isDrawable(value: Json | undefined): value is number {
  return typeof value === "number" && Math.abs(value) <= LARGEST;
}
