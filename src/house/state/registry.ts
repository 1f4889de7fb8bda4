// The devices of the house. A report is compared with the present state: if nothing changed, no event is emitted.

import { type Bus, createBus } from "../../kit/lifecycle/bus.ts";
import type { Limits } from "../../kit/lifecycle/limits.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import { spelled } from "../../kit/text/called.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import { Availability } from "./availability.ts";
import { notFound } from "./collection.ts";
import { DEFAULT_DEVICES, type DevicesSection } from "./config.ts";
import {
  type AttributeChange,
  afterEdit,
  applyRegistration,
  changeAttributes,
  type Device,
  type DeviceEdit,
  type DeviceRegistration,
  newDevice,
  timesAfter,
} from "./device.ts";
import { bytesAfter, bytesOf, DeviceQuota, descriptionBytes } from "./device-quota.ts";
import { createDeviceStore, type DeviceStore } from "./device-store.ts";
import type { Origin, Reported, StateReport } from "./reports.ts";
import type { Sampling } from "./sampling.ts";
import type { StateWriterOptions } from "./state-writer.ts";
import { readingOf, type StateWriter, startStateWriter } from "./state-writer.ts";
import { type Described, DeviceWords, type RenamedAttribute } from "./words/device-words.ts";
import { GivenByPeople, readingOfName, takePresentNames } from "./words/given-by-people.ts";

export type { Reported } from "./reports.ts";

export interface RegistryOptions extends Omit<StateWriterOptions, "db" | "store"> {
  db: StateDb;
  /** `at`: when it happened, in epoch ms; now where absent. */
  emit: (event: HubEvent, at?: number) => void;
  /** Which changes are recorded; all, when absent. */
  sampling?: Sampling;
  /** Called for each attribute that a former version of the hub called otherwise, once, with the epoch ms since when. */
  onRenamed?: (attribute: RenamedAttribute, at: number) => void;
  /** The id of the area that is meant by this text: a person's, who may be refused, or a plugin's. */
  areaIdOf?: (text: string, by: "person" | "plugin") => string;
  /** [devices]; its defaults when absent. */
  config?: DevicesSection;
  limits?: Limits;
}

export function openRegistry(options: RegistryOptions): Registry {
  return new Registry(options);
}

export class Registry implements Disposable {
  readonly #clock: Clock;
  readonly #emit: (event: HubEvent, at?: number) => void;
  readonly #store: DeviceStore;
  readonly #devices: Map<string, Device>;
  readonly #quota: DeviceQuota;
  readonly #removals: Bus<{ type: "removed"; device: Device }>;
  readonly #reports: Bus<Reported>;
  readonly #identities: Bus<{ type: "identified" }>;
  readonly #states: StateWriter;
  readonly #availability: Availability;
  readonly given: GivenByPeople;
  readonly #words: DeviceWords;
  readonly #onRenamed: RegistryOptions["onRenamed"];
  readonly #areaIdOf: NonNullable<RegistryOptions["areaIdOf"]>;
  readonly #sampling: Sampling | undefined;

