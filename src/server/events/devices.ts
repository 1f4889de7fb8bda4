// Events about devices.
import { Type } from "@sinclair/typebox";
import { Attributes, defineEvent } from "./define.ts";

export const deviceStateChanged = defineEvent(
  "device_state_changed",
  "A device attribute changes (from a state update)",
  {
    device_id: Type.String(),
    previous: Attributes,
    current: Attributes,
    changed: Type.Array(Type.String()),
    /** Who caused it, echoed by the plugin from the command. */
    change: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { device_id: "front_door", previous: { open: false }, current: { open: true }, changed: ["open"] },
);

export const deviceAvailabilityChanged = defineEvent(
  "device_availability_changed",
  "A device comes online or goes offline",
  {
    device_id: Type.String(),
    available: Type.Boolean(),
    /** It was available before the hub's restart, and is again. No trigger of rules takes this for a change. */
    after_restart: Type.Optional(Type.Boolean()),
  },
  { device_id: "front_door", available: false },
);

export const deviceAttributesUnavailable = defineEvent(
  "device_attributes_unavailable",
  "A part of a device that is there goes offline or comes back",
  {
    device_id: Type.String(),
    /** All attributes that cannot be reached now; they keep their values. */
    unavailable: Type.Array(Type.String()),
  },
  { device_id: "heating", unavailable: ["pump_on"] },
);

export const deviceNameChanged = defineEvent(
  "device_name_changed",
  "A device display name is updated",
  {
    device_id: Type.String(),
    previous_name: Type.String(),
    name: Type.String(),
  },
  { device_id: "hall_lamp", previous_name: "hall_lamp", name: "Hall lamp" },
);

export const deviceAttributeRenamed = defineEvent(
  "device_attribute_renamed",
  "A person gave an attribute of a device another name",
  {
    device_id: Type.String(),
    previous_name: Type.String(),
    name: Type.String(),
  },
  { device_id: "washing_machine", previous_name: "value_2", name: "spin_speed" },
);

export const deviceCommandSent = defineEvent(
  "device_command_sent",
  "A command was dispatched to a device",
  {
    device_id: Type.String(),
    plugin_id: Type.String(),
    command: Attributes,
    /** Who asked: `user`, `api_key`, `rule`, … and its name. */
    source: Type.String(),
    actor_name: Type.String(),
    correlation_id: Type.String(),
  },
  {
    device_id: "hall_lamp",
    plugin_id: "zigbee",
    command: { on: true },
    source: "user",
    actor_name: "anna",
    correlation_id: "8c5f2a0e-0000-4000-8000-000000000001",
  },
);

export const deviceAction = defineEvent(
  "device_action",
  "A button is pressed, a remote turned, a tag scanned: each time, also when it is the same as before",
  {
    device_id: Type.String(),
    action: Type.String(),
    /** What the message says beside it: a duration, a plate, an angle. At most 50 keys and 4 KiB. */
    data: Type.Optional(Attributes),
    /** How many keys beside it were too much, and the first of them. */
    left_out: Type.Optional(Type.String()),
  },
  { device_id: "0x00158d0001a2b3c4", action: "single" },
);

export const deviceCommandFailed = defineEvent(
  "device_command_failed",
  "A command that was sent reached nobody, was refused by the device's side, or got no answer",
  {
    device_id: Type.String(),
    plugin_id: Type.String(),
    command: Attributes,
    /** As in `device_command_sent`. */
    source: Type.String(),
    actor_name: Type.String(),
    correlation_id: Type.String(),
    /** `no_answer`: the device reported none of what it was to change, for `[devices] command_timeout_secs`. */
    reason: Type.Union([Type.Literal("not_connected"), Type.Literal("no_answer"), Type.Literal("refused")]),
    message: Type.String(),
  },
  {
    device_id: "hall_lamp",
    plugin_id: "zigbee",
    command: { on: true },
    source: "user",
    actor_name: "anna",
    correlation_id: "8c5f2a0e-0000-4000-8000-000000000001",
    reason: "no_answer",
    message: "nothing was heard of the device for 10 s: it may be switched off or out of reach",
  },
);

const batteryFields = {
  /** Which battery, of a device that has several. */
  part: Type.Optional(Type.String()),
  /** The level does not say so, but the device does. */
  reported: Type.Optional(Type.Literal("battery_low")),
};

export const deviceBatteryLow = defineEvent(
  "device_battery_low",
  "A battery-powered device crossed the configured low threshold (synthesized, with hysteresis)",
  {
    device_id: Type.String(),
    device_name: Type.String(),
    /** 0 where the device reports no level, only that it is low: then `reported` is there. */
    battery_pct: Type.Number(),
    threshold_pct: Type.Number(),
    ...batteryFields,
  },
  { device_id: "front_door", device_name: "Front door", battery_pct: 18, threshold_pct: 20 },
);

export const deviceBatteryRecovered = defineEvent(
  "device_battery_recovered",
  "A previously low device's battery climbed back above the recover band",
  { device_id: Type.String(), device_name: Type.String(), battery_pct: Type.Number(), ...batteryFields },
  { device_id: "front_door", device_name: "Front door", battery_pct: 100 },
);

export const timerStateChanged = defineEvent(
  "timer_state_changed",
  "A virtual timer started, paused, expired, etc.",
  {
    device_id: Type.String(),
    previous_state: Type.String(),
    state: Type.String(),
  },
  { device_id: "kettle", previous_state: "started", state: "expired" },
);

export const modeChanged = defineEvent(
  "mode_changed",
  "A named mode transitioned on or off",
  {
    mode_id: Type.String(),
    mode_name: Type.String(),
    on: Type.Boolean(),
  },
  { mode_id: "night", mode_name: "Night", on: true },
);
