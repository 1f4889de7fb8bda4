// Devices that announce themselves: sources describe them, and here each becomes one of the house. One physical thing that two
// sources describe is one device.
import type { Clock } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { type Approval, createMatch } from "./approval.ts";
import type { DescribedDevice, Outgoing, Report } from "./described.ts";
import { Entries } from "./entries.ts";
import { type DiscoveryEntry, deviceIdOf, type Entry, type EntryState, entryId } from "./entry.ts";
import { schemaOf } from "./schema.ts";
import type { CreateSource, Heard, Sender, Source, SourceHost } from "./source.ts";
import type { Decision, DiscoveryStore } from "./store.ts";
import { createTemplateEngine } from "./templates/template.ts";

/** The devices of the house, as far as they are needed here. */
export interface HouseDevices {
  register(registration: JsonObject & { device_id: string }, owner: string): void;
  schema(id: string, schema: JsonObject, owner: string): void;
  state(id: string, attributes: JsonObject, from: { pluginId: string; partial: boolean; change?: JsonObject }): void;
  availability(id: string, available: boolean, owner: string): void;
}

export interface DiscoveryOptions {
  clock: Clock;
  log: Log;
  devices: HouseDevices;
  store: DiscoveryStore;
  approval: Approval;
  /** In the order of their worth: of two that describe the same thing, the first counts. */
  sources: readonly CreateSource[];
  /** In the house's time zone. */
  strftime: (format: string) => string;
  onAction: (action: { device_id: string; action: string }) => void;
  publish: (outgoing: Outgoing) => Promise<void>;
}

type Origin = Pick<Entry, "source" | "rank">;

/** Marks the change of an attribute that an event `device_action` reports as well. */
const ACTION = "device_action";

