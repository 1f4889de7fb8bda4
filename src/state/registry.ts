// The devices of the house. What they report is compared with what is held: nothing changed, nothing said.
import { createBus } from "../core/bus.ts";
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import { type DiskBudget, startWriteBehind } from "../core/write-behind.ts";
import type { StateDb } from "../db/state-db.ts";
import type { HubEvent } from "../events/catalog.ts";
import { changeAttributes } from "./attributes.ts";
import { applyRegistration, type Device, type DeviceRegistration, newDevice } from "./device.ts";
import { bytesAfter, bytesOf, createDeviceRoom, descriptionBytes } from "./device-room.ts";
import { createDeviceStore } from "./device-store.ts";
import { DEFAULT_DEVICES, type DevicesSection } from "./devices-config.ts";

export interface StateReport {
  pluginId: string;
  /** Merge into what is held instead of replacing it. */
  partial: boolean;
  /** Who caused it, echoed from a command. */
  change?: JsonObject;
  /** On disk before it is believed: for what the hub itself must not forget. Throws where it cannot be written. */
  durable?: boolean;
}

export interface Registry extends Disposable {
  list(): Iterable<Device>;
  /** Throws HubError `not_found`. */
  get(id: string): Device;
  find(id: string): Device | undefined;
  count(pluginId?: string): number;
  ownerOf(id: string): string | undefined;
  register(registration: DeviceRegistration, pluginId: string): void;
  /** Only the owner may; HubError `forbidden` for others. */
  unregister(id: string, pluginId: string): void;
  state(id: string, attributes: JsonObject, report: StateReport): void;
  availability(id: string, available: boolean, pluginId: string): void;
  schema(id: string, schema: JsonObject, pluginId: string): void;
  /** All devices of a plugin that went away. Its next report or registration brings each back. */
  unavailable(pluginId: string): void;
  /** What a person says; null takes the area away, and leaves both to the plugin again. */
  edit(id: string, edit: { name?: string; area?: string | null }): Device;
  remove(id: string): void;
  /** Told after a device is gone, whoever removed it. */
  onRemoved(name: string, listener: (device: Device) => void): Disposable;
  /** Since when device state cannot be written, in epoch ms. */
  storageFailingSince(): number | undefined;
}

export interface RegistryOptions {
  db: StateDb;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
  flushSecs: number;
  /** See core/write-budget.ts. */
  budget?: DiskBudget;
  /** [devices]; its defaults where absent. */
  config?: DevicesSection;
  limits?: Limits;
}

