// What has been announced: every entry by its id, and the ways that lead to it.
import { hasWildcard, matchesFilter } from "../core/topic-filter.ts";
import type { Entry } from "./entry.ts";

// An account may announce what it likes; nobody has so many devices.
const MOST_ENTRIES = 5000;
/** Which filters a topic matches is worked out once. */
const MAX_MATCHED = 10_000;

export class Entries {
  readonly #all = new Map<string, Entry>();
  readonly #topics = new Map<string, Set<Entry>>();
  /** The filters among them. */
  readonly #filters = new Set<string>();
  readonly #matched = new Map<string, readonly string[]>();
  /** Of the device that is known by it. */
  readonly #byIdentity = new Map<string, Entry>();
  readonly #byDevice = new Map<string, Entry>();

  get(id: string): Entry | undefined {
    return this.#all.get(id);
  }

  all(): Iterable<Entry> {
    return this.#all.values();
  }

  /** Undefined where there are too many. */
  make(entry: Pick<Entry, "id" | "source" | "rank" | "sender">): Entry | undefined {
    if (this.#all.size >= MOST_ENTRIES) return undefined;
    const none = { device: undefined, described: undefined, given: undefined, deviceId: undefined, problem: undefined };
    const made: Entry = { ...entry, ...none, announced: false };
    this.#all.set(entry.id, made);
    return made;
  }

  delete(entry: Entry): void {
    this.detach(entry);
    this.#all.delete(entry.id);
  }

  ofTopic(topic: string): Iterable<Entry> {
    const own = this.#topics.get(topic) ?? [];
    if (this.#filters.size === 0) return own;
    return new Set([...own, ...this.#filtersOf(topic).flatMap((filter) => [...(this.#topics.get(filter) ?? [])])]);
  }

  #filtersOf(topic: string): readonly string[] {
    const known = this.#matched.get(topic);
    if (known) return known;
    const found = [...this.#filters].filter((filter) => matchesFilter(filter, topic));
    if (this.#matched.size >= MAX_MATCHED) this.#matched.clear();
    this.#matched.set(topic, found);
    return found;
  }

  ofIdentity(identity: string): Entry | undefined {
    return this.#byIdentity.get(identity);
  }

  ofDevice(deviceId: string): Entry | undefined {
    return this.#byDevice.get(deviceId);
  }

  /** From now on its topics, its identities and the device lead to it. */
  attach(entry: Entry, deviceId: string): void {
    entry.deviceId = deviceId;
    this.#byDevice.set(deviceId, entry);
    for (const one of entry.device?.identities ?? []) this.#byIdentity.set(one, entry);
    for (const topic of entry.device?.topics ?? []) {
      const known = this.#topics.get(topic) ?? new Set();
      this.#topics.set(topic, known.add(entry));
      if (!hasWildcard(topic) || this.#filters.has(topic)) continue;
      this.#filters.add(topic);
      this.#matched.clear();
    }
  }

  /** Nothing but its id leads to it any more. */
  detach(entry: Entry): void {
    const { device, deviceId } = entry;
    for (const topic of device?.topics ?? []) {
      const known = this.#topics.get(topic);
      known?.delete(entry);
      if (known?.size !== 0) continue;
      this.#topics.delete(topic);
      if (this.#filters.delete(topic)) this.#matched.clear();
    }
    for (const one of device?.identities ?? []) if (this.#byIdentity.get(one) === entry) this.#byIdentity.delete(one);
    if (deviceId !== undefined && this.#byDevice.get(deviceId) === entry) this.#byDevice.delete(deviceId);
  }
}
