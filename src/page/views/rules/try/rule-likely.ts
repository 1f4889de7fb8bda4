// What a trigger likely hands to its rule: where somebody begins who tries a rule out.

import type { Device } from "../../../model/device/device.ts";
import type { Attributes, Json } from "../../../model/device/json.ts";
import { isBattery } from "../../../model/device/sensor-words.ts";
import type { Part } from "../../../model/rules/rule.ts";
import { devicesOf, text } from "../../../model/rules/rule-text.ts";
import { deviceList, devices } from "../../../state/house/devices.ts";

export type Row = [key: string, value: string];

/** What a trigger passes on, with what its own words already say. */
export function likelyContext(trigger: Part | undefined): Row[] {
  if (trigger === undefined) return [];
  // Of any device, the first that has what it is about.
  const fits = (device: Device): boolean =>
    Object.keys(device.attributes).some((name) =>
      trigger.attribute === undefined ? isBattery(device, name) : name === trigger.attribute,
    );
  const found = /^(device_|button_|numeric_)/.test(trigger.type) ? deviceList.peek().find(fits)?.id : undefined;
  const [device = found] = devicesOf(trigger) ?? [];
  const first = (value: Json | undefined): Json | undefined => (Array.isArray(value) ? value[0] : value);
  const about: Attributes = device === undefined ? {} : { device_id: device, device_name: nameIn(device) };
  return Object.entries(contextOf(trigger, about, first)).flatMap(([key, value]): Row[] =>
    value === undefined ? [] : [[key, text(value)]],
  );
}

function contextOf(
  trigger: Part,
  about: Attributes,
  first: (value: Json | undefined) => Json | undefined,
): Record<string, Json | undefined> {
  const { type, attribute } = trigger;
  switch (type) {
    case "device_state_changed":
      return { ...about, attribute: attribute ?? "", value: first(trigger.to) ?? true, previous: first(trigger.from) };
    case "numeric_threshold": {
      const high = trigger.above ?? trigger.crosses_above;
      const low = trigger.below ?? trigger.crosses_below;
      return { ...about, attribute, value: typeof high === "number" ? high + 1 : Number(low) - 1 };
    }
    case "device_availability_changed":
      return { ...about, available: trigger.available ?? false };
    case "button_event":
      return { ...about, event: trigger.event ?? "pressed", button: trigger.button };
    case "device_action":
      return { ...about, action: trigger.action ?? "single" };
    case "mode_changed":
      return { mode_id: trigger.mode_id ?? "", on: trigger.on ?? true };
    case "hub_variable_changed":
      return { name: trigger.name ?? "", value: first(trigger.to) ?? 1 };
    case "timer_state_changed":
      return { ...about, value: first(trigger.state) ?? "expired" };
    case "device_battery_low":
    case "device_battery_recovered":
      return { ...about, battery_pct: type === "device_battery_low" ? 10 : 80 };
    case "mqtt_message":
      return { topic: trigger.topic, payload: "", value: trigger.value };
    case "webhook_received":
      return { path: trigger.path, method: "POST", body: {} };
    case "custom_event":
      return { event_type: trigger.event_type, data: trigger.fields ?? {} };
    default:
      return {};
  }
}

const nameIn = (id: string): string => devices.value.get(id)?.peek().name ?? id;

/** What is no JSON is a text. */
export function jsonOf(value: string): Json {
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
