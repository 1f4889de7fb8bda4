// Messages on the topics of devices: state, partial state, availability, schema.
import { HUB_PLUGIN_ID } from "../../kit/schema/ids.ts";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import { readObject, textOf } from "./payloads.ts";
import type { DevicePort, ReceivedMessage, Rejection } from "./ports.ts";
import type { Topic } from "./topics.ts";

type DeviceTopic = Extract<Topic, { kind: "device" }>;

const AVAILABILITY = new Map([
  ["online", true],
  ["1", true],
  ["true", true],
  ["offline", false],
  ["0", false],
  ["false", false],
]);

// The broker, which stayed up, would have said so if the device had left.
const KEPT = { retained: true, lasting: true };

export function createDeviceMessages(devices: DevicePort): (message: ReceivedMessage, topic: DeviceTopic) => Rejection {
  /** The plugin that reports: the device's owner, where it has one and that is not the hub itself; else the account. */
  function reporter({ account }: ReceivedMessage, deviceId: string): string {
    const owner = devices.ownerOf(deviceId);
    return owner === undefined || owner === HUB_PLUGIN_ID ? account.name : owner;
  }

  function state(message: ReceivedMessage, deviceId: string, partial: boolean): Rejection {
    const read = readObject(message.payload);
    if (!read.ok) return read.problem;
    const { attributes, change } = withoutMetadata(read.value);
    const from = { pluginId: reporter(message, deviceId), partial, ...(message.kept && KEPT) };
    devices.state(deviceId, attributes, change ? { ...from, change } : from);
    return undefined;
  }

  return function onDeviceMessage(message, { deviceId, subtopic }) {
    const { payload } = message;
    // Clears a retained message.
    if (payload.length === 0) return undefined;
    if (subtopic !== "cmd") devices.markSeen(reporter(message, deviceId));
    switch (subtopic) {
      case "state":
        return state(message, deviceId, false);
      case "state/partial":
        return state(message, deviceId, true);
      case "availability": {
        if (payload.length > 64) return "neither online nor offline";
        const available = AVAILABILITY.get(textOf(payload).trim().toLowerCase());
        if (available === undefined) return "neither online nor offline";
        const pluginId = reporter(message, deviceId);
        if (message.kept) devices.availability(deviceId, available, pluginId, KEPT);
        else devices.availability(deviceId, available, pluginId);
        return undefined;
      }
      case "schema": {
        const read = readObject(payload);
        if (!read.ok) return read.problem;
        devices.schema(deviceId, read.value, reporter(message, deviceId));
        return undefined;
      }
      case "cmd":
        return undefined;
    }
  };
}

/** Removes `_hc` from a report that was just parsed; `_hc.change` describes the cause of the change. */
function withoutMetadata(report: JsonObject): { attributes: JsonObject; change?: JsonObject } {
  const { _hc: metadata } = report;
  if (metadata === undefined) return { attributes: report };
  delete report._hc;
  return isObject(metadata) && isObject(metadata.change)
    ? { attributes: report, change: metadata.change }
    : { attributes: report };
}
