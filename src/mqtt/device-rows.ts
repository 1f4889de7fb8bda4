// The device topics: state, partial state, availability, schema.
import { HUB_PLUGIN_ID } from "../core/ids.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { readObject, textOf } from "./messages.ts";
import type { DevicePort, Heard, Outcome } from "./ports.ts";
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

export function createDeviceRows(devices: DevicePort): (heard: Heard, topic: DeviceTopic) => Outcome {
  /** Whose report it is. Accounts that may write any device write in its owner's name, except for the hub's own. */
  function reporter({ account }: Heard, deviceId: string): string {
    const owner = devices.ownerOf(deviceId);
    return owner === undefined || owner === HUB_PLUGIN_ID ? account.name : owner;
  }

  function state(heard: Heard, deviceId: string, partial: boolean): Outcome {
    const read = readObject(heard.payload);
    if (!read.ok) return read.problem;
    const { attributes, change } = withoutMetadata(read.value);
    devices.state(deviceId, attributes, { pluginId: reporter(heard, deviceId), partial, ...(change && { change }) });
    return undefined;
  }

  return function deviceRow(heard, { deviceId, row }) {
    // A cleared retained message.
    if (heard.payload.length === 0) return undefined;
    switch (row) {
      case "state":
        return state(heard, deviceId, false);
      case "state/partial":
        return state(heard, deviceId, true);
      case "availability": {
        if (heard.payload.length > 64) return "neither online nor offline";
        const available = AVAILABILITY.get(textOf(heard.payload).trim().toLowerCase());
        if (available === undefined) return "neither online nor offline";
        devices.availability(deviceId, available, reporter(heard, deviceId));
        return undefined;
      }
      case "schema": {
        const read = readObject(heard.payload);
        if (!read.ok) return read.problem;
        devices.schema(deviceId, read.value, reporter(heard, deviceId));
        return undefined;
      }
      case "cmd":
        return undefined;
    }
  };
}

/** Takes `_hc` off a report that was just parsed; `_hc.change` tells who caused it. */
function withoutMetadata(report: JsonObject): { attributes: JsonObject; change?: JsonObject } {
  const { _hc: metadata } = report;
  if (metadata === undefined) return { attributes: report };
  delete report._hc;
  return isObject(metadata) && isObject(metadata.change)
    ? { attributes: report, change: metadata.change }
    : { attributes: report };
}
