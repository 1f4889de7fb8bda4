// Devices that announce themselves: sources describe them, and here each becomes one of the house. One physical thing that two
// sources describe is one device.
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { takeTurns } from "../../kit/lifecycle/take-turns.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import { printable } from "../../kit/text/printable.ts";
import { type Clock, createPartClock } from "../../kit/time/clock.ts";
import { type Approval, createMatch } from "./approval.ts";
import { AttributeNames } from "./attribute-names.ts";
import { BirthAndWill } from "./birth-and-will.ts";
import type { DescribedDevice, Outgoing } from "./described.ts";
import { Entries, MAX_ENTRIES, Parents } from "./entries.ts";
import {
  type DiscoveryEntry,
  deviceIdOf,
  type Entry,
  type EntryState,
  entryId,
  goneOf,
  heirOf,
  shown,
} from "./entry.ts";
import {
  claim,
  DeviceSpeaker,
  type HouseDevices,
  hasPriority,
  TAKE_IT,
  type TakePicture,
  WaitingMessages,
} from "./house-devices.ts";
import type { ActionFields } from "./presses.ts";
import { createReadingTurns, type ReadingTurns } from "./reading-turns.ts";
import type { CreateSource, Incoming, Sender, Source, SourceHost } from "./source.ts";
import type { Decision, DiscoveryStore } from "./store.ts";
import { createTemplateEngine } from "./templates/template.ts";

export interface DiscoveryOptions {
  clock: Clock;
  log: Log;
  limits: Limits;
  /** How much of a second the reports of one account may take to be read. */
  readingMsPerSecond: number;
  devices: HouseDevices;
  store: DiscoveryStore;
  approval: Approval;
  /** In the order of their worth: of two that describe the same thing, the first counts. */
  sources: readonly CreateSource[];
  /** Of the house's time zone from UTC, at an instant in epoch ms. */
  offsetMs: (at: number) => number;
  onAction: (action: { device_id: string } & ActionFields) => void;
  onPicture: TakePicture;
  /** See `DeviceSpeakerOptions`. */
  onUnavailable: (deviceId: string, attributes: readonly string[]) => void;
  /** A device did not do what it was commanded last. */
  onRefused: (refusal: { deviceId: string; message: string }) => void;
  publish: (outgoing: Outgoing) => Promise<void>;
  /** What the broker has kept of messages on topics that match. */
  retained: (filter: string) => Iterable<Incoming>;
}

type Origin = Pick<Entry, "source" | "rank">;

