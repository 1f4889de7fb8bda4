// Every component of Home Assistant's discovery: how each is described.

import { alarm, fan, lawnMower, siren, vacuum } from "./appliances.ts";
import { climate, humidifier } from "./climate.ts";
import { deviceAutomation, deviceTracker, event, type Happens, tag, update } from "./events.ts";
import { light } from "./light.ts";
import { cover, lock, valve } from "./openings.ts";
import { binarySensor, button, type Component, number, select, sensor, switchComponent, text } from "./simple.ts";

/** Those that are attributes. */
export const COMPONENTS: ReadonlyMap<string, Component> = new Map<string, Component>([
  ["alarm_control_panel", alarm],
  ["binary_sensor", binarySensor],
  ["button", button],
  ["climate", climate],
  ["cover", cover],
  ["date", text],
  ["datetime", text],
  ["device_tracker", deviceTracker],
  ["fan", fan],
  ["humidifier", humidifier],
  ["lawn_mower", lawnMower],
  ["light", light],
  ["lock", lock],
  ["notify", text],
  ["number", number],
  ["scene", button],
  ["select", select],
  ["sensor", sensor],
  ["siren", siren],
  ["switch", switchComponent],
  ["text", text],
  ["time", text],
  ["update", update],
  ["vacuum", vacuum],
  ["valve", valve],
  ["water_heater", climate],
]);

/** Those that report what happens. */
export const HAPPENINGS: ReadonlyMap<string, Happens> = new Map<string, Happens>([
  ["device_automation", deviceAutomation],
  ["event", event],
  ["tag", tag],
]);

/** Known, and nothing to make an attribute of: pictures, and codes that only their own integrations read. */
export const NOT_KEPT: ReadonlySet<string> = new Set(["camera", "image", "infrared", "remote"]);

/** The richest says what a device is. */
export const RICHEST = [
  ...["climate", "water_heater", "humidifier", "cover", "valve", "lock", "light", "fan", "vacuum", "lawn_mower"],
  ...["alarm_control_panel", "siren", "switch", "number", "select", "binary_sensor", "sensor"],
];
