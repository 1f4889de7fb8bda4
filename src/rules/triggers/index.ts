// Every trigger there is. A new one is a file in this folder and a line here.
import type { TriggerDefinition } from "../model/define.ts";
import { buttonEvent } from "./button-event.ts";
import { calendarEvent } from "./calendar-event.ts";
import { cron } from "./cron.ts";
import { customEvent } from "./custom-event.ts";
import { deviceAction } from "./device-action.ts";
import { deviceAvailabilityChanged } from "./device-availability-changed.ts";
import { deviceBatteryLow } from "./device-battery-low.ts";
import { deviceBatteryRecovered } from "./device-battery-recovered.ts";
import { deviceStateChanged } from "./device-state-changed.ts";
import { hubVariableChanged } from "./hub-variable-changed.ts";
import { manualTrigger } from "./manual-trigger.ts";
import { modeChanged } from "./mode-changed.ts";
import { mqttMessage } from "./mqtt-message.ts";
import { notificationAcknowledged } from "./notification-acknowledged.ts";
import { numericThreshold } from "./numeric-threshold.ts";
import { periodic } from "./periodic.ts";
import { pluginOffline } from "./plugin-offline.ts";
import { sunEvent } from "./sun-event.ts";
import { systemStarted } from "./system-started.ts";
import { timeOfDay } from "./time-of-day.ts";
import { timerStateChanged } from "./timer-state-changed.ts";
import { webhookReceived } from "./webhook-received.ts";

export const triggers: readonly TriggerDefinition[] = [
  deviceStateChanged,
  deviceAvailabilityChanged,
  buttonEvent,
  deviceAction,
  numericThreshold,
  cron,
  timeOfDay,
  sunEvent,
  periodic,
  calendarEvent,
  modeChanged,
  hubVariableChanged,
  timerStateChanged,
  deviceBatteryLow,
  deviceBatteryRecovered,
  mqttMessage,
  webhookReceived,
  customEvent,
  notificationAcknowledged,
  systemStarted,
  pluginOffline,
  manualTrigger,
];
