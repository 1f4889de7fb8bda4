// The battery that several devices share the ways of: it only ever loses, unless a command says otherwise.
import { Type } from "../sdk/index.ts";
import type { Span, World } from "./kind.ts";

export const batteryPct = Type.Integer({ title: "Battery", unit: "%", minimum: 0, maximum: 100 });

/** `pct` keeps its fractions: what a step takes may be less than is ever shown. */
export function drained(pct: number, { fromSecs, toSecs }: Span, { batteryDrainPctPerDay }: World): number {
  return Math.max(0, pct - (batteryDrainPctPerDay * (toSecs - fromSecs)) / 86_400);
}
