// From what clients publish to the parts it concerns. Rights have been checked; what a payload says has not.
import { isUtf8 } from "node:buffer";
import { HubError, messageOf } from "../core/errors.ts";
import { parseJson } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { EventFeed } from "../events/feed.ts";
import { createDeviceRows } from "./device-rows.ts";
import { readObject, textOf } from "./messages.ts";
import type { NewDevices } from "./new-devices.ts";
import type { PluginLogs } from "./plugin-logs.ts";
import { createPluginRows } from "./plugin-rows.ts";
import type { DevicePort, Heard, Outcome, PluginPort } from "./ports.ts";
import type { RateLimitedLog } from "./rate-limited-log.ts";

export interface BridgeOptions {
  devices: DevicePort;
  plugins: PluginPort;
  feed: EventFeed;
  log: Log;
  limited: RateLimitedLog;
  logs: PluginLogs;
  newDevices: NewDevices;
}

export function createBridge(options: BridgeOptions): (heard: Heard) => void {
  const { devices, feed, log, limited, newDevices } = options;
  const deviceRow = createDeviceRows(devices);
  const pluginRow = createPluginRows(options);

  function dispatch(heard: Heard): Outcome {
    const { topic } = heard;
    switch (topic.kind) {
      case "device":
        return newDevices(heard.account, topic.deviceId, () => deviceRow(heard, topic));
      case "plugin":
        return pluginRow(heard, topic);
      case "event":
        return customEvent(topic.eventType, heard);
      default:
        return undefined;
    }
  }

  function customEvent(eventType: string, { account, payload }: Heard): Outcome {
    const read = readObject(payload);
    if (!read.ok) return read.problem;
    const { type: _type, timestamp: _timestamp, seq: _seq, ...fields } = read.value;
    feed.emit({ ...fields, type: `custom_${eventType}`, source: account.name });
    return undefined;
  }

  function ignored({ account, name }: Heard, reason: string): void {
    limited.warn(`ignored ${account.name}`, "an MQTT message was ignored", {
      plugin: account.name,
      topic: name,
      reason,
    });
  }

  return function hear(heard) {
    try {
      const problem = dispatch(heard);
      if (problem) ignored(heard, problem);
    } catch (error) {
      if (error instanceof HubError) ignored(heard, error.message);
      else
        limited.line(`failed ${heard.account.name}`, () =>
          log.error("an MQTT message could not be handled", { topic: heard.name, error: messageOf(error) }),
        );
    }
    if (feed.wantsMqtt() && !heard.name.startsWith("$")) emitMessage(feed, heard);
  };
}

function emitMessage(feed: EventFeed, { clientId, name, payload, qos, retain }: Heard): void {
  const content = isUtf8(payload) ? { payload: jsonOrText(textOf(payload)) } : {};
  feed.emit({
    type: "mqtt_message",
    topic: name,
    ...content,
    payload_bytes: payload.length,
    retain,
    qos,
    client_id: clientId,
  });
}

function jsonOrText(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}
