// Who takes the commands of a device: by the subscriptions of clients. Whoever subscribes to them shows that the device can be
// reached, also if it says nothing until it is asked for something.
import { HubError } from "../../kit/schema/errors.ts";
import { isValidId } from "../../kit/schema/ids.ts";
import { hasWildcard, matchesFilter } from "../../kit/text/topic-filter.ts";
import type { Account } from "./accounts/accounts.ts";
import type { Rights } from "./accounts/rights.ts";
import type { DevicePort } from "./ports.ts";
import { formatTopic, parseTopic } from "./topics.ts";

export interface AttendanceOptions {
  prefix: string;
  rights: Pick<Rights, "mayReceive">;
  devices: Pick<DevicePort, "ownerOf" | "attended" | "unattended">;
}

export interface Attendance {
  /** `{p}/devices/{id}/cmd`. Throws HubError `invalid`. */
  commandTopic(deviceId: string): string;
  /** Whether this subscription is one for commands. Whoever listens to everything, and is not the device's owner, only watches. */
  takes(owner: string | undefined, account: Account, filter: string): boolean;
  /** An account gets what matches the filter from now on. */
  onSubscribed(account: Account, filter: string): void;
}

export function createAttendance({ prefix, rights, devices }: AttendanceOptions): Attendance {
  const everything = new Set(["#", `${prefix}/#`]);

  const commandTopic = (deviceId: string): string =>
    formatTopic(prefix, { kind: "device", deviceId: checkedId(deviceId), subtopic: "cmd" });

  const takes: Attendance["takes"] = (owner, account, filter) => account.name === owner || !everything.has(filter);

  /** Devices that it may be about. Thousands may each subscribe to their own topic. */
  function commandedBy(filter: string): Iterable<{ id: string; pluginId: string | undefined }> {
    if (hasWildcard(filter)) return devices.unattended();
    const topic = parseTopic(prefix, filter);
    return topic.kind === "device" ? [{ id: topic.deviceId, pluginId: devices.ownerOf(topic.deviceId) }] : [];
  }

  return {
    commandTopic,
    takes,
    onSubscribed(account, filter) {
      for (const { id, pluginId } of commandedBy(filter)) {
        const topic = commandTopic(id);
        const attends = matchesFilter(filter, topic) && takes(pluginId, account, filter);
        if (attends && rights.mayReceive(account, topic)) devices.attended(id);
      }
    },
  };
}

/** Throws HubError `invalid` for what cannot be a level of a topic. */
export function checkedId(id: string): string {
  if (!isValidId(id)) throw new HubError("invalid", `"${id}" cannot be an id in an MQTT topic`);
  return id;
}
