// The battery of a device that is bridged for something else: how full it is, or that it is low.
import { PowerSourceServer } from "@matter/main/behaviors/power-source";
import { PowerSource } from "@matter/main/clusters/power-source";
import type { JsonObject } from "../../sdk/index.ts";
import type { HubDevice } from "../hub.ts";
import { type ClusterValues, has, known, numberOf, within } from "./part.ts";
import { viewsOf } from "./views.ts";

export const BatteryServer = PowerSourceServer.with("Battery");

export interface Battery {
  features: string;
  values: ClusterValues;
}

/** Matter counts in halves of a percent. */
const FULL = 200;
/** As the hub watches them. */
const LEVELS = ["battery", "battery_pct", "battery_level"];
/** Where other apps begin to warn, and to urge. */
const LOW_PCT = 20;
const CRITICAL_PCT = 5;

/** Undefined for a device that reports no battery. Of several, the emptiest. */
export function batteryOf(device: HubDevice): Battery | undefined {
  const views = viewsOf(device).map((view) => view.device);
  const hasLevel = views.some((one) => LEVELS.some((name) => has(one, name)));
  if (!hasLevel && !views.some((one) => has(one, "battery_low"))) return undefined;
  const levels = views.flatMap(({ attributes }) => levelOf(attributes) ?? []);
  const pct = levels.length === 0 ? undefined : Math.min(...levels);
  const low = views.some(({ attributes }) => isLowBattery(attributes));
  const { Ok, Warning, Critical } = PowerSource.BatChargeLevel;
  return {
    features: hasLevel ? "level" : "battery_low",
    values: {
      powerSource: known({
        status: PowerSource.PowerSourceStatus.Active,
        order: 0,
        description: "Battery",
        ...(hasLevel && { batPercentRemaining: within(0, FULL, pct === undefined ? pct : pct * 2) ?? null }),
        batChargeLevel: pct !== undefined && pct < CRITICAL_PCT ? Critical : low ? Warning : Ok,
        batReplacementNeeded: low,
        batReplaceability: PowerSource.BatReplaceability.Unspecified,
      }),
    },
  };
}

/** As the hub has it: the device says so, or its level. */
export function isLowBattery(words: JsonObject): boolean {
  const pct = levelOf(words);
  return words.battery_low === true || (pct !== undefined && pct <= LOW_PCT);
}

function levelOf(words: JsonObject): number | undefined {
  for (const name of LEVELS) {
    const level = numberOf(words[name]);
    if (level !== undefined) return level;
  }
  return undefined;
}
