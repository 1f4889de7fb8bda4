// What has been announced: every entry by its id, and the ways that lead to it.
import { createShares } from "../../kit/lifecycle/shares.ts";
import { hasWildcard } from "../../kit/text/topic-filter.ts";
import type { DescribedDevice } from "./described.ts";
import type { Entry } from "./entry.ts";

/** An account may announce what it likes; nobody has so many devices. */
export const MAX_ENTRIES = { each: 5000, all: 20_000 };

/** What one account reports on. */
interface Topics {
  /** By topic, and by filter. */
  readonly entries: Map<string, Set<Entry>>;
  readonly filters: FilterTree;
}

export class Entries {
  readonly #all = new Map<string, Entry>();
  readonly #shares = createShares(MAX_ENTRIES);
  /** By account: each speaks for its own devices alone, and pays for its own filters. */
  readonly #topics = new Map<string, Topics>();
  /** Of the device that is known by it. */
  readonly #byIdentity = new Map<string, Entry>();
  readonly #byDevice = new Map<string, Entry>();

  get(id: string): Entry | undefined {
    return this.#all.get(id);
  }

  all(): Iterable<Entry> {
    return this.#all.values();
  }

  /** Undefined where its account, or all together, have too many that are announced. */
  make(entry: Pick<Entry, "id" | "source" | "rank" | "sender">): Entry | undefined {
    const { name } = entry.sender;
    const lacking = this.#shares.lacks(name, 1);
    if (lacking !== undefined && !this.#forgetGone(lacking === "each" ? name : undefined)) return undefined;
    const none = { device: undefined, described: undefined, names: undefined, deviceId: undefined, problem: undefined };
    const made: Entry = { ...entry, ...none, announced: false };
    this.#all.set(entry.id, made);
    this.#shares.add(name, 1);
    return made;
  }

  delete(entry: Entry): void {
    this.detach(entry);
    if (this.#all.delete(entry.id)) this.#shares.add(entry.sender.name, -1);
  }

  /** The one, of this account if any, that is announced no more for the longest. */
  #forgetGone(account: string | undefined): boolean {
    for (const one of this.#all.values()) {
      if (one.announced || one.problem !== undefined || (account ?? one.sender.name) !== one.sender.name) continue;
      this.delete(one);
      return true;
    }
    return false;
  }

  /** Devices of the account that report on it. */
  ofTopic(topic: string, account: string): Iterable<Entry> {
    const topics = this.#topics.get(account);
    if (!topics) return [];
    const own = topics.entries.get(topic) ?? [];
    if (topics.filters.isEmpty) return own;
    const matching = topics.filters.matching(topic).flatMap((filter) => [...(topics.entries.get(filter) ?? [])]);
    return new Set([...own, ...matching]);
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
    const { name } = entry.sender;
    const topics = this.#topics.get(name) ?? { entries: new Map<string, Set<Entry>>(), filters: new FilterTree() };
    this.#topics.set(name, topics);
    for (const topic of entry.device?.topics ?? []) {
      const known = topics.entries.get(topic) ?? new Set();
      topics.entries.set(topic, known.add(entry));
      if (hasWildcard(topic)) topics.filters.add(topic);
    }
  }

  /** Nothing but its id leads to it any more. */
  detach(entry: Entry): void {
    const { device, deviceId, sender } = entry;
    const topics = this.#topics.get(sender.name);
    for (const topic of device?.topics ?? []) {
      const known = topics?.entries.get(topic);
      known?.delete(entry);
      if (known?.size !== 0) continue;
      topics?.entries.delete(topic);
      if (hasWildcard(topic)) topics?.filters.delete(topic);
    }
    if (topics?.entries.size === 0) this.#topics.delete(sender.name);
    for (const one of device?.identities ?? []) if (this.#byIdentity.get(one) === entry) this.#byIdentity.delete(one);
    if (deviceId !== undefined && this.#byDevice.get(deviceId) === entry) this.#byDevice.delete(deviceId);
  }
}

/** Filters by their levels: which of thousands match a topic is found without trying each. */
interface Node {
  readonly below: Map<string, Node>;
  /** The filter that ends here. */
  filter: string | undefined;
}

const newNode = (): Node => ({ below: new Map(), filter: undefined });

export class FilterTree {
  readonly #root = newNode();

  add(filter: string): void {
    let node = this.#root;
    for (const level of filter.split("/")) {
      const next = node.below.get(level) ?? newNode();
      node.below.set(level, next);
      node = next;
    }
    node.filter = filter;
  }

  delete(filter: string): void {
    deleteBelow(this.#root, filter.split("/"), 0);
  }

  get isEmpty(): boolean {
    return this.#root.below.size === 0;
  }

  /** As `matchesFilter` does. */
  matching(topic: string): string[] {
    if (this.isEmpty) return [];
    const found: string[] = [];
    const levels = topic.split("/");
    const visit = (node: Node, at: number): void => {
      const wild = at > 0 || !topic.startsWith("$");
      const rest = wild ? node.below.get("#")?.filter : undefined;
      if (rest !== undefined) found.push(rest);
      const level = levels[at];
      if (level === undefined) {
        if (node.filter !== undefined) found.push(node.filter);
        return;
      }
      const [own, any] = [node.below.get(level), wild ? node.below.get("+") : undefined];
      if (own) visit(own, at + 1);
      if (any) visit(any, at + 1);
    };
    visit(this.#root, 0);
    return found;
  }
}

function deleteBelow(node: Node, levels: readonly string[], at: number): void {
  const level = levels[at];
  if (level === undefined) {
    node.filter = undefined;
    return;
  }
  const next = node.below.get(level);
  if (!next) return;
  deleteBelow(next, levels, at + 1);
  if (next.below.size === 0 && next.filter === undefined) node.below.delete(level);
}

// Longer than any house has things behind things.
const MAX_ABOVE = 20;
// Each is registered again when its parent appears.
const MAX_CHILDREN = 500;

export class Parents {
  readonly #find: (identity: string) => Entry | undefined;
  /** By the identity of the parent that is not there yet. */
  readonly #waiting = new Map<string, Set<Entry>>();

  /** `find`: the device that is known by an identity. */
  constructor(find: (identity: string) => Entry | undefined) {
    this.#find = find;
  }

  /** Undefined where there is none yet, or where the device would be behind itself. */
  idOf(entry: Entry, deviceId: string): string | undefined {
    const identity = entry.device?.parent;
    if (identity === undefined) return undefined;
    const parent = this.#find(identity);
    if (!parent) this.#wait(identity, entry);
    let above = parent;
    for (let steps = 0; above; steps++) {
      if (above === entry || above.deviceId === deviceId || steps >= MAX_ABOVE) return undefined;
      above = above.device?.parent === undefined ? undefined : this.#find(above.device.parent);
    }
    return parent?.deviceId;
  }

  /** Those that have waited for it. */
  appeared({ device }: Entry): { child: Entry; of: DescribedDevice; deviceId: string }[] {
    const children = new Set<Entry>();
    for (const identity of device?.identities ?? []) {
      for (const child of this.#waiting.get(identity) ?? []) children.add(child);
      this.#waiting.delete(identity);
    }
    return [...children].flatMap((child) => {
      const { device: of, deviceId, announced } = child;
      return announced && of && deviceId !== undefined ? [{ child, of, deviceId }] : [];
    });
  }

  #wait(identity: string, child: Entry): void {
    const children = this.#waiting.get(identity) ?? new Set();
    if (children.size < MAX_CHILDREN) this.#waiting.set(identity, children.add(child));
  }
}
