// [battery]: when a battery counts as low, and when as good again.
import { type Static, Type } from "@sinclair/typebox";
import type { Problem } from "../core/schema.ts";

export const BatterySection = Type.Object(
  {
    /** Low at this percentage and below. */
    threshold_pct: Type.Number({ minimum: 1, maximum: 99, default: 20 }),
    /** Good again when above the threshold by more than this, so that a level that wavers tells once. */
    recover_band_pct: Type.Number({ minimum: 0, maximum: 50, default: 5 }),
  },
  { additionalProperties: false },
);
export type BatterySection = Static<typeof BatterySection>;

export function batteryProblems({ threshold_pct, recover_band_pct }: BatterySection): Problem[] {
  const recovered = threshold_pct + recover_band_pct;
  if (recovered < 100) return [];
  return [
    {
      path: "battery.recover_band_pct",
      message: `threshold_pct and this make ${recovered}, and no battery gets above that: together they must stay below 100`,
    },
  ];
}
