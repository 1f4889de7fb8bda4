// Events about rules, scenes, variables and webhooks.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

const AnyObject = Type.Record(Type.String(), Type.Unknown());

export const ruleFired = defineEvent("rule_fired", "A rule's conditions passed and its actions executed", {
  rule_id: Type.String(),
  rule_name: Type.String(),
  trigger_type: Type.String(),
  trigger_context: AnyObject,
  trigger_label: Type.String(),
});

export const actionFailed = defineEvent("action_failed", "A rule action failed to execute", {
  rule_id: Type.String(),
  rule_name: Type.String(),
  action_type: Type.String(),
  error: Type.String(),
});

export const sceneActivated = defineEvent("scene_activated", "A scene was activated", {
  scene_id: Type.String(),
  scene_name: Type.String(),
  /** Who asked: `user`, `api_key`, `rule`, … and its name. */
  source: Type.String(),
  actor_name: Type.String(),
  sent: Type.Array(Type.Object({ device_id: Type.String(), correlation_id: Type.String() })),
  /** Devices that were not commanded, and why; all others were. */
  failed: Type.Array(Type.Object({ device_id: Type.String(), code: Type.String(), error: Type.String() })),
});

export const hubVariableChanged = defineEvent("hub_variable_changed", "A hub variable was written", {
  name: Type.String(),
  value: Type.Unknown(),
  previous_value: Type.Unknown(),
});

export const webhookReceived = defineEvent("webhook_received", "A webhook was called with a rule's secret", {
  path: Type.String(),
  method: Type.String(),
  /** Without `secret`, which is in no event. */
  query: Type.Record(Type.String(), Type.String()),
  /** JSON, or the text if it is not JSON; null for an empty body. */
  body: Type.Unknown(),
});
