// The sections [storage], [devices] and [battery] of hub.toml.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Problem } from "../../kit/schema/schema.ts";

const closed = { additionalProperties: false } as const;

/** How often and how much is written to disk. */
export const StorageSection = Type.Object(
  {
    flush_secs: Type.Number({
      minimum: 1,
      maximum: 3600,
      default: 5,
      description: "Seconds between writes of what devices report; see docs/operations.md for what a power cut takes.",
    }),
    max_write_mb_per_day: Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      default: 500,
      description:
        "Above this, readings are written less often, and not all of what changes most often is recorded; 0 sets no limit.",
    }),
  },
  closed,
);
export type StorageSection = Static<typeof StorageSection>;

/** How many devices there may be, how much memory they may take, and how long they may take to answer. */
export const DevicesSection = Type.Object(
  {
    max_device_kb: Type.Number({
      minimum: 16,
      maximum: 65_536,
      default: 2048,
      description: "Memory of one device: its attributes and its description.",
    }),
    max_devices_per_account: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 5000,
      description: "The hub's own virtual devices have a limit of their own.",
    }),
    max_devices: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 10_000 }),
    max_mb_per_account: Type.Number({
      minimum: 1,
      maximum: 4096,
      default: 24,
      description: "All devices of one plugin or account together.",
    }),
    max_mb: Type.Number({ minimum: 1, maximum: 4096, default: 48, description: "All devices together." }),
    command_timeout_secs: Type.Integer({
      minimum: 0,
      maximum: 3600,
      default: 10,
      description: "After this without an answer a command has failed; 0: answers are not waited for.",
    }),
  },
  closed,
);
export type DevicesSection = Static<typeof DevicesSection>;

export const DEFAULT_DEVICES: DevicesSection = Value.Create(DevicesSection);

/** When a battery counts as low, and when as recovered. */
export const BatterySection = Type.Object(
  {
    threshold_pct: Type.Number({
      minimum: 1,
      maximum: 99,
      default: 20,
      description: "Low at this percentage and below.",
    }),
    recover_band_pct: Type.Number({
      minimum: 0,
      maximum: 50,
      default: 5,
      description: "Recovered above the threshold plus this, so that a wavering level is reported once.",
    }),
  },
  closed,
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
