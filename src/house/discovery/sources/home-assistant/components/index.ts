// Every component of Home Assistant's discovery: how each is described.

import { alarm, lawnMower, siren, vacuum } from "./appliances.ts";
import { camera, image, type Shows } from "./cameras.ts";
import { climate, humidifier, waterHeater } from "./climate.ts";
import { cover } from "./cover.ts";
import { deviceAutomation, event, type Happens, tag } from "./events.ts";
import { fan } from "./fan.ts";
import { light } from "./lights/light.ts";
import { infrared, mediaPlayer, remote } from "./media.ts";
import { date, datetime, time } from "./moments.ts";
import { lock, valve } from "./openings.ts";
import {
  binarySensor,
  button,
  type Component,
  notify,
  number,
  scene,
  select,
  sensor,
  switchComponent,
  text,
} from "./simple.ts";
import { deviceTracker, update } from "./trackers.ts";

/** Those that are attributes. */
export const COMPONENTS: ReadonlyMap<string, Component> = new Map<string, Component>([
  ["alarm_control_panel", alarm],
  ["binary_sensor", binarySensor],
  ["button", button],
  // What they show is no attribute: see PICTURES.
  ["camera", () => []],
  ["climate", climate],
  ["cover", cover],
  ["date", date],
  ["datetime", datetime],
  ["device_tracker", deviceTracker],
  ["fan", fan],
  ["humidifier", humidifier],
  ["image", () => []],
  ["infrared", infrared],
  ["lawn_mower", lawnMower],
  ["light", light],
  ["lock", lock],
  ["media_player", mediaPlayer],
  ["notify", notify],
  ["number", number],
  ["remote", remote],
  ["scene", scene],
  ["select", select],
  ["sensor", sensor],
  ["siren", siren],
  ["switch", switchComponent],
  ["text", text],
  ["time", time],
  ["update", update],
  ["vacuum", vacuum],
  ["valve", valve],
  ["water_heater", waterHeater],
]);

/** Those of one value. */
export const SINGLE: ReadonlySet<string> = new Set([
  ...["binary_sensor", "button", "date", "datetime", "notify", "number", "scene", "select", "sensor", "switch"],
  ...["text", "time"],
]);

/** Those that report what happens. */
export const HAPPENINGS: ReadonlyMap<string, Happens> = new Map<string, Happens>([
  ["device_automation", deviceAutomation],
  ["event", event],
  ["tag", tag],
]);

/** Those that show something. */
export const PICTURES: ReadonlyMap<string, Shows> = new Map<string, Shows>([
  ["camera", camera],
  ["image", image],
]);

/** The richest says what a device is: a ceiling fan with a lamp is a fan. */
export const RICHEST = [
  ...["climate", "water_heater", "humidifier", "cover", "valve", "lock", "fan", "light", "vacuum", "lawn_mower"],
  ...["media_player"],
  ...["alarm_control_panel", "camera", "siren", "switch", "number", "select", "binary_sensor", "sensor", "image"],
];
