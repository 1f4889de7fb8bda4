import { expect, test } from "bun:test";
import { catalog } from "../../src/events/catalog.ts";

// The tables of the contract, which clients rely on.
const CONTRACT: Record<string, string[]> = {
  device_state_changed: ["device_id", "previous", "current", "changed"],
  device_availability_changed: ["device_id", "available"],
  device_name_changed: [],
  rule_fired: ["rule_id", "rule_name", "trigger_type", "trigger_context", "trigger_label"],
  scene_activated: ["scene_id", "scene_name"],
  plugin_registered: [],
  plugin_offline: [],
  plugin_heartbeat: [],
  plugin_status_changed: [],
  device_command_sent: [],
  timer_state_changed: [],
  action_failed: [],
  hub_variable_changed: ["name", "value", "previous_value"],
  mode_changed: [],
  device_battery_low: ["device_id", "device_name", "battery_pct", "threshold_pct"],
  device_battery_recovered: ["device_id", "device_name", "battery_pct"],
  system_started: [],
  mqtt_message: [],
};

// Event types beyond the contract.
const OURS: Record<string, string[]> = {
  alert: ["id", "kind", "severity", "state", "message", "mend"],
  system_safe_start: ["failed_part", "error", "off"],
  limit_reached: ["limit", "account", "message"],
  backup_failed: ["severity", "reason", "directory"],
  webhook_received: ["path", "method", "query", "body"],
  notification_delivered_late: ["channel", "title", "at", "tries", "count", "waited_secs"],
  notification_given_up: ["channel", "title", "at", "tries", "count", "reason", "error", "more"],
};

test("the catalogue holds every event type of the contract, with its fields", () => {
  const expected = { ...CONTRACT, ...OURS };
  expect(catalog.map(({ type }) => type as string).sort()).toEqual(Object.keys(expected).sort());
  for (const { type, fields } of catalog)
    expect(Object.keys(fields.properties)).toEqual(expect.arrayContaining(expected[type] ?? []));
});
