// [devices]: what devices may make the hub hold.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

export const DevicesSection = Type.Object(
  {
    /** What one device may take in memory: its attributes, and what it is described by. */
    max_device_kb: Type.Number({ minimum: 16, maximum: 65_536, default: 2048 }),
    /** In number; the hub's own virtual ones are bounded apart. */
    max_devices_per_account: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 5000 }),
    max_devices: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 10_000 }),
    /** All devices of one plugin or account together. */
    max_mb_per_account: Type.Number({ minimum: 1, maximum: 4096, default: 24 }),
    /** All devices together. */
    max_mb: Type.Number({ minimum: 1, maximum: 4096, default: 48 }),
  },
  { additionalProperties: false },
);
export type DevicesSection = Static<typeof DevicesSection>;

export const DEFAULT_DEVICES: DevicesSection = Value.Create(DevicesSection);
