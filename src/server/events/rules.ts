// Events about rules, scenes, variables and the engine.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

const AnyObject = Type.Record(Type.String(), Type.Unknown());

export const ruleFired = defineEvent(
  "rule_fired",
  "A rule's conditions passed and its actions executed",
  {
    rule_id: Type.String(),
    rule_name: Type.String(),
    trigger_type: Type.String(),
    trigger_context: AnyObject,
    trigger_label: Type.String(),
  },
  {
    rule_id: "11111111-1111-4111-8111-111111111111",
    rule_name: "Light when I come home",
    trigger_type: "device_state_changed",
    trigger_context: { device_id: "front_door", value: true },
    trigger_label: "front_door.open to true",
  },
);

export const actionFailed = defineEvent(
  "action_failed",
  "A rule action failed to execute",
  {
    rule_id: Type.String(),
    rule_name: Type.String(),
    action_type: Type.String(),
    error: Type.String(),
  },
  {
    rule_id: "11111111-1111-4111-8111-111111111111",
    rule_name: "Light when I come home",
    action_type: "set_device_state",
    error: 'there is no device "hall_lamp"',
  },
);

export const ruleRunEnded = defineEvent(
  "rule_run_ended",
  "A run of a rule ended before its actions were executed, and not because they ended it",
  {
    rule_id: Type.String(),
    /** The id where the rule is gone. */
    rule_name: Type.String(),
    run_id: Type.String(),
    reason: Type.String(),
  },
  {
    rule_id: "11111111-1111-4111-8111-111111111111",
    rule_name: "Light when I come home",
    run_id: "q2Vd0aXb-1",
    reason: "its rule's actions were changed",
  },
);

export const sceneActivated = defineEvent(
  "scene_activated",
  "A scene was activated",
  {
    scene_id: Type.String(),
    scene_name: Type.String(),
    /** Who asked: `user`, `api_key`, `rule`, … and its name. */
    source: Type.String(),
    actor_name: Type.String(),
    sent: Type.Array(Type.Object({ device_id: Type.String(), correlation_id: Type.String() })),
    /** Devices that were not commanded, and why; the others were all the same. */
    failed: Type.Array(Type.Object({ device_id: Type.String(), code: Type.String(), error: Type.String() })),
  },
  {
    scene_id: "evening",
    scene_name: "Evening",
    source: "user",
    actor_name: "anna",
    sent: [{ device_id: "hall_lamp", correlation_id: "8c5f2a0e-0000-4000-8000-000000000001" }],
    failed: [{ device_id: "fan", code: "conflict", error: 'the device "fan" is not available' }],
  },
);

export const hubVariableChanged = defineEvent(
  "hub_variable_changed",
  "A hub variable was written",
  {
    name: Type.String(),
    value: Type.Unknown(),
    previous_value: Type.Unknown(),
  },
  { name: "guests", value: 3, previous_value: 2 },
);

export const systemStarted = defineEvent(
  "system_started",
  "The rule engine finished its startup initialization",
  {
    version: Type.String(),
  },
  { version: "0.1.0" },
);

export const webhookReceived = defineEvent(
  "webhook_received",
  "A webhook was called with a rule's secret",
  {
    path: Type.String(),
    method: Type.String(),
    /** Without `secret`, which no event ever holds. */
    query: Type.Record(Type.String(), Type.String()),
    /** JSON, or the text where it was none; null where nothing was sent. */
    body: Type.Unknown(),
  },
  { path: "doorbell", method: "POST", query: { floor: "1" }, body: { button: "front" } },
);
