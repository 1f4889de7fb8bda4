// The plugin topics: registrations, life signs, capabilities, answers, log lines.

import { isValidId } from "../core/ids.ts";
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
} from "./messages.ts";
import type { NewDevices } from "./new-devices.ts";
import type { PluginLogs } from "./plugin-logs.ts";
import type { DevicePort, Heard, Outcome, PluginPort } from "./ports.ts";
import type { RateLimitedLog } from "./rate-limited-log.ts";
import type { PluginRow, Topic } from "./topics.ts";

type PluginTopic = Extract<Topic, { kind: "plugin" }>;

const BAD_ID = "device_id must be without / + # and control characters, and not start with $";

export interface PluginRowsOptions {
  devices: DevicePort;
  plugins: PluginPort;
  logs: PluginLogs;
  limited: RateLimitedLog;
  newDevices: NewDevices;
}

export function createPluginRows({ devices, plugins, logs, limited, newDevices }: PluginRowsOptions) {
  const check = {
    registration: createCheck(Registration),
    unregistration: createCheck(Unregistration),
    heartbeat: createCheck(Heartbeat),
    logLine: createCheck(LogLine),
  };

  function belongsToAnother({ account }: Heard, deviceId: string, pluginId: string): Outcome {
    const owner = devices.ownerOf(deviceId);
    if (owner === undefined || owner === pluginId || account.kind === "listed") return undefined;
    return `the device "${deviceId}" belongs to the plugin "${owner}"`;
  }

  function register(heard: Heard, pluginId: string): Outcome {
    return taken(readMessage(check.registration, heard.payload), (registration) => {
      const { device_id: deviceId, plugin_id: named } = registration;
      if (!isValidId(deviceId)) return BAD_ID;
      const problem = belongsToAnother(heard, deviceId, pluginId);
      if (problem) return problem;
      if (named !== undefined && named !== pluginId) {
        limited.warn(`name ${pluginId}`, "a registration names another plugin than its topic, which counts", {
          plugin: pluginId,
          named: named.slice(0, 200),
        });
      }
      return newDevices(heard.account, deviceId, () => {
        devices.register({ ...registration, plugin_id: pluginId }, pluginId);
        plugins.registered(pluginId, deviceId);
        return undefined;
      });
    });
  }

  const rows: Record<PluginRow, (heard: Heard, pluginId: string) => Outcome> = {
    register,
    unregister: (heard, pluginId) =>
      taken(readMessage(check.unregistration, heard.payload), ({ device_id: deviceId }) => {
        if (!isValidId(deviceId)) return BAD_ID;
        const problem = belongsToAnother(heard, deviceId, pluginId);
        if (!problem) devices.unregister(deviceId, pluginId);
        return problem;
      }),
    heartbeat: (heard, pluginId) =>
      handed(readMessage(check.heartbeat, heard.payload), (heartbeat) => plugins.heartbeat(pluginId, heartbeat)),
    status(heard, pluginId) {
      const status = textOf(heard.payload.subarray(0, 64)).trim().toLowerCase();
      if (status !== "active" && status !== "degraded" && status !== "offline")
        return "neither active nor degraded nor offline";
      plugins.status(pluginId, status);
      return undefined;
    },
    capabilities: (heard, pluginId) =>
      handed(readObject(heard.payload), (capabilities) => plugins.capabilities(pluginId, capabilities)),
    "manage/response": (heard, pluginId) =>
      handed(readObject(heard.payload), (response) => plugins.response(pluginId, response)),
    logs: (heard, pluginId) => handed(readMessage(check.logLine, heard.payload), (line) => logs.write(pluginId, line)),
    // The hub's own row: a listed account may speak to plugins there, the hub has nothing to hear.
    "manage/cmd": () => undefined,
  };

  return function pluginRow(heard: Heard, { pluginId, row }: PluginTopic): Outcome {
    // A cleared retained message.
    return heard.payload.length === 0 ? undefined : rows[row](heard, pluginId);
  };
}

/** Hands a readable message on; the problem of an unreadable one. */
function taken<T>(read: Read<T>, then: (value: T) => Outcome): Outcome {
  return read.ok ? then(read.value) : read.problem;
}

/** The same where the receiver has no objection to make. */
function handed<T>(read: Read<T>, to: (value: T) => void): Outcome {
  if (!read.ok) return read.problem;
  to(read.value);
  return undefined;
}
