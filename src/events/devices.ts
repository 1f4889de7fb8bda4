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
);

export const deviceAvailabilityChanged = defineEvent(
  "device_availability_changed",
  "A device comes online or goes offline",
  {
    device_id: Type.String(),
    available: Type.Boolean(),
  },
);

export const deviceNameChanged = defineEvent("device_name_changed", "A device display name is updated", {
  device_id: Type.String(),
  previous_name: Type.String(),
  name: Type.String(),
});

export const deviceCommandSent = defineEvent("device_command_sent", "A command was dispatched to a device", {
  device_id: Type.String(),
  plugin_id: Type.String(),
  command: Attributes,
  /** Who asked: `user`, `api_key`, `rule`, … and its name. */
  source: Type.String(),
  actor_name: Type.String(),
  correlation_id: Type.String(),
});

export const deviceBatteryLow = defineEvent(
  "device_battery_low",
  "A battery-powered device crossed the configured low threshold (synthesized, with hysteresis)",
  { device_id: Type.String(), device_name: Type.String(), battery_pct: Type.Number(), threshold_pct: Type.Number() },
);

export const deviceBatteryRecovered = defineEvent(
  "device_battery_recovered",
  "A previously low device's battery climbed back above the recover band",
  { device_id: Type.String(), device_name: Type.String(), battery_pct: Type.Number() },
);

export const timerStateChanged = defineEvent("timer_state_changed", "A virtual timer started, paused, expired, etc.", {
  device_id: Type.String(),
  previous_state: Type.String(),
  state: Type.String(),
});

export const modeChanged = defineEvent("mode_changed", "A named mode transitioned on or off", {
  mode_id: Type.String(),
  mode_name: Type.String(),
  on: Type.Boolean(),
});