  constructor(options: RegistryOptions) {
    const { db, clock, log, emit, config = DEFAULT_DEVICES, limits } = options;
    this.#clock = clock;
    this.#emit = emit;
    this.#onRenamed = options.onRenamed;
    this.#areaIdOf = options.areaIdOf ?? ((text) => text);
    this.#sampling = options.sampling;
    this.#store = createDeviceStore(db);
    this.given = new GivenByPeople(db);
    this.#words = new DeviceWords(this.given);
    this.#devices = new Map(this.#store.load().map((device) => [device.id, device]));
    this.#quota = new DeviceQuota(config, limits ?? { reached() {} });
    for (const device of this.#devices.values()) {
      // The journal may speak of an attribute as it was called until then.
      takePresentNames(device, this.given);
      this.#quota.set(device, bytesOf(device));
    }
    [this.#removals, this.#reports, this.#identities] = [createBus(log), createBus(log), createBus(log)];
    this.#states = startStateWriter({ ...options, store: this.#store });
    const changed = (device: Device): void =>
      this.#states.changed(device, { device: device.id, at: clock.now(), available: device.available });
    this.#availability = new Availability(this.#devices.values(), { clock, emit, changed });
  }

  list = (): Iterable<Device> => this.#devices.values();

  /** Throws HubError `not_found`. */
  get(id: string): Device {
    const device = this.find(id);
    if (device) return device;
    throw notFound("device", id);
  }

  find(id: string): Device | undefined {
    return this.#devices.get(id);
  }

  count(pluginId?: string): number {
    if (pluginId === undefined) return this.#devices.size;
    return [...this.#devices.values()].filter((device) => device.pluginId === pluginId).length;
  }

  ownerOf = (id: string): string | undefined => this.find(id)?.pluginId;

  /** Throws HubError `forbidden` for a device of another plugin, and if it exceeds a limit; then nothing has changed. */
  register(registration: DeviceRegistration, pluginId: string, origin: Origin = {}): void {
    const device = this.#ownedBy(pluginId, registration.device_id, origin);
    const { name: previous, area, deviceType, details } = device;
    const { capabilities } = registration;
    const described = capabilities && this.#words.describe(device, { capabilities });
    this.#sayRenamed(described);
    try {
      // With its words, it is compared with what is kept with its words.
      const words = capabilities && { capabilities: (described ?? { details }).details.capabilities ?? {} };
      const given = registration.area;
      const placed = given && given !== area ? { area: this.#areaIdOf(given, "plugin") } : {};
      if (applyRegistration(device, { ...registration, ...words, ...placed })) this.#save(device);
      else this.#saveIfNew(device);
      if (described) this.#applyDescription(device, described);
    } catch (error) {
      Object.assign(device, { name: previous, area, deviceType, details });
      throw error;
    }
    if (device.name !== previous && previous !== device.id) {
      this.#emit({ type: "device_name_changed", device_id: device.id, previous_name: previous, name: device.name });
    }
    this.#noteReported(device, origin);
  }

  /** Throws HubError `forbidden` for a device of another plugin. */
  unregister(id: string, pluginId: string): void {
    if (this.#devices.has(id)) this.#delete(this.#ownedBy(pluginId, id), this.#store.removeRelaxed);
  }

  /** Throws HubError `forbidden` for a device of another plugin, and if it exceeds a limit; then nothing has changed. */
  state(id: string, reported: JsonObject, report: StateReport): void {
    const device = this.#ownedBy(report.pluginId, id, report);
    const attributes = this.#words.translate(device, reported);
    const change = changeAttributes(device.attributes, attributes, report.partial);
    const bytes = change.changed.length > 0 && bytesAfter(this.#quota.of(id), device.attributes, change);
    if (bytes) this.#quota.check(device, bytes);
    this.#saveIfNew(device);
    this.#noteReported(device, report);
    if (bytes) this.#changeState(device, change, bytes.attributes, report);
    if (!report.retained) this.#reports.publish({ type: "reported", deviceId: id, attributes, change: report.change });
  }

  /** One that is kept since before says only that a device was offline, unless it lasts. */
  availability(
    id: string,
    available: boolean,
    pluginId: string,
    { retained = false, lasting = false }: Origin = {},
  ): void {
    const device = this.#ownedBy(pluginId, id, { retained });
    this.#saveIfNew(device);
    if (retained && available && !lasting) return;
    if (!retained) device.lastSeen = this.#clock.now();
    this.#availability.reported(device, available);
  }

  /** Any message of a plugin or account: its devices are again what they were before the hub's restart. */
  markSeen(pluginId: string): void {
    this.#availability.markSeen(pluginId);
  }

  /** Somebody is there who takes its commands: it is again what it was before the hub's restart. */
  attended(id: string): void {
    this.#availability.attended(id);
  }

  /** Those of before the hub's restart that were neither seen nor attended since. */
  unattended(): Iterable<Device> {
    return this.#availability.unseen();
  }

  /** Whether it is available, or was before the hub's restart and has not been seen since. */
  isPresumedAvailable({ id, available }: Device): boolean {
    return available || this.#availability.isUnseen(id);
  }

  schema(id: string, schema: JsonObject, pluginId: string): void {
    const device = this.#ownedBy(pluginId, id);
    const described = this.#words.describe(device, { schema });
    if (!described) return;
    this.#sayRenamed(described);
    const { details } = device;
    try {
      device.details = described.details;
      this.#save(device);
    } catch (error) {
      device.details = details;
      throw error;
    }
    this.#applyDescription(device, described);
  }

  /** Makes all devices of a plugin that is gone unavailable. The next report or registration brings each back. */
  unavailable(pluginId: string): void {
    for (const device of this.#devices.values()) if (device.pluginId === pluginId) this.#availability.lost(device);
  }

  /** A person's edit. `area: null` removes the area and leaves it to the plugin again; `history: false` ends recording. */
  edit(id: string, edit: DeviceEdit): Device {
    const device = this.get(id);
    const { area, tags } = edit;
    const edited = afterEdit(device, {
      ...edit,
      ...(typeof area === "string" && { area: this.#areaIdOf(area, "person") }),
      ...(tags && { tags: tags.map((tag) => this.#tagSpelled(tag)) }),
    });
    // Written before it takes effect: what the API answers must be on disk.
    this.#store.saveIdentity({ ...device, ...edited }, this.#clock.now());
    const previous = device.name;
    Object.assign(device, edited);
    this.#identities.publish({ type: "identified" });
    if (device.name !== previous)
      this.#emit({ type: "device_name_changed", device_id: id, previous_name: previous, name: device.name });
    return device;
  }

  /** As other devices have it: rules find devices by it. */
  #tagSpelled(tag: string): string {
    const known = [...new Set([...this.#devices.values()].flatMap(({ tags }) => tags))];
    return known.includes(tag) ? tag : (known.find((one) => spelled(one) === spelled(tag)) ?? tag);
  }

  /** It has the names that were given; returns what takes them back. Nothing is written. */
  takeNames = (id: string): (() => void) => takePresentNames(this.get(id), this.given);

  /** The names are kept: what is known of the device is written under them, and the house is notified. */
  tookNames(id: string, from: string, to: string): void {
    const device = this.get(id);
    this.#states.changed(device, readingOfName(device, { from, to, at: this.#clock.now() }));
    this.#sampling?.removed(id);
    this.#identities.publish({ type: "identified" });
    this.#emit({ type: "device_attribute_renamed", device_id: id, previous_name: from, name: to });
  }

  /** What a plugin, or the hub itself, said of it is synced when it returns. Throws HubError `not_found`. */
  flushDevice(id: string): void {
    this.#store.saveIdentity(this.get(id), this.#clock.now());
    this.#store.saveStateNow(this.get(id));
  }

  /** Another plugin speaks for it from now on. Throws HubError `not_found`, and if it exceeds a limit of that plugin. */
  transferOwnership(id: string, pluginId: string): void {
    const device = this.get(id);
    const [before, bytes] = [device.pluginId, this.#quota.of(id)];
    this.#quota.delete(device);
    device.pluginId = pluginId;
    try {
      this.#quota.check(device, bytes);
      this.#store.saveIdentityRelaxed(device, this.#clock.now());
    } catch (error) {
      device.pluginId = before;
      throw error;
    } finally {
      this.#quota.set(device, bytes);
    }
  }

  /** Throws HubError `not_found`. */
  remove(id: string): void {
    this.#delete(this.get(id), this.#store.remove);
  }

  /** Calls the listener after each removal, by a person or a plugin. */
  onRemoved = (name: string, listener: (device: Device) => void): Disposable =>
    this.#removals.on("removed", name, ({ device }) => listener(device));

  /** Calls the listener after a device came, went, or got another name or area. */
  onIdentified = (name: string, listener: () => void): Disposable => this.#identities.on("identified", name, listener);

  /** Calls the listener after each report, also one that changed nothing. */
  onReported = (name: string, listener: (report: Reported) => void): Disposable =>
    this.#reports.on("reported", name, listener);

  /** Since when device state cannot be written, in epoch ms. */
  storageFailingSince(): number | undefined {
    return this.#states.failingSince();
  }

  [Symbol.dispose](): void {
    this.#availability[Symbol.dispose]();
    this.#states[Symbol.dispose]();
  }

  /** The device, or a new one that is not registered yet. */
  #ownedBy(pluginId: string, id: string, { retained = false, lasting = false }: Origin = {}): Device {
    const known = this.#devices.get(id);
    if (!known) return { ...newDevice(id, pluginId), available: !retained || lasting };
    if (known.pluginId === pluginId) return known;
    throw new HubError("forbidden", `the device "${id}" belongs to the plugin "${known.pluginId}"`);
  }

  /** Saves what a plugin says of a device: it survives a crash, and after the next checkpoint a power cut. */
  #save(device: Device): void {
    const bytes = { ...this.#quota.of(device.id), description: descriptionBytes(device) };
    this.#quota.check(device, bytes);
    this.#store.saveIdentityRelaxed(device, this.#clock.now());
    this.#quota.set(device, bytes);
    this.#devices.set(device.id, device);
    this.#identities.publish({ type: "identified" });
  }

  #saveIfNew(device: Device): void {
    if (!this.#devices.has(device.id)) this.#save(device);
  }

  /** What it says of itself now makes other words of what is known of it; nothing has happened, and no event says so. */
  #applyDescription(device: Device, described: Described): void {
    const { id, attributes: previous } = device;
    const at = this.#clock.now();
    this.#words.keep(id, described);
    const change = changeAttributes(previous, described.attributes, false);
    if (change.changed.length > 0) {
      this.#quota.set(device, bytesAfter(this.#quota.of(id), previous, change));
      device.attributes = change.current;
      device.lastChanged = timesAfter(device.lastChanged, change, at);
      this.#states.changed(device, readingOf({ device, at, ...change }, { retained: true }));
    }
  }

  /** Before the device is kept so, as it would not be found again: to say it twice changes nothing. */
  #sayRenamed(described: Described | undefined): void {
    for (const one of described?.renamed ?? []) this.#onRenamed?.(one, this.#clock.now());
  }

  #changeState(device: Device, { current, changed }: AttributeChange, bytes: number, report: StateReport): void {
    const { durable, change } = report;
    const previous = device.attributes;
    const at = this.#clock.now();
    const lastChanged = timesAfter(durable ? { ...device.lastChanged } : device.lastChanged, { current, changed }, at);
    // Where much is reported, not all of it is recorded; what must not be forgotten is, for the next start.
    const recorded = this.#sampling?.admit(device.id, changed) ?? changed;
    const reading = readingOf({ device, at, current, changed: durable ? changed : recorded }, report);
    if (durable) this.#states.changing(device, { ...device, attributes: current, lastChanged }, { reading, durable });
    else this.#states.changed(device, recorded.length > 0 ? reading : undefined);
    this.#quota.set(device, { description: this.#quota.of(device.id).description, attributes: bytes });
    device.attributes = current;
    device.lastChanged = lastChanged;
    device.lastChange = change ?? { kind: "unknown" };
    const event = { type: "device_state_changed", device_id: device.id, previous, current, changed } as const;
    // The history and the journal must have it at the same time: after a kill it is read from the journal.
    this.#emit(change ? { ...event, change } : event, at);
  }

  #noteReported(device: Device, { retained = false, lasting = false }: Origin): void {
    if (!retained) {
      device.lastSeen = this.#clock.now();
      this.#availability.alive(device);
    } else if (lasting) this.#availability.kept(device);
  }

  /** Notes what was left out before, as it is now: to be recorded as of these times. */
  recordNow(id: string, attributes: readonly string[]): { at: number; changed: string[]; current: JsonObject }[] {
    const device = this.#devices.get(id);
    if (!device) return [];
    const now = this.#clock.now();
    const byTime = Map.groupBy(attributes, (name) => device.lastChanged[name] ?? now);
    return [...byTime].map(([at, changed]) => {
      const change = { at, changed, current: device.attributes };
      this.#states.changed(device, readingOf({ device, ...change }, {}));
      return change;
    });
  }

  #delete(device: Device, removeRow: (id: string) => void): void {
    removeRow(device.id);
    this.#words.forget(device.id);
    this.#states.removed(device);
    this.#sampling?.removed(device.id);
    this.#quota.delete(device);
    this.#devices.delete(device.id);
    this.#availability.removed(device);
    this.#removals.publish({ type: "removed", device });
    this.#identities.publish({ type: "identified" });
  }
}
