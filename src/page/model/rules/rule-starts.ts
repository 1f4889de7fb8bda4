// Ready-made beginnings of rules, with the first devices of the house that fit.

import { t } from "../../texts/index.ts";
import { type Device, propertiesOf, propertyOf } from "../device/device.ts";
import { meaningOf } from "../device/sensor-words.ts";

export const STARTS = ["motion", "door", "sunset", "battery", "scratch"] as const;
export type Start = (typeof STARTS)[number];

type Rule = Readonly<Record<string, unknown>>;

export function startRule(start: Start, devices: readonly Device[]): Rule {
  return { name: t(`start.name_${start}`), ...BUILD[start](devices) };
}

function lampOf(devices: readonly Device[]): string {
  const lamp = devices.find((one) => one.device_type === "light" && propertyOf(one, "on").readOnly !== true);
  return lamp?.id ?? "lamp";
}

/** The first device that senses one of these, by the better word first; `value` of its attribute means so. */
function sensorOf(devices: readonly Device[], words: readonly string[], otherwise: string) {
  for (const word of words)
    for (const device of devices) {
      const found = attributeFor(device, word);
      if (found) return { device_id: device.id, ...found };
    }
  return { device_id: otherwise, attribute: words[0] ?? "", value: true };
}

const BUILD: Readonly<Record<Start, (devices: readonly Device[]) => Rule>> = {
  motion(devices) {
    const { value, ...motion } = sensorOf(devices, ["motion", "presence"], "motion");
    const device_id = lampOf(devices);
    return {
      run_mode: "restart",
      triggers: [{ type: "device_state_changed", ...motion, to: value }],
      conditions: [{ type: "sun", position: "below_horizon" }],
      actions: [
        { type: "set_device_state", device_id, state: { on: true } },
        { type: "delay", duration_secs: 300 },
        { type: "set_device_state", device_id, state: { on: false } },
      ],
    };
  },
  door(devices) {
    const { value, ...door } = sensorOf(devices, ["open"], "door");
    return {
      triggers: [{ type: "device_state_changed", ...door, to: value, for_duration_secs: 600 }],
      actions: [{ type: "notify", channel: "all", message: t("start.message_door") }],
    };
  },
  sunset: (devices) => ({
    triggers: [{ type: "sun_event", event: "sunset" }],
    actions: [{ type: "set_device_state", device_id: lampOf(devices), state: { on: true } }],
  }),
  battery: () => ({
    triggers: [{ type: "device_battery_low" }],
    actions: [
      { type: "notify", channel: "all", message: t("start.message_battery", { device: "{{trigger.device_name}}" }) },
    ],
  }),
  scratch: () => ({ triggers: [], actions: [] }),
};

/** Its own attribute of this word; undefined where it has none of the whole. */
export function attributeFor(device: Device, word: string): { attribute: string; value: boolean } | undefined {
  const names = new Set([...Object.keys(device.attributes), ...propertiesOf(device).keys()]);
  const found = [...names].flatMap((attribute) => {
    const property = propertyOf(device, attribute);
    const meaning = meaningOf(attribute, property);
    const isBoolean = typeof device.attributes[attribute] === "boolean" || property.type === "boolean";
    if (meaning?.word !== word || !isBoolean || property.category === "config") return [];
    return [{ attribute, value: !meaning.isTurned }];
  });
  // The shared word itself before what it is made of.
  return found.find(({ attribute }) => attribute === word) ?? found[0];
}
