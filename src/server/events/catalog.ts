// Every event type there is. A new one is a definition in this folder and a line here.
import type { EventOf } from "./define.ts";
import * as devices from "./devices.ts";
import * as notify from "./notify.ts";
import * as plugins from "./plugins.ts";
import * as rules from "./rules.ts";
import * as system from "./system.ts";

export const catalog = [
  devices.deviceStateChanged,
  devices.deviceAvailabilityChanged,
  devices.deviceAttributesUnavailable,
  devices.deviceNameChanged,
  devices.deviceAttributeRenamed,
  devices.deviceCommandSent,
  devices.deviceAction,
  devices.deviceCommandFailed,
  devices.deviceBatteryLow,
  devices.deviceBatteryRecovered,
  devices.timerStateChanged,
  devices.modeChanged,
  rules.ruleFired,
  rules.actionFailed,
  rules.ruleRunEnded,
  rules.sceneActivated,
  rules.hubVariableChanged,
  rules.systemStarted,
  system.systemSafeStart,
  rules.webhookReceived,
  notify.notificationQueued,
  notify.notificationDeliveredLate,
  notify.notificationGivenUp,
  notify.notificationRecipientRefused,
  notify.notificationAcknowledged,
  notify.notificationUnanswered,
  plugins.pluginRegistered,
  plugins.pluginOffline,
  plugins.pluginHeartbeat,
  plugins.pluginStatusChanged,
  plugins.pluginAction,
  plugins.mqttMessage,
  system.systemTookOver,
  system.standbyConnected,
  system.standbyLost,
  system.backupFailed,
  system.backupCopied,
  system.backupCopyFailed,
  system.limitReached,
  system.alert,
] as const;

/** `custom_<event_type>`: from a rule's `fire_event` or from a plugin; its other fields are the sender's. */
export type CustomEvent = { type: `custom_${string}`; [field: string]: unknown };

export type HubEvent = EventOf<(typeof catalog)[number]> | CustomEvent;
export type EventType = HubEvent["type"];

/** What every emitted event carries besides its own fields. */
export interface Stamp {
  /** UTC, `2026-01-31T23:59:59Z`. */
  timestamp: string;
  /** Only grows, across restarts too. */
  seq: number;
}
