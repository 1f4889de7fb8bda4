// An example of each kind, with as many fields as can be combined; and the types that must exist.
import type { Kind } from "../../../src/rules/model/fields.ts";

const note = [{ type: "comment", text: "Heizung auf 21 °C 🔥" }];
const above = { type: "device_state", device_id: "thermometer", attribute: "temperature", op: "Gt", value: 25 };

export const EXAMPLES: Record<Kind, Record<string, object>> = {
  trigger: {
    device_state_changed: {
      device_ids: ["door", "window"],
      attribute: "open",
      to: true,
      from: [false, null],
      not_to: [1],
      not_from: "x",
      for_duration_secs: 600,
    },
    device_availability_changed: { device_id: "door", available: false, for_duration_secs: 60 },
    button_event: { device_id: "remote", button: 1, event: "held", attribute: "action" },
    numeric_threshold: {
      device_id: "thermometer",
      attribute: "temperature",
      crosses_above: 25,
      crosses_below: 18.5,
      for_duration_secs: 30,
    },
    cron: { expression: "0 */5 * * * *" },
    time_of_day: { time: "07:30", days: ["mon", "fri"] },
    sun_event: { event: "sunset", offset_minutes: -30 },
    periodic: { every_secs: 300 },
    mode_changed: { mode_id: "night", on: true },
    hub_variable_changed: { name: "guests", to: [1, 2], from: 0 },
    timer_state_changed: { device_id: "kettle", state: ["expired", "cancelled"] },
    device_battery_low: { device_id: "door" },
    device_battery_recovered: { device_ids: ["door"] },
    mqtt_message: { topic: "zigbee/+/state", pointer: "/temperature", op: "Gte", value: 21.5 },
    webhook_received: { path: "doorbell", secret: "0123456789abcdef" },
    custom_event: { event_type: "doorbell", fields: { place: "Tür 🚪" } },
    system_started: {},
    plugin_offline: { plugin_id: "sysmon" },
    manual_trigger: {},
  },
  condition: {
    device_state: above,
    time_elapsed: { device_id: "door", attribute: "open", duration_secs: 600 },
    time_window: { start: "22:00", end: "06:30:30", days: ["sat", "sun"] },
    mode_is: { mode_id: "night", on: false },
    hub_variable: { name: "guests", op: "Ne", value: 0 },
    sun: { position: "below_horizon" },
    and: { conditions: [above] },
    or: { conditions: [above, above] },
    xor: { conditions: [above, { type: "mode_is", mode_id: "night" }] },
    not: { condition: above },
    expression: { expression: 'hub_var("guests") > 2' },
  },
  action: {
    notify: { channel: "all", message: "Tür offen 🚪 {{device.temperature}} °C", title: "Alarm" },
    parallel: { actions: note },
    set_device_state: { device_id: "lamp", state: { on: true } },
    activate_scene: { scene_id: "evening" },
    set_mode: { mode_id: "night", on: true },
    set_hub_variable: { name: "guests", value: 3 },
    timer: { device_id: "kettle", command: "start", duration_secs: 300 },
    delay: { duration_secs: 5, key: "light off" },
    wait_for_event: {
      event_type: "device_state_changed",
      device_id: "door",
      fields: { x: 1 },
      timeout_secs: 60,
      on_timeout: "exit",
    },
    wait_for_expression: { expression: 'mode("night")', timeout_secs: 60, on_timeout: "continue" },
    conditional: {
      condition: 'mode("night")',
      then_actions: note,
      else_if: [{ conditions: [above], then_actions: note }],
      else_actions: note,
    },
    repeat_count: { count: 3, actions: note },
    repeat_while: { expression: 'mode("night")', actions: note, max_turns: 5 },
    repeat_until: { expression: 'mode("night")', actions: note, max_turns: 5 },
    fire_event: { event_type: "doorbell", fields: { place: "Tür 🚪" } },
    publish_mqtt: { topic: "zigbee/lamp/set", payload: { state: "ON" }, retain: true, qos: 1 },
    call_service: {
      url: "http://192.168.1.20/api",
      method: "PUT",
      headers: { "X-Key": "k" },
      body: { on: true },
      timeout_secs: 3,
      retries: 2,
      response_event: "answered",
    },
    run_rule: { rule_id: "other", conditions: true, wait: false },
    pause_rule: { rule_id: "other", duration_secs: 60 },
    resume_rule: { rule_id: "other" },
    cancel_delays: { rule_id: "other", key: "light off" },
    capture_device_state: { device_ids: ["lamp"], key: "before" },
    restore_device_state: { key: "before" },
    fade_device: { device_id: "lamp", attribute: "brightness", to: 100, from: 0, duration_secs: 60, steps: 20 },
    set_device_state_per_mode: { device_id: "lamp", states: { night: { brightness: 5 } }, default: { brightness: 80 } },
    activate_scene_per_mode: { scenes: { night: "dim" }, default: "bright" },
    log_message: { message: "21 °C 🔥", level: "warn" },
    exit_rule: { reason: "nobody at home" },
    comment: { text: "for later" },
  },
};

const words = (text: string): string[] => text.split(" ");

export const THE_ISSUES: Record<Kind, string[]> = {
  trigger: words(
    "device_state_changed device_availability_changed button_event numeric_threshold cron time_of_day sun_event periodic mode_changed hub_variable_changed timer_state_changed device_battery_low device_battery_recovered mqtt_message webhook_received custom_event system_started plugin_offline manual_trigger",
  ),
  condition: words("device_state time_elapsed time_window mode_is hub_variable sun and or xor not expression"),
  action: words(
    "notify parallel set_device_state activate_scene set_mode set_hub_variable timer delay wait_for_event wait_for_expression conditional repeat_count repeat_while repeat_until fire_event publish_mqtt call_service run_rule pause_rule resume_rule cancel_delays capture_device_state restore_device_state fade_device set_device_state_per_mode activate_scene_per_mode log_message exit_rule comment",
  ),
};
