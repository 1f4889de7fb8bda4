// What the room of discovery keeps of each announcement, and how it is shown.
import { HubError } from "../../kit/schema/errors.ts";
import { isValidId } from "../../kit/schema/ids.ts";
import { type Json, parseJson } from "../../kit/schema/json.ts";
import type { DescribedDevice, Message } from "./described.ts";
import type { GivenNames } from "./given-names.ts";
import type { Incoming, Sender } from "./source.ts";

export type EntryState = "accepted" | "waiting" | "ignored" | "broken";

export interface DiscoveryEntry {
  id: string;
  source: string;
  account: string;
  name: string | null;
  manufacturer: string | null;
  model: string | null;
  state: EntryState;
  device_id: string | null;
  problem: string | null;
}

/** One device as one source describes it, or an announcement that cannot be used. */
export interface Entry {
  readonly id: string;
  readonly source: string;
  readonly rank: number;
  sender: Sender;
  /** In the names that its attributes have in the house, once it is one of its devices. */
  device: DescribedDevice | undefined;
  /** As its source describes it. */
  described: DescribedDevice | undefined;
  /** Between what its source calls its attributes and the names of `device`. */
  names: Pick<GivenNames, "given" | "better"> | undefined;
  deviceId: string | undefined;
  problem: string | undefined;
  announced: boolean;
}

export function shown(
  { id, source, sender, device, deviceId, problem }: Entry,
  state: Exclude<EntryState, "broken">,
): DiscoveryEntry {
  return {
    ...{ id, source, account: sender.name, name: device?.name ?? null },
    ...{ manufacturer: device?.manufacturer ?? null, model: device?.model ?? null },
    state: !device && problem !== undefined ? "broken" : state,
    device_id: deviceId ?? null,
    problem: problem ?? null,
  };
}

/** The best of those of the same account that describe the same device as one that is gone. */
export function heirOf({ device, sender }: Entry, entries: Iterable<Entry>): Entry | undefined {
  const known = new Set(device?.identities);
  return [...entries]
    .filter((one) => one.announced && one.sender.name === sender.name)
    .filter((one) => one.device?.identities.some((identity) => known.has(identity)))
    .sort((a, b) => a.rank - b.rank)[0];
}

/** What is listed of a device that is announced no more: the rest may be much, and its account may announce others for ever. */
export function goneOf({
  identity,
  identities,
  name,
  deviceType,
  manufacturer,
  model,
}: DescribedDevice): DescribedDevice {
  return {
    ...{ identity, identities, name, deviceType, manufacturer, model, area: undefined, parent: undefined },
    ...{ attributes: [], topics: [] },
    read: () => ({ attributes: {}, actions: [] }),
    write: () => [],
  };
}

export function entryId(sender: Sender, source: string, key: string): string {
  return `${source}:${sender.name}:${key}`;
}

/** Of the hub's alphabet. */
export function deviceIdOf(identity: string): string {
  const id = identity
    .replace(/[/+#\s\p{Cc}]+/gu, "_")
    .replace(/^\$+/, "")
    .slice(0, 200);
  if (!isValidId(id)) throw new HubError("invalid", `no id can be made of "${identity}"`);
  return id;
}

const DECODER = new TextDecoder();

/** For `Incoming.message`: text and JSON, read when asked for, once. */
export function messageIn(payload: Uint8Array): Incoming["message"] {
  let read: Message | undefined;
  return () => {
    if (!read) {
      const text = DECODER.decode(payload);
      const parsed = parseJson(text);
      read = { text, json: parsed.ok ? (parsed.value as Json) : undefined, payload };
    }
    return read;
  };
}
