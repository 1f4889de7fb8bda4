// Passes the messages of clients to the parts of the hub they concern. Rights have been checked before; payloads are checked here.
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { EventFeed } from "../../server/events/feed.ts";
import { createDeviceMessages } from "./device-messages.ts";
import { emitMqttMessage } from "./mqtt-events.ts";
import type { NewDeviceLimit } from "./new-device-limit.ts";
import { readObject, textOf } from "./payloads.ts";
import type { PluginLogs } from "./plugin-logs.ts";
import { createPluginMessages } from "./plugin-messages.ts";
import type { DevicePort, PluginPort, ReceivedMessage, Rejection } from "./ports.ts";
import type { RateLimitedLog } from "./rate-limited-log.ts";
import { isPluginMemory } from "./topics.ts";

export interface BridgeOptions {
  devices: DevicePort;
  plugins: PluginPort | undefined;
  feed: EventFeed;
  log: Log;
  limited: RateLimitedLog;
  logs: PluginLogs;
  newDeviceLimit: NewDeviceLimit;
  /** For what is outside the hub's own topics. */
  onOther: (message: ReceivedMessage) => void;
}

export function createBridge(options: BridgeOptions): (message: ReceivedMessage) => void {
  const { devices, feed, log, limited, newDeviceLimit, onOther } = options;
  const onDeviceMessage = createDeviceMessages(devices);
  const onPluginMessage = createPluginMessages(options);
  const noteSignOfLife = createSignsOfLife(options);

  function dispatch(message: ReceivedMessage): Rejection {
    const { account, topic } = message;
    switch (topic.kind) {
      case "device":
        return newDeviceLimit(account, topic.deviceId, () => onDeviceMessage(message, topic));
      case "plugin":
      case "request":
        return onPluginMessage(message, topic);
      case "event":
        return customEvent(topic.eventType, message);
      case "other":
        onOther(message);
        return undefined;
      default:
        return undefined;
    }
  }

  function customEvent(eventType: string, { account, payload }: ReceivedMessage): Rejection {
    const read = readObject(payload);
    if (!read.ok) return read.problem;
    const { type: _type, timestamp: _timestamp, seq: _seq, ...fields } = read.value;
    feed.emit({ ...fields, type: `custom_${eventType}`, source: account.name });
    return undefined;
  }

  function logIgnored({ account, name }: ReceivedMessage, reason: string): void {
    limited.warn(`ignored ${account.name}`, "an MQTT message was ignored", {
      plugin: account.name,
      topic: name,
      reason,
    });
  }

  return function onMessage(message) {
    const { account, name } = message;
    try {
      if (!message.kept) noteSignOfLife(message);
      const rejection = dispatch(message);
      if (rejection) logIgnored(message, rejection);
    } catch (error) {
      if (error instanceof HubError) logIgnored(message, error.message);
      else
        limited.line(`failed ${account.name}`, () =>
          log.error("an MQTT message could not be handled", { topic: name, error: messageOf(error) }),
        );
    }
    // What a plugin remembers may be the keys to its bridge: it is nobody else's to read.
    if (!message.kept && !isPluginMemory(message.topic)) emitMqttMessage(feed, message);
  };
}

interface SignsOptions {
  devices: Pick<DevicePort, "ownerOf">;
  plugins: Pick<PluginPort, "markSeen" | "markDeviceSeen"> | undefined;
}

/** Notifies the plugins which of them a message shows to be alive. */
function createSignsOfLife({ devices, plugins }: SignsOptions): (message: ReceivedMessage) => void {
  return function noteSignOfLife(message) {
    const { account, topic } = message;
    if (mayBeWill(message)) return;
    if (account.kind === "plugin") plugins?.markSeen(account.name);
    else if (topic.kind === "device") {
      const owner = devices.ownerOf(topic.deviceId);
      if (owner !== undefined) plugins?.markDeviceSeen(owner);
    } else if ((topic.kind === "plugin" || topic.kind === "request") && message.payload.length > 0) {
      if (topic.kind === "request" || topic.subtopic !== "manage/cmd") plugins?.markSeen(topic.pluginId);
    }
  };
}

/** The broker publishes such for a client that is gone; a plugin's own status says itself what it means. */
function mayBeWill({ topic, payload, byWill }: ReceivedMessage): boolean {
  if (byWill) return true;
  if (topic.kind === "plugin") return topic.subtopic === "status";
  if (topic.kind !== "device" || topic.subtopic !== "availability" || payload.length > 64) return false;
  return ["offline", "0", "false"].includes(textOf(payload).trim().toLowerCase());
}
