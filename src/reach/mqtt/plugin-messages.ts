// Messages on the topics of plugins: registrations, heartbeats, capabilities, answers, reports of actions, log lines.

import { isValidId } from "../../kit/schema/ids.ts";
import type { NewDeviceLimit } from "./new-device-limit.ts";
import {
  createCheck,
  Heartbeat,
  LogLine,
  type Read,
  Registration,
  readMessage,
  readObject,
  textOf,
  Unregistration,
} from "./payloads.ts";
import type { PluginLogs } from "./plugin-logs.ts";
import type { DevicePort, PluginPort, ReceivedMessage, Rejection } from "./ports.ts";
import type { RateLimitedLog } from "./rate-limited-log.ts";
import type { PluginSubtopic, Topic } from "./topics.ts";

type PluginTopic = Extract<Topic, { kind: "plugin" | "request" }>;

const BAD_ID = "device_id must be without / + # and control characters, and not start with $";

export interface PluginMessagesOptions {
  devices: DevicePort;
  plugins: PluginPort | undefined;
  logs: PluginLogs;
  limited: RateLimitedLog;
  newDeviceLimit: NewDeviceLimit;
}

export function createPluginMessages({ devices, plugins, logs, limited, newDeviceLimit }: PluginMessagesOptions) {
  const check = {
    registration: createCheck(Registration),
    unregistration: createCheck(Unregistration),
    heartbeat: createCheck(Heartbeat),
    logLine: createCheck(LogLine),
  };

  function belongsToAnother({ account }: ReceivedMessage, deviceId: string, pluginId: string): Rejection {
    const owner = devices.ownerOf(deviceId);
    if (owner === undefined || owner === pluginId || account.kind === "listed") return undefined;
    return `the device "${deviceId}" belongs to the plugin "${owner}"`;
  }

  function register(message: ReceivedMessage, pluginId: string): Rejection {
    return checked(readMessage(check.registration, message.payload), (registration) => {
      const { device_id: deviceId, plugin_id: named } = registration;
      if (!isValidId(deviceId)) return BAD_ID;
      const rejection = belongsToAnother(message, deviceId, pluginId);
      if (rejection) return rejection;
      if (named !== undefined && named !== pluginId) {
        limited.warn(`name ${pluginId}`, "a registration names another plugin than its topic; the topic counts", {
          plugin: pluginId,
          named: named.slice(0, 200),
        });
      }
      return newDeviceLimit(message.account, deviceId, () => {
        devices.register({ ...registration, plugin_id: pluginId }, pluginId);
        plugins?.registered(pluginId, deviceId);
        return undefined;
      });
    });
  }

  const handlers: Record<PluginSubtopic, (message: ReceivedMessage, pluginId: string) => Rejection> = {
    register,
    unregister: (message, pluginId) =>
      checked(readMessage(check.unregistration, message.payload), ({ device_id: deviceId }) => {
        if (!isValidId(deviceId)) return BAD_ID;
        const rejection = belongsToAnother(message, deviceId, pluginId);
        if (!rejection) devices.unregister(deviceId, pluginId);
        return rejection;
      }),
    heartbeat: ({ payload }, pluginId) =>
      passed(readMessage(check.heartbeat, payload), (heartbeat) => plugins?.heartbeat(pluginId, heartbeat)),
    status({ payload, byWill }, pluginId) {
      const status = textOf(payload.subarray(0, 64)).trim().toLowerCase();
      if (status !== "active" && status !== "degraded" && status !== "offline")
        return "neither active nor degraded nor offline";
      plugins?.status(pluginId, status, byWill);
      return undefined;
    },
    capabilities: ({ payload }, pluginId) =>
      checked(readObject(payload), (capabilities) => plugins?.capabilities(pluginId, capabilities)),
    "manage/response": ({ payload }, pluginId) =>
      checked(readObject(payload), (response) => plugins?.response(pluginId, response)),
    logs: ({ payload }, pluginId) => passed(readMessage(check.logLine, payload), (line) => logs.write(pluginId, line)),
    // For plugins: a listed account may publish there, and the hub does not read it.
    "manage/cmd": () => undefined,
    // The broker keeps it for the plugin.
    state: () => undefined,
  };

  return function onPluginMessage(message: ReceivedMessage, topic: PluginTopic): Rejection {
    const { payload } = message;
    // An empty payload clears a retained message.
    if (payload.length === 0) return undefined;
    if (topic.kind === "plugin") return handlers[topic.subtopic](message, topic.pluginId);
    return checked(readObject(payload), (report) => plugins?.report(topic.pluginId, topic.request, report));
  };
}

/** Passes a valid payload to `accept`, which may reject it. */
function checked<T>(read: Read<T>, accept: (value: T) => Rejection): Rejection {
  return read.ok ? accept(read.value) : read.problem;
}

/** Passes a valid payload to `accept`, which takes it in any case. */
function passed<T>(read: Read<T>, accept: (value: T) => void): Rejection {
  if (!read.ok) return read.problem;
  accept(read.value);
  return undefined;
}
