// Devices that announce themselves: sources describe them, and here each becomes one of the house. One physical thing that two
// sources describe is one device.
import type { Clock } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Decisions } from "./decisions.ts";
import type { DescribedDevice, Outgoing, Report } from "./described.ts";
import { type DiscoveryEntry, deviceIdOf, type Entry, type EntryState, entryId, heirOf } from "./entry.ts";
import type { HouseDevices } from "./house-devices.ts";
import { Parents } from "./parents.ts";
import { schemaOf } from "./schema.ts";
import type { CreateSource, Heard, Sender, Source, SourceHost } from "./source.ts";
import { createTemplateEngine } from "./templates/template.ts";

export interface DiscoveryOptions {
  clock: Clock;
  log: Log;
  devices: HouseDevices;
  decisions: Decisions;
  approve: "auto" | "ask";
  /** In the order of their worth: of two that describe the same thing, the first counts. */
  sources: readonly CreateSource[];
  /** Of the house's time zone from UTC, at an instant in epoch ms. */
  offsetMs: (at: number) => number;
  onAction: (action: { device_id: string; action: string }) => void;
  publish: (outgoing: Outgoing) => Promise<void>;
}

const MOST_ENTRIES = 5000;

export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #sources: Source[] = [];
  readonly #entries = new Map<string, Entry>();
  readonly #topics = new Map<string, Set<Entry>>();
  /** Of the device that is known by it. */
  readonly #byIdentity = new Map<string, Entry>();
  readonly #byDevice = new Map<string, Entry>();
  readonly #parents = new Parents((identity) => this.#byIdentity.get(identity));

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    const engine = createTemplateEngine(() => ({ at: options.clock.now(), offsetMs: options.offsetMs }));
    for (const [rank, create] of options.sources.entries()) {
      const name = (): string => this.#sources[rank]?.name ?? "";
      const host: SourceHost = {
        clock: options.clock,
        engine,
        describe: (sender, key, device) => this.#describe({ source: name(), rank }, { sender, key, device }),
        withdraw: (sender, key) => this.#withdraw(entryId(sender, name(), key)),
        broken: (sender, key, problem) => this.#broken({ source: name(), rank }, { sender, key, problem }),
        ask: (sender, outgoing) => this.#ask(sender, outgoing),
        report: (sender, key, report) => {
          const entry = this.#entries.get(entryId(sender, name(), key));
          if (entry) this.#take(entry, report, { retain: false });
        },
        available: (sender, keys, available) => this.#available(entryId(sender, name(), keys), available),
      };
      this.#sources.push(create(host, { describes: (sender, source) => this.#describes(sender, source) }));
    }
  }

  /** Everything that clients publish outside the hub's own topics. */
  hear(heard: Heard): void {
    if (this.#sources.some((source) => source.hear(heard))) return;
    for (const entry of this.#topics.get(heard.topic) ?? []) this.#report(entry, heard);
  }

  list(): DiscoveryEntry[] {
    return [...this.#entries.values()].map((entry) => this.#shown(entry));
  }

  /** Throws HubError `not_found`. */
  accept(id: string): DiscoveryEntry {
    const entry = this.#entry(id);
    this.#options.decisions.set(id, "accepted");
    this.#settle(entry);
    return this.#shown(entry);
  }

  /** Throws HubError `not_found`. */
  ignore(id: string): DiscoveryEntry {
    const entry = this.#entry(id);
    this.#options.decisions.set(id, "ignored");
    this.#drop(entry);
    return this.#shown(entry);
  }

  owns(deviceId: string): boolean {
    return this.#byDevice.has(deviceId);
  }

  /** Throws HubError `invalid` for what the device does not take. */
  async command(deviceId: string, wanted: JsonObject): Promise<void> {
    const entry = this.#byDevice.get(deviceId);
    if (!entry?.device)
      throw new HubError("unavailable", `"${deviceId}" has not announced itself since the hub started`);
    const outgoing = entry.device.write(wanted);
    for (const one of outgoing) {
      const refusal = `${entry.sender.name} may not publish to ${one.topic}, so the hub does not for it`;
      if (!entry.sender.mayPublish(one.topic)) throw new HubError("forbidden", refusal);
      await this.#options.publish(one);
    }
    this.#take(entry, { attributes: entry.device.assume?.(wanted) ?? {}, actions: [] }, { retain: false });
  }

  #ask(sender: Sender, outgoing: Outgoing): void {
    if (!sender.mayPublish(outgoing.topic)) return;
    this.#options.publish(outgoing).catch((error: unknown) => {
      this.#options.log.warn("a device could not be asked", { topic: outgoing.topic, error: messageOf(error) });
    });
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry) return entry;
    throw new HubError("not_found", `nothing is announced as "${id}"`);
  }

  #describes(sender: Sender, source: string): boolean {
    for (const entry of this.#entries.values())
      if (entry.source === source && entry.sender.name === sender.name && entry.announced) return true;
    return false;
  }

  #make(of: Pick<Entry, "source" | "rank">, sender: Sender, key: string): Entry | undefined {
    const id = entryId(sender, of.source, key);
    const known = this.#entries.get(id);
    if (known) return known;
    if (this.#entries.size >= MOST_ENTRIES) return undefined;
    const nothing = { device: undefined, deviceId: undefined, problem: undefined };
    const made: Entry = { ...of, ...nothing, id, sender, announced: false };
    this.#entries.set(id, made);
    return made;
  }

  #describe(
    of: Pick<Entry, "source" | "rank">,
    { sender, key, device }: { sender: Sender; key: string; device: DescribedDevice },
  ): void {
    const entry = this.#make(of, sender, key);
    if (!entry) return;
    const wasGone = !entry.announced && entry.deviceId !== undefined;
    this.#detach(entry);
    Object.assign(entry, { sender, device, announced: true, problem: undefined });
    this.#settle(entry);
    if (wasGone) this.#back(entry);
  }

  #back(entry: Entry): void {
    const { deviceId, sender } = entry;
    if (deviceId !== undefined && this.#byDevice.get(deviceId) === entry)
      this.#options.devices.availability(deviceId, true, sender.name);
  }

  #withdraw(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.announced = false;
    const had = entry.deviceId !== undefined && this.#byDevice.get(entry.deviceId) === entry;
    this.#drop(entry);
    if (entry.deviceId === undefined) this.#entries.delete(id);
    else if (had) this.#handOver(entry, entry.deviceId);
  }

  /** Another source that describes the same device has it from now on. */
  #handOver(entry: Entry, deviceId: string): void {
    const heir = heirOf(entry, this.#entries.values());
    if (!heir) return;
    heir.deviceId = deviceId;
    if (heir.sender.name !== entry.sender.name) this.#options.devices.give(deviceId, heir.sender.name);
    this.#settle(heir);
    this.#back(heir);
  }

  #broken(
    of: Pick<Entry, "source" | "rank">,
    { sender, key, problem }: { sender: Sender; key: string; problem: string | undefined },
  ): void {
    const known = this.#entries.get(entryId(sender, of.source, key));
    if (problem === undefined) {
      if (!known) return;
      known.problem = undefined;
      if (!known.device && known.deviceId === undefined) this.#entries.delete(known.id);
      return;
    }
    const entry = known ?? this.#make(of, sender, key);
    if (!entry || entry.problem === problem) return;
    entry.problem = problem;
    this.#options.log.warn("an announcement of a device cannot be used", { account: sender.name, about: key, problem });
  }

  #available(ids: string, available: boolean): void {
    for (const entry of this.#entries.values())
      if (entry.id.startsWith(ids) && entry.deviceId !== undefined && entry.announced)
        this.#options.devices.availability(entry.deviceId, available, entry.sender.name);
  }

  #shown({ id, source, sender, device, deviceId, problem }: Entry): DiscoveryEntry {
    return {
      ...{ id, source, account: sender.name, name: device?.name ?? null },
      ...{ manufacturer: device?.manufacturer ?? null, model: device?.model ?? null },
      state: !device && problem !== undefined ? "broken" : this.#stateOf(id),
      device_id: deviceId ?? null,
      problem: problem ?? null,
    };
  }

  #stateOf(id: string): EntryState {
    return this.#options.decisions.get(id) ?? (this.#options.approve === "auto" ? "accepted" : "waiting");
  }

  /** Makes it a device of the house, unless somebody has to say so first, or a better source or another account has it. */
  #settle(entry: Entry): void {
    const { device, sender } = entry;
    if (!device || this.#stateOf(entry.id) !== "accepted") return;
    const other = device.identities.map((one) => this.#byIdentity.get(one)).find((one) => one && one !== entry);
    if (other?.announced && (other.rank <= entry.rank || other.sender.name !== sender.name)) return;
    if (other) this.#detach(other);
    const id = other?.deviceId ?? entry.deviceId ?? deviceIdOf(device.identity);
    try {
      this.#register(id, entry, device);
    } catch (error) {
      entry.problem = messageOf(error);
      return;
    }
    entry.deviceId = id;
    this.#byDevice.set(id, entry);
    for (const one of device.identities) this.#byIdentity.set(one, entry);
    for (const topic of device.topics) {
      const known = this.#topics.get(topic) ?? new Set();
      this.#topics.set(topic, known.add(entry));
    }
    for (const { deviceId, child, of } of this.#parents.appeared(entry)) this.#register(deviceId, child, of);
  }

  #register(id: string, entry: Entry, device: DescribedDevice): void {
    const { devices } = this.#options;
    const { name: owner } = entry.sender;
    const parent = this.#parents.idOf(entry, id);
    devices.register(
      {
        device_id: id,
        device_type: device.deviceType,
        ...(device.name !== undefined && { name: device.name }),
        ...(device.area !== undefined && { area: device.area }),
        ...(device.manufacturer !== undefined && { manufacturer: device.manufacturer }),
        ...(device.model !== undefined && { model: device.model }),
        ...(parent !== undefined && { parent_device_id: parent }),
      },
      owner,
    );
    devices.schema(id, schemaOf(device), owner);
  }

  #drop(entry: Entry): void {
    if (entry.deviceId !== undefined && this.#byDevice.get(entry.deviceId) === entry)
      this.#options.devices.availability(entry.deviceId, false, entry.sender.name);
    this.#detach(entry);
  }

  /** Its topics and identities lead nowhere any more. */
  #detach(entry: Entry): void {
    const { device, deviceId } = entry;
    for (const topic of device?.topics ?? []) {
      const known = this.#topics.get(topic);
      known?.delete(entry);
      if (known?.size === 0) this.#topics.delete(topic);
    }
    for (const one of device?.identities ?? []) if (this.#byIdentity.get(one) === entry) this.#byIdentity.delete(one);
    if (deviceId !== undefined && this.#byDevice.get(deviceId) === entry) this.#byDevice.delete(deviceId);
  }

  #report(entry: Entry, { sender, topic, message, retain }: Heard): void {
    // Only whoever announced it speaks for it.
    if (!entry.device || sender.name !== entry.sender.name) return;
    this.#take(entry, entry.device.read(topic, message()), { retain });
  }

  #take(entry: Entry, { attributes, actions, available }: Report, { retain }: { retain: boolean }): void {
    const { sender, deviceId } = entry;
    if (deviceId === undefined || this.#byDevice.get(deviceId) !== entry) return;
    const { devices, onAction } = this.#options;
    const last = actions.at(-1);
    if (last !== undefined) delete attributes.action;
    if (Object.keys(attributes).length > 0)
      devices.state(deviceId, attributes, { pluginId: sender.name, partial: true });
    // A press of before the hub started is none now.
    if (last !== undefined && !retain)
      devices.state(
        deviceId,
        { action: last },
        { pluginId: sender.name, partial: true, change: { kind: "device_action" } },
      );
    if (!retain) for (const action of actions) onAction({ device_id: deviceId, action });
    if (available !== undefined) devices.availability(deviceId, available, sender.name);
  }
}