export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #sources: Source[] = [];
  readonly #entries = new Entries();

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    const engine = createTemplateEngine(() => ({ strftime: options.strftime }));
    for (const [rank, create] of options.sources.entries()) {
      const origin = (): Origin => ({ source: this.#sources[rank]?.name ?? "", rank });
      const find = (sender: Sender, key: string) => this.#entries.get(entryId(sender, origin().source, key));
      const host: SourceHost = {
        clock: options.clock,
        engine,
        describe: (sender, key, device) => this.#describe(origin(), { sender, key, device }),
        withdraw: (sender, key) => this.#withdraw(find(sender, key)),
        broken: (sender, key, problem) => this.#broken(origin(), { sender, key, problem }),
        ask: (sender, outgoing) => this.#ask(sender, outgoing),
        report: (sender, key, report) => this.#take(find(sender, key), report, { retain: false }),
        knows: (sender, key) => find(sender, key) !== undefined,
        isRead: (sender, topic) =>
          [...this.#entries.ofTopic(topic)].some((one) => one.rank !== rank && one.sender.name === sender.name),
        available: (sender, keys, available) => this.#available(entryId(sender, origin().source, keys), available),
      };
      this.#sources.push(create(host, { describes: (sender, source) => this.#describes(sender, source) }));
    }
  }

  /** Everything that clients publish outside the hub's own topics. */
  hear(heard: Heard): void {
    if (this.#sources.some((source) => source.hear(heard))) return;
    for (const entry of this.#entries.ofTopic(heard.topic)) {
      // Only whoever announced it speaks for it.
      if (!entry.device || heard.sender.name !== entry.sender.name) continue;
      this.#take(entry, entry.device.read(heard.topic, heard.message()), heard);
    }
  }

  /** Asks for announcements, once the broker is up. */
  start(): void {
    for (const outgoing of this.#sources.flatMap((source) => source.birth?.() ?? [])) this.#publish(outgoing);
  }

  /** The last words of the hub; resolves when they are said. */
  async stop(): Promise<void> {
    const last = this.#sources.flatMap((source) => source.will?.() ?? []);
    await Promise.all(last.map((outgoing) => this.#options.publish(outgoing).catch(() => {})));
  }

  list(): DiscoveryEntry[] {
    return [...this.#entries.all()].map((entry) => this.#shown(entry));
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
    return this.#shown(entry);
  }

  /** Whether it was announced, now or before the hub started. */
  owns(deviceId: string): boolean {
    return this.#entries.ofDevice(deviceId) !== undefined || this.#options.store.knows(deviceId);
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
  }

  /** A person removed it: its announcement is taken back. What announces itself again comes again. */
  removed(deviceId: string): void {
    this.#options.store.forget(deviceId);
    for (const entry of [...this.#entries.all()].filter((one) => one.deviceId === deviceId)) {
      for (const outgoing of entry.device?.forget?.() ?? []) this.#ask(entry.sender, outgoing);
      this.#entries.delete(entry);
    }
  }

  #publish(outgoing: Outgoing): void {
    this.#options.publish(outgoing).catch((error: unknown) => {
      this.#options.log.warn("a message to a device could not be sent", {
        topic: outgoing.topic,
        error: messageOf(error),
      });
    });
  }

  #ask(sender: Sender, outgoing: Outgoing): void {
    if (sender.mayPublish(outgoing.topic)) this.#publish(outgoing);
  }

  #describes(sender: Sender, source: string): boolean {
    for (const entry of this.#entries.all())
      if (entry.source === source && entry.sender.name === sender.name && entry.announced) return true;
    return false;
  }

  #describe(origin: Origin, { sender, key, device }: { sender: Sender; key: string; device: DescribedDevice }): void {
    const entry = this.#make(origin, sender, key);
    if (!entry) return;
    this.#entries.detach(entry);
    Object.assign(entry, { sender, device, announced: true, problem: undefined });
    this.#settle(entry);
  }

  #make(origin: Origin, sender: Sender, key: string): Entry | undefined {
    const id = entryId(sender, origin.source, key);
    return this.#entries.get(id) ?? this.#entries.make({ ...origin, id, sender });
  }

  #withdraw(entry: Entry | undefined): void {
    if (!entry) return;
    entry.announced = false;
    this.#drop(entry);
    if (entry.deviceId === undefined) this.#entries.delete(entry);
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
    if (!entry || entry.problem === problem) return;
    entry.problem = problem;
    this.#options.log.warn("an announcement of a device cannot be used", { account: sender.name, about: key, problem });
  }

  #available(ids: string, available: boolean): void {
    for (const entry of this.#entries.all())
      if (entry.id.startsWith(ids) && entry.deviceId !== undefined && entry.announced)
        this.#options.devices.availability(entry.deviceId, available, entry.sender.name);
  }

  #stateOf({ id, device, deviceId }: Entry): Exclude<EntryState, "broken"> {
    const { approval, store } = this.#options;
    const isKnown = (identity: string): boolean => store.deviceOf(identity) !== undefined;
    const known = deviceId !== undefined || (device?.identities.some(isKnown) ?? false);
    return approval(id, { name: device?.name, known });
  }

  #shown(entry: Entry): DiscoveryEntry {
    const { id, source, sender, device, deviceId, problem } = entry;
    return {
      ...{ id, source, account: sender.name, name: device?.name ?? null },
      ...{ manufacturer: device?.manufacturer ?? null, model: device?.model ?? null },
      state: !device && problem !== undefined ? "broken" : this.#stateOf(entry),
      device_id: deviceId ?? null,
      problem: problem ?? null,
    };
  }

  /** Makes it a device of the house, unless somebody has to say so first, or a better source has it. */
  #settle(entry: Entry): void {
    const { device } = entry;
    const { store } = this.#options;
    if (!device || this.#stateOf(entry) !== "accepted") return;
    const other = device.identities.map((one) => this.#entries.ofIdentity(one)).find((one) => one && one !== entry);
    if (other?.announced && other.rank <= entry.rank) return;
    const known = device.identities.map((one) => store.deviceOf(one)).find((id) => id !== undefined);
    const id = other?.deviceId ?? known ?? entry.deviceId ?? deviceIdOf(device.identity);
    try {
      this.#register(id, device, entry.sender);
    } catch (error) {
      entry.problem = messageOf(error);
      return;
    }
    if (other) this.#entries.detach(other);
    this.#entries.attach(entry, id);
    store.bind(device.identities, id);
  }

  #register(id: string, device: DescribedDevice, { name: owner }: Sender): void {
    const { devices } = this.#options;
    const parent = device.parent === undefined ? undefined : this.#entries.ofIdentity(device.parent)?.deviceId;
    devices.register(
      {
        device_id: id,
        device_type: device.deviceType,
        ...(device.name !== undefined && { name: device.name }),
        ...(device.area !== undefined && { area: device.area }),
        ...(device.manufacturer !== undefined && { manufacturer: device.manufacturer }),
        ...(device.model !== undefined && { model: device.model }),
        ...(parent !== undefined && parent !== id && { parent_device_id: parent }),
      },
      owner,
    );
    devices.schema(id, schemaOf(device), owner);
  }

  #drop(entry: Entry): void {
    const { deviceId, sender } = entry;
    if (deviceId !== undefined && this.#entries.ofDevice(deviceId) === entry)
      this.#options.devices.availability(deviceId, false, sender.name);
    this.#entries.detach(entry);
  }

  #take(entry: Entry | undefined, { attributes, actions, available }: Report, { retain }: { retain: boolean }): void {
    if (entry?.deviceId === undefined || this.#entries.ofDevice(entry.deviceId) !== entry) return;
    const { devices, onAction } = this.#options;
    const { deviceId: device_id } = entry;
    const from = { pluginId: entry.sender.name, partial: true };
    const last = actions.at(-1);
    if (last !== undefined) delete attributes.action;
    if (Object.keys(attributes).length > 0) devices.state(device_id, attributes, from);
    if (last !== undefined) devices.state(device_id, { action: last }, { ...from, change: { kind: ACTION } });
    // A press of before the hub started is none now.
    if (!retain) for (const action of actions) onAction({ device_id, action });
    if (available !== undefined) devices.availability(device_id, available, from.pluginId);
  }
}
