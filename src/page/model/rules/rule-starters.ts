// Rules to start with: which devices they are about, and what is sent to the hub.

import { t } from "../../texts/index.ts";
import type { Device } from "../device/device.ts";
import type { Json } from "../device/json.ts";
import { attributeFor } from "./rule-starts.ts";

export const STARTERS = ["motion", "door", "sunset", "battery"] as const;
export type Starter = (typeof STARTERS)[number];

/** A sensor, and the value that says what the rule waits for. */
export interface Sensor {
  device: Device;
  attribute: string;
  /** The value while somebody moves, or while it is open. */
  value: boolean;
}

export interface Filled {
  sensor: Sensor | undefined;
  lamps: readonly string[];
  minutes: number;
  isDarkOnly: boolean;
  offAt: string;
  channel: string;
}

type NewRule = Record<string, Json>;

const LAMP_TYPES = new Set(["light", "switch"]);

export function lampsOf(devices: readonly Device[]): Device[] {
  return devices.filter(
    (device) =>
      LAMP_TYPES.has(device.device_type ?? "") &&
      device.plugin_id !== "core" &&
      typeof device.attributes.on === "boolean",
  );
}

export const motionSensorsOf = (devices: readonly Device[]): Sensor[] => sensorsOf(devices, ["motion", "presence"]);
export const openingsOf = (devices: readonly Device[]): Sensor[] => sensorsOf(devices, ["open"]);

function sensorsOf(devices: readonly Device[], words: readonly string[]): Sensor[] {
  return devices.flatMap((device) => {
    const found = words.flatMap((word) => attributeFor(device, word) ?? [])[0];
    return found ? [{ device, ...found }] : [];
  });
}

/** Undefined while something is missing. */
export function rulesOf(starter: Starter, filled: Filled): NewRule[] | undefined {
  if (!Number.isFinite(filled.minutes)) return undefined;
  switch (starter) {
    case "motion":
      return filled.sensor && filled.lamps.length > 0 ? [motionRule(filled.sensor, filled)] : undefined;
    case "door":
      return filled.sensor ? [doorRule(filled.sensor, filled)] : undefined;
    case "sunset":
      return filled.lamps.length > 0 && filled.offAt !== "" ? sunsetRules(filled) : undefined;
    case "battery":
      return [batteryRule(filled)];
  }
}

const turn = (ids: readonly string[], on: boolean): Json => ({
  type: "set_device_state",
  device_ids: [...ids],
  state: { on },
});

/** Of the blueprint that comes with the hub. */
function motionRule({ device }: Sensor, { lamps: ids, minutes, isDarkOnly }: Filled): NewRule {
  return {
    name: t("starter.name_motion", { sensor: device.name }),
    use: "motion-light",
    inputs: { sensors: [device.id], lamps: [...ids], off_after: `${minutes}m`, when_dark: isDarkOnly },
  };
}

function doorRule({ device, attribute, value }: Sensor, { minutes, channel }: Filled): NewRule {
  return {
    name: t("starter.name_door", { sensor: device.name }),
    tags: ["doors"],
    trigger: {
      type: "device_state_changed",
      device_id: device.id,
      ...{ attribute, to: value, for_duration_secs: Math.round(minutes * 60) },
    },
    actions: [
      {
        ...{ type: "notify", channel },
        message: t("starter.text_door", { sensor: "{{trigger.device_name}}", minutes }),
      },
    ],
  };
}

function sunsetRules({ lamps: ids, offAt }: Filled): NewRule[] {
  return [
    {
      ...{ name: t("starter.name_sunset"), tags: ["light"] },
      trigger: { type: "sun_event", event: "sunset" },
      actions: [turn(ids, true)],
    },
    {
      ...{ name: t("starter.name_off", { time: offAt }), tags: ["light"] },
      trigger: { type: "time_of_day", time: offAt },
      actions: [turn(ids, false)],
    },
  ];
}

function batteryRule({ channel }: Filled): NewRule {
  const message = t("starter.text_battery", { device: "{{trigger.device_name}}", level: "{{trigger.battery_pct}}" });
  return {
    name: t("starter.name_battery"),
    trigger: { type: "device_battery_low" },
    actions: [{ type: "notify", channel, message }],
  };
}
