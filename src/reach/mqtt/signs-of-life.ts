// Notifies the plugins which of them a message shows to be alive.
import { textOf } from "./payloads.ts";
import type { DevicePort, PluginPort, ReceivedMessage } from "./ports.ts";

interface SignsOptions {
  devices: Pick<DevicePort, "ownerOf">;
  plugins: Pick<PluginPort, "markSeen" | "markDeviceSeen"> | undefined;
}

export function createSignsOfLife({ devices, plugins }: SignsOptions): (message: ReceivedMessage) => void {
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
