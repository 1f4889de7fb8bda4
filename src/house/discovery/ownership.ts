// Who speaks for a device: the account that announced it first. Only a person gives it to another.
import { HubError } from "../../kit/schema/errors.ts";
import type { Entry } from "./entry.ts";
import type { HouseDevices } from "./house-devices.ts";
import type { DiscoveryStore } from "./store.ts";

/** The end of every problem that accepting the announcement solves. */
export const TAKE_IT = "accept this announcement to take it from there, or ignore it";

/** The better source of one account; of two accounts the first, unless a person accepted the second. */
export function hasPriority(entry: Entry, other: Entry, store: Pick<DiscoveryStore, "decision">): boolean {
  if (entry.sender.name === other.sender.name) return entry.rank < other.rank;
  return store.decision(entry.id) === "accepted" && store.decision(other.id) !== "accepted";
}

/** Whether the device was another account's before. Throws HubError `forbidden` where no person gave it away. */
export function claim(
  deviceId: string,
  { id, sender }: Entry,
  { devices, store }: { devices: HouseDevices; store: Pick<DiscoveryStore, "decision" | "knows"> },
): boolean {
  const owner = devices.ownerOf(deviceId);
  if (owner === undefined || owner === sender.name) return false;
  if (store.decision(id) !== "accepted" || !store.knows(deviceId))
    throw new HubError("forbidden", `the device "${deviceId}" belongs to ${owner}; ${TAKE_IT}`);
  devices.transferOwnership(deviceId, sender.name);
  return true;
}