export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #clock: Clock & Disposable;
  readonly #sources: Source[] = [];
  readonly #entries = new Entries();
  readonly #parents = new Parents((identity) => this.#entries.ofIdentity(identity));
  readonly #speaker: DeviceSpeaker;
  readonly #names: AttributeNames;
  readonly #waiting = new WaitingMessages();
  readonly #readings: ReadingTurns;
  readonly #birthAndWill: BirthAndWill;
  /** Accounts that have said something since the hub started. */
  readonly #live = new Set<string>();

  constructor(given: DiscoveryOptions) {
    const clock = createPartClock(given.clock);
    const options = { ...given, clock };
    this.#clock = clock;
    this.#options = options;
    const { log, limits, readingMsPerSecond: msPerSecond } = options;
    this.#readings = createReadingTurns({
      ...{ clock, log, limits, msPerSecond },
      read: (entry, incoming) => this.#read(entry, incoming),
    });
    this.#names = new AttributeNames(options);
    this.#speaker = new DeviceSpeaker({
      ...options,
      holderOf: (id) => this.#entries.ofDevice(id),
      keptOn: (topic) => [...options.retained(topic), ...this.#waiting.of(topic)],
    });
    const engine = createTemplateEngine(() => ({ at: clock.now(), offsetMs: options.offsetMs }));
    for (const [rank, create] of options.sources.entries()) {
      const origin = (): Origin => ({ source: this.#sources[rank]?.name ?? "", rank });
      const find = (sender: Sender, key: string) => this.#entries.get(entryId(sender, origin().source, key));
      const host: SourceHost = {
        clock,
        engine,
        describe: (sender, key, device) => this.#describe(origin(), { sender, key, device }),
        withdraw: (sender, key) => this.#withdraw(find(sender, key)),
        broken: (sender, key, problem) => this.#broken(origin(), { sender, key, problem }),
        refused: (sender, key, problem) => this.#refused(find(sender, key), problem),
        ask: (sender, outgoing) => this.#ask(sender, outgoing),
        report: (sender, key, report) => {
          const entry = find(sender, key);
          this.#speaker.take(entry, entry?.names?.given(report) ?? report, { retain: !this.#live.has(sender.name) });
        },
        receive: (sender, key, incoming) => {
          const entry = find(sender, key);
          if (entry) this.#speaker.receive(entry, incoming, incoming);
        },
        knows: (sender, key) => find(sender, key) !== undefined,
        isKnown: (identity) => options.store.deviceOf(identity) !== undefined,
        isRead: (sender, topic) => [...this.#entries.ofTopic(topic, sender.name)].some((one) => one.rank !== rank),
      };
      this.#sources.push(create(host, { describes: (sender, source) => this.#describes(sender, source) }));
    }
    this.#birthAndWill = new BirthAndWill(this.#sources, clock, (outgoing) => this.#publish(outgoing));
  }

  /** Everything that clients publish outside the hub's own topics. */
  receive(incoming: Incoming): void {
    if (!incoming.retain) this.#live.add(incoming.sender.name);
    if (this.#sources.some((source) => source.receive(incoming))) return;
    this.#waiting.receive(incoming);
    this.#readings.receive(incoming, this.#entries.ofTopic(incoming.topic, incoming.sender.name));
  }

  #read(entry: Entry, incoming: Incoming): void {
    const { device, sender, id } = entry;
    // Only whoever announced it speaks for it. It may have gone while the message waited.
    if (!device || incoming.sender.name !== sender.name || this.#entries.get(id) !== entry) return;
    this.#speaker.receive(entry, incoming, incoming);
  }

  /** Receives what the broker has kept, and asks for announcements, whenever the broker is up. Resolves when all is received. */
  async start(): Promise<void> {
    await takeTurns(this.#options.retained("#"), (incoming) => {
      try {
        this.receive(incoming);
      } catch (error) {
        this.#options.log.warn("a kept message is ignored", { topic: incoming.topic, error: messageOf(error) });
      }
    });
    this.#birthAndWill.begin();
  }

  /** The last words of the hub; resolves when they are said. `isConnected`: whether a broker takes them now. */
  async stop({ isConnected }: { isConnected: boolean }): Promise<void> {
    try {
      await this.#birthAndWill.end(isConnected);
    } finally {
      // What they would do needs a database that is closed soon.
      this.#clock[Symbol.dispose]();
    }
  }

  list(): DiscoveryEntry[] {
    return [...this.#entries.all()].map((entry) => shown(entry, this.#stateOf(entry)));
  }

  /** Announcements that cannot be used. */
  problems(): string[] {
    return this.list().flatMap(({ id, state, problem }) =>
      problem !== null && state !== "ignored" ? [`${id}: ${problem}`] : [],
    );
  }

  /** Throws HubError `not_found`. */
  decide(id: string, decision: Decision): DiscoveryEntry {
    const entry = this.#entries.get(id);
    if (!entry) throw new HubError("not_found", `nothing is announced as "${id}"`);
    return this.#decide(entry, decision);
  }

  /** All that are announced by the account, and match the pattern. Those that come later are for the configuration. */
  decideAll(decision: Decision, { account, pattern }: { account?: string; pattern?: string }): DiscoveryEntry[] {
    const matches = pattern === undefined ? undefined : createMatch([pattern]);
    const found = [...this.#entries.all()].filter(
      ({ id, device, sender }) =>
        (account === undefined || sender.name === account) && (!matches || matches(id, device?.name)),
    );
    return found.map((entry) => this.#decide(entry, decision));
  }

  #decide(entry: Entry, decision: Decision): DiscoveryEntry {
    this.#options.store.decide(entry.id, decision);
    if (decision === "accepted") {
      this.#settle(entry);
      for (const question of entry.device?.refresh?.() ?? []) this.#ask(entry.sender, question);
    } else this.#drop(entry);
    return shown(entry, this.#stateOf(entry));
  }

  /** Whether it was announced, now or before the hub started. */
  owns(deviceId: string): boolean {
    return this.#entries.ofDevice(deviceId) !== undefined || this.#options.store.knows(deviceId);
  }

  /** By what it calls attributes, what a new house would call them: see `GivenNames`. */
  betterNames(deviceId: string): ReadonlyMap<string, string> {
    return this.#entries.ofDevice(deviceId)?.names?.better() ?? new Map();
  }

  /** Throws HubError `invalid` for what the device does not take. */
  async command(deviceId: string, wanted: JsonObject): Promise<void> {
    const entry = this.#entries.ofDevice(deviceId);
    if (!entry?.device)
      throw new HubError("unavailable", `"${deviceId}" has not announced itself since the hub started, or no longer`);
    const outgoing = entry.device.write(wanted);
    for (const { topic } of outgoing) {
      if (entry.sender.mayPublish(topic)) continue;
      throw new HubError("forbidden", `${entry.sender.name} may not publish to ${topic}, so the hub does not for it`);
    }
    for (const one of outgoing) await this.#options.publish(one);
    this.#speaker.take(entry, { attributes: entry.device.assume?.(wanted) ?? {}, actions: [] }, { retain: false });
  }

  /** A person removed it: its announcement is taken back. What announces itself again comes again. */
  removed(deviceId: string): void {
    this.#options.store.forget(deviceId);
    for (const entry of [...this.#entries.all()].filter((one) => one.deviceId === deviceId)) {
      for (const outgoing of entry.device?.forget?.() ?? []) this.#ask(entry.sender, outgoing);
      this.#entries.delete(entry);
    }
  }

  async #publish(outgoing: Outgoing): Promise<void> {
    try {
      await this.#options.publish(outgoing);
    } catch (error) {
      const { topic } = outgoing;
      this.#options.log.warn("a message to a device could not be sent", { topic, error: messageOf(error) });
    }
  }

  #ask(sender: Sender, outgoing: Outgoing): void {
    if (sender.mayPublish(outgoing.topic)) void this.#publish(outgoing);
  }

  #describes(sender: Sender, source: string): boolean {
    for (const entry of this.#entries.all())
      if (entry.source === source && entry.sender.name === sender.name && entry.announced) return true;
    return false;
  }

  #describe(origin: Origin, { sender, key, device }: { sender: Sender; key: string; device: DescribedDevice }): void {
    const entry = this.#make(origin, sender, key);
    if (!entry) return;
    const wasGone = !entry.announced && entry.deviceId !== undefined;
    const before = entry.announced && this.#entries.ofDevice(entry.deviceId ?? "") === entry ? entry.device : undefined;
    this.#entries.detach(entry);
    Object.assign(entry, { sender, device, described: device, names: undefined, announced: true, problem: undefined });
    this.#settle(entry, before);
    if (wasGone) this.#speaker.available(entry, true);
  }

  #make(origin: Origin, sender: Sender, key: string): Entry | undefined {
    const id = entryId(sender, origin.source, key);
    const entry = this.#entries.get(id) ?? this.#entries.make({ ...origin, id, sender });
    if (!entry)
      this.#options.limits.reached({
        ...{ limit: "announced devices", account: sender.name },
        message: `one account announces at most ${MAX_ENTRIES.each} devices, all together ${MAX_ENTRIES.all}: "${key}" is left out`,
      });
    return entry;
  }

  #withdraw(entry: Entry | undefined): void {
    if (!entry) return;
    const hadDevice = this.#entries.ofDevice(entry.deviceId ?? "") === entry;
    entry.announced = false;
    this.#drop(entry);
    if (entry.deviceId === undefined) this.#entries.delete(entry);
    else Object.assign(entry, { device: entry.device && goneOf(entry.device), described: undefined, names: undefined });
    // Another source of the same account that describes the device has it from now on.
    const heir = hadDevice ? heirOf(entry, this.#entries.all()) : undefined;
    if (!heir) return;
    this.#settle(heir);
    this.#speaker.available(heir, true);
  }

  #broken(
    origin: Origin,
    { sender, key, problem }: { sender: Sender; key: string; problem: string | undefined },
  ): void {
    const known = this.#entries.get(entryId(sender, origin.source, key));
    if (problem === undefined) {
      if (!known) return;
      known.problem = undefined;
      if (!known.device && known.deviceId === undefined) this.#entries.delete(known);
      return;
    }
    const entry = known ?? this.#make(origin, sender, key);
    // It may quote what was announced.
    const text = printable(problem);
    if (!entry || entry.problem === text) return;
    entry.problem = text;
    const about = printable(key);
    this.#options.log.warn("an announcement of a device cannot be used", {
      account: sender.name,
      about,
      problem: text,
    });
  }

  #refused(entry: Entry | undefined, problem: string | undefined): void {
    if (!entry) return;
    entry.problem = problem;
    const { deviceId } = entry;
    if (problem !== undefined && deviceId !== undefined) this.#options.onRefused({ deviceId, message: problem });
  }

  #stateOf({ id, device, deviceId }: Entry): Exclude<EntryState, "broken"> {
    const { approval, store } = this.#options;
    const isKnown = (identity: string): boolean => store.deviceOf(identity) !== undefined;
    const known = deviceId !== undefined || (device?.identities.some(isKnown) ?? false);
    return approval(id, { name: device?.name, known });
  }

  /** Makes it a device of the house, unless somebody has to say so first, or another one has it. `before`: as it has been one until now. */
  #settle(entry: Entry, before?: DescribedDevice): void {
    const { device, sender } = entry;
    const { store } = this.#options;
    if (!device || !entry.announced) return;
    const state = this.#stateOf(entry);
    if (state === "waiting") this.#waiting.expect(device);
    if (state !== "accepted") return;
    const other = device.identities.map((one) => this.#entries.ofIdentity(one)).find((one) => one && one !== entry);
    if (other?.announced && !hasPriority(entry, other, store)) {
      if (other.sender.name !== sender.name) entry.problem = `${other.sender.name} has this device; ${TAKE_IT}`;
      return;
    }
    const known = device.identities.map((one) => store.deviceOf(one)).find((id) => id !== undefined);
    let id: string;
    let wasOthers: boolean;
    try {
      id = other?.deviceId ?? known ?? entry.deviceId ?? this.#freeId(deviceIdOf(device.identity), entry);
      wasOthers = claim(id, entry, this.#options);
      this.#names.apply(entry, id);
      if (before && id === entry.deviceId)
        this.#speaker.takenBack(id, entry, vanishedNames(before, entry.device ?? device));
      this.#register(id, entry);
    } catch (error) {
      entry.problem = messageOf(error);
      return;
    }
    if (other) this.#entries.detach(other);
    if (entry.problem?.endsWith(TAKE_IT)) entry.problem = undefined;
    const isNew = this.#entries.ofDevice(id) === undefined;
    this.#entries.attach(entry, id);
    store.bind(device.identities, id);
    for (const { deviceId, child } of this.#parents.appeared(entry)) this.#register(deviceId, child);
    if (wasOthers) this.#speaker.available(entry, true);
    if (isNew) this.#speaker.receiveKept(entry);
    this.#waiting.forget(device);
  }

  /** `a/b` and `a_b` are two devices, and their ids would be one. */
  #freeId(wanted: string, { source, sender }: Entry): string {
    for (let number = 1; ; number++) {
      const id = number === 1 ? wanted : `${wanted}_${number}`;
      const holder = this.#entries.ofDevice(id);
      if (!holder?.announced || holder.source !== source || holder.sender.name !== sender.name) return id;
    }
  }

  #register(id: string, entry: Entry): void {
    const parent = this.#parents.idOf(entry, id);
    const retained = !this.#live.has(entry.sender.name);
    this.#speaker.register(id, entry, { retained, ...(parent !== undefined && { parent }) });
  }

  #drop(entry: Entry): void {
    this.#speaker.available(entry, false);
    this.#entries.detach(entry);
  }
}

function vanishedNames(before: DescribedDevice, now: DescribedDevice): string[] {
  const present = new Set(now.attributes.map(({ name }) => name));
  return before.attributes.filter(({ name, readable }) => readable && !present.has(name)).map(({ name }) => name);
}
