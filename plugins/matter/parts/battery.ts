// The battery of a device that is bridged for something else: how full it is, or that it is low.
import { PowerSourceServer } from "@matter/main/behaviors/power-source";
import { PowerSource } from "@matter/main/clusters/power-source";
import type { HubDevice } from "../hub.ts";
import { booleanOf, type ClusterValues, has, known, numberOf, within } from "./part.ts";

export const BatteryServer = PowerSourceServer.with("Battery");

export interface Battery {
  features: string;
  values: ClusterValues;
}

/** Matter counts in halves of a percent. */
const FULL = 200;
/** As the hub watches them. */
const LEVELS = ["battery_pct", "battery", "battery_level"];
/** Where other apps begin to warn, and to urge. */
const LOW_PCT = 20;
const CRITICAL_PCT = 5;

/** Undefined for a device that tells nothing of a battery. */
export function batteryOf(device: HubDevice): Battery | undefined {
  const level = LEVELS.find((name) => has(device, name));
  if (level === undefined && !has(device, "battery_low")) return undefined;
  const pct = level === undefined ? undefined : numberOf(device.attributes[level]);
  const low = booleanOf(device.attributes.battery_low) ?? (pct !== undefined && pct <= LOW_PCT);
  const { Ok, Warning, Critical } = PowerSource.BatChargeLevel;
  return {
    features: level ?? "battery_low",
    values: {
      powerSource: known({
        status: PowerSource.PowerSourceStatus.Active,
        order: 0,
        description: "Battery",
        batPercentRemaining: level && (within(0, FULL, pct === undefined ? pct : pct * 2) ?? null),
        batChargeLevel: pct !== undefined && pct < CRITICAL_PCT ? Critical : low ? Warning : Ok,
        batReplacementNeeded: low,
        batReplaceability: PowerSource.BatReplaceability.Unspecified,
      }),
    },
  };
}