export function openRegistry(options: RegistryOptions): Registry {
  const { db, clock, log, emit, flushSecs, budget, config = DEFAULT_DEVICES, limits = { reached() {} } } = options;
  const store = createDeviceStore(db);
  const devices = new Map(store.load().map((device) => [device.id, device]));
  const room = createDeviceRoom(config, limits);
  for (const device of devices.values()) room.set(device, bytesOf(device));
  // Devices their own plugin called offline: only its word brings them back, not the next report.
  const saidOffline = new Set<string>();
  const removals = createBus<{ type: "removed"; device: Device }>(log);
  const behind = startWriteBehind<Device>({
    clock,
    log,
    periodMs: flushSecs * 1000,
    write: store.saveStates,
    ...(budget && { budget }),
    trouble: db.trouble,
  });

  function get(id: string): Device {
    const device = devices.get(id);
    if (!device) throw new HubError("not_found", `there is no device "${id}"`);
    return device;
  }

  /** The device, or one that nobody knows yet and `keep` takes in; refuses what another plugin owns. */
  function ownedBy(pluginId: string, id: string): Device {
    const known = devices.get(id);
    if (known && known.pluginId !== pluginId) {
      throw new HubError("forbidden", `the device "${id}" belongs to the plugin "${known.pluginId}"`);
    }
    return known ?? newDevice(id, pluginId);
  }

  /** What a plugin says of a device outlasts a crash, and a power cut after the next checkpoint. Refuses what there is no room for. */
  function keep(device: Device): void {
    const bytes = { ...room.of(device.id), description: descriptionBytes(device) };
    room.check(device, bytes);
    store.noteIdentity(device, clock.now());
    room.set(device, bytes);
    devices.set(device.id, device);
  }

  function keepIfNew(device: Device): void {
    if (!devices.has(device.id)) keep(device);
  }

  function setAvailable(device: Device, available: boolean): void {
    if (device.available === available) return;
    device.available = available;
    behind.mark(device);
    emit({ type: "device_availability_changed", device_id: device.id, available });
  }

  function sawAlive(device: Device): void {
    device.lastSeen = clock.now();
    if (!saidOffline.has(device.id)) setAvailable(device, true);
  }

  function drop(device: Device, remove: (id: string) => void): void {
    remove(device.id);
    behind.forget(device);
    room.drop(device);
    devices.delete(device.id);
    saidOffline.delete(device.id);
    removals.publish({ type: "removed", device });
  }

  function rename(device: Device, name: string): void {
    if (device.name === name) return;
    const previous = device.name;
    device.name = name;
    emit({ type: "device_name_changed", device_id: device.id, previous_name: previous, name });
  }

  return {
    list: () => devices.values(),
    get,
    find: (id) => devices.get(id),
    count: (pluginId) =>
      pluginId === undefined
        ? devices.size
        : [...devices.values()].filter((device) => device.pluginId === pluginId).length,
    ownerOf: (id) => devices.get(id)?.pluginId,
    register(registration, pluginId) {
      const device = ownedBy(pluginId, registration.device_id);
      const { name: previous, area, deviceType, details } = device;
      try {
        if (applyRegistration(device, registration)) keep(device);
        else keepIfNew(device);
      } catch (error) {
        // Refused as a whole, or not on disk: then it is as it was.
        Object.assign(device, { name: previous, area, deviceType, details });
        throw error;
      }
      if (device.name !== previous && previous !== device.id) {
        emit({ type: "device_name_changed", device_id: device.id, previous_name: previous, name: device.name });
      }
      sawAlive(device);
    },
    unregister(id, pluginId) {
      const device = devices.get(id);
      if (!device) return;
      if (device.pluginId !== pluginId)
        throw new HubError("forbidden", `the device "${id}" belongs to the plugin "${device.pluginId}"`);
      drop(device, store.noteRemoval);
    },
    state(id, report, { pluginId, partial, change: cause, durable }) {
      const device = ownedBy(pluginId, id);
      const previous = device.attributes;
      const change = changeAttributes(previous, report, partial);
      const { current, changed } = change;
      const bytes = bytesAfter(room.of(id), previous, change);
      if (changed.length > 0) room.check(device, bytes);
      keepIfNew(device);
      sawAlive(device);
      if (changed.length === 0) return;
      const lastChanged = durable ? { ...device.lastChanged } : device.lastChanged;
      for (const name of changed) {
        if (Object.hasOwn(current, name)) lastChanged[name] = clock.now();
        else delete lastChanged[name];
      }
      if (durable) store.saveStateNow({ ...device, attributes: current, lastChanged });
      else behind.mark(device);
      room.set(device, { ...room.of(id), attributes: bytes.attributes });
      Object.assign(device, { attributes: current, lastChanged });
      emit({
        type: "device_state_changed",
        ...{ device_id: id, previous, current, changed },
        ...(cause ? { change: cause } : {}),
      });
    },
    availability(id, available, pluginId) {
      const device = ownedBy(pluginId, id);
      keepIfNew(device);
      device.lastSeen = clock.now();
      if (available) saidOffline.delete(id);
      else saidOffline.add(id);
      setAvailable(device, available);
    },
    schema(id, schema, pluginId) {
      const device = ownedBy(pluginId, id);
      if (JSON.stringify(device.details.schema) === JSON.stringify(schema)) return;
      const { details } = device;
      try {
        device.details = { ...details, schema };
        keep(device);
      } catch (error) {
        device.details = details;
        throw error;
      }
    },
    unavailable(pluginId) {
      for (const device of devices.values()) if (device.pluginId === pluginId) setAvailable(device, false);
    },
    edit(id, { name, area }) {
      const device = get(id);
      const edited: Device = { ...device };
      if (name !== undefined) Object.assign(edited, { name, nameIsUsers: true });
      if (area !== undefined) Object.assign(edited, { area: area ?? undefined, areaIsUsers: area !== null });
      // Written before it is believed: what is answered must be on disk.
      store.saveIdentity(edited, clock.now());
      Object.assign(device, { nameIsUsers: edited.nameIsUsers, area: edited.area, areaIsUsers: edited.areaIsUsers });
      rename(device, edited.name);
      return device;
    },
    remove: (id) => drop(get(id), store.remove),
    onRemoved: (name, listener) => removals.on("removed", name, ({ device }) => listener(device)),
    storageFailingSince: behind.failingSince,
    [Symbol.dispose]: () => behind[Symbol.dispose](),
  };
}
