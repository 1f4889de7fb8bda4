// The hub's own devices of one type (timers, switches, modes): how they are listed, made, changed and removed, and how their
// state is written. What a command does is left to each type.
import { storageFaultOf } from "../../../kit/files/storage-fault.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { checkId, HUB_PLUGIN_ID, idFromName, readGivenName } from "../../../kit/schema/ids.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { type Crud, idTaken, notFound, tooMany } from "../collection.ts";
import { type Device, isGroup } from "../device.ts";
import type { Registry } from "../registry.ts";
import type { StateReport } from "../reports.ts";

export interface NewOwnDevice {
  id: string;
  /** The id when absent. */
  name?: string | undefined;
}

export interface OwnDeviceEdit {
  name?: string;
  area?: string | null;
}

/** What virtual devices of every type can do. `get` throws `not_found` also for a device of another type. */
export interface OwnDeviceType extends Crud<Device, NewOwnDevice, OwnDeviceEdit> {
  is(device: Device): boolean;
  prepare: Prepare;
}

/** Checks a command and returns the function that carries it out. Throws HubError `invalid` or `conflict`. */
export type Prepare = (device: Device, wanted: JsonObject, cause: JsonObject) => () => void;

export interface OwnDevices extends Omit<OwnDeviceType, "create" | "prepare"> {
  create(device: NewOwnDevice, attributes: JsonObject): Device;
  /** Throws HubError `invalid`, or `conflict` for a taken id or where there are too many. */
  checkNew(id: string): void;
  /**
   * Replaces the whole state, by command. Synced when it returns; throws if it cannot be written. What a rule commands is
   * written and synced within seconds, and takes effect even if it cannot be: rules run the house whatever the disk is like.
   */
  commanded(id: string, attributes: JsonObject, cause: JsonObject): void;
  /** Replaces the whole state, as time has passed. Takes effect even if the disk is full, and is then written later. */
  happened(id: string, attributes: JsonObject): void;
}

export interface OwnDevicesOptions {
  registry: Registry;
  log: Log;
  deviceType: string;
}

const MAX_OF_A_TYPE = 1000;

export function createOwnDevices({ registry, log, deviceType }: OwnDevicesOptions): OwnDevices {
  const is = (device: Device): boolean =>
    device.pluginId === HUB_PLUGIN_ID && device.deviceType === deviceType && !isGroup(device);
  const list = (): Device[] => [...registry.list()].filter(is);

  function get(id: string): Device {
    const device = registry.find(id);
    if (device && is(device)) return device;
    throw notFound(deviceType, id);
  }

  function happened(
    id: string,
    attributes: JsonObject,
    { change, durable = "written" }: Pick<StateReport, "change" | "durable"> = {},
  ): void {
    const report = { pluginId: HUB_PLUGIN_ID, partial: false, ...(change && { change }) };
    try {
      registry.state(id, attributes, { ...report, durable });
    } catch (error) {
      if (storageFaultOf(error) === undefined) throw error;
      log.error(`the state of a ${deviceType} cannot be written; it takes effect all the same and is written later`, {
        device: id,
        error: messageOf(error),
      });
      registry.state(id, attributes, report);
    }
  }

  function checkNew(id: string): void {
    checkId(id);
    if (registry.find(id)) throw idTaken(id);
    if (list().length >= MAX_OF_A_TYPE) throw tooMany(deviceType, MAX_OF_A_TYPE);
  }

  return {
    list,
    get,
    is,
    checkNew,
    create({ id, name }, attributes) {
      checkNew(id);
      const givenName = name === undefined ? id : readGivenName(name);
      registry.register({ device_id: id, name: givenName, device_type: deviceType }, HUB_PLUGIN_ID);
      // A person made it: the answer says that it is on the disk.
      happened(id, attributes, { durable: "synced" });
      registry.flushDevice(id);
      return get(id);
    },
    edit(id, edit) {
      get(id);
      return registry.edit(id, edit);
    },
    remove(id) {
      get(id);
      registry.remove(id);
    },
    commanded(id, attributes, change) {
      if (change.kind === "rule") happened(id, attributes, { change });
      else registry.state(id, attributes, { pluginId: HUB_PLUGIN_ID, partial: false, durable: "synced", change });
    },
    happened: (id, attributes) => happened(id, attributes),
  };
}

/** An id made from the name of a new device, with a number where that is taken. */
export function idFor(registry: Pick<Registry, "find">, name: string): string {
  const id = idFromName(name) || "device";
  if (!registry.find(id)) return id;
  let number = 2;
  while (registry.find(`${id}_${number}`)) number++;
  return `${id}_${number}`;
}
