// The hub's own devices of one type: found, made, named, removed, and their state told. What they do is their kind's.
import { HubError, messageOf } from "../../core/errors.ts";
import { HUB_PLUGIN_ID, isValidId } from "../../core/ids.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { storageFaultOf } from "../../core/storage-fault.ts";
import type { Device } from "../device.ts";
import { givenName } from "../given-name.ts";
import type { Registry } from "../registry.ts";

export interface NewOwnDevice {
  id: string;
  /** The id when absent. */
  name?: string | undefined;
}

export interface OwnDevices {
  list(): Device[];
  /** Throws HubError `not_found`, also for a device of another type. */
  get(id: string): Device;
  is(device: Device): boolean;
  /** Throws HubError `invalid` for an id that cannot be one, `conflict` for one that is taken or where there are too many. */
  create(device: NewOwnDevice, attributes: JsonObject): Device;
  edit(id: string, edit: { name?: string; area?: string | null }): Device;
  remove(id: string): void;
  /**
   * The whole state, as somebody wanted it. On disk when this returns; throws where it cannot be written. What a rule wants
   * happens all the same, and is written later: rules run the house whatever the disk is like.
   */
  commanded(id: string, attributes: JsonObject, cause: JsonObject): void;
  /** The whole state, as time brought it about. It happens even if the disk is full, and is written later. */
  happened(id: string, attributes: JsonObject): void;
}

export interface OwnDevicesOptions {
  registry: Registry;
  log: Log;
  deviceType: string;
}

// They are held in memory, and people know no more by name.
const MOST_OF_A_TYPE = 1000;

export function createOwnDevices({ registry, log, deviceType }: OwnDevicesOptions): OwnDevices {
  const is = (device: Device): boolean => device.pluginId === HUB_PLUGIN_ID && device.deviceType === deviceType;

  function get(id: string): Device {
    const device = registry.ownerOf(id) === undefined ? undefined : registry.get(id);
    if (device && is(device)) return device;
    throw new HubError("not_found", `there is no ${deviceType} "${id}"`);
  }

  function happened(id: string, attributes: JsonObject, change?: JsonObject): void {
    const report = { pluginId: HUB_PLUGIN_ID, partial: false, ...(change && { change }) };
    try {
      registry.state(id, attributes, { ...report, durable: true });
    } catch (error) {
      if (storageFaultOf(error) === undefined) throw error;
      log.error(`the state of a ${deviceType} cannot be written; it holds all the same and is written later`, {
        device: id,
        error: messageOf(error),
      });
      registry.state(id, attributes, report);
    }
  }

  const list = (): Device[] => [...registry.list()].filter(is);

  return {
    list,
    get,
    is,
    create({ id, name }, attributes) {
      if (!isValidId(id)) {
        throw new HubError("invalid", 'id: must have 1 to 255 characters, without "/", "+", "#" and a leading "$"');
      }
      if (registry.ownerOf(id) !== undefined) {
        throw new HubError("conflict", `there is already a device "${id}"; choose another id`);
      }
      if (list().length >= MOST_OF_A_TYPE) {
        throw new HubError(
          "conflict",
          `there are ${MOST_OF_A_TYPE} virtual devices of the type ${deviceType}: remove some`,
        );
      }
      const named = name === undefined ? id : givenName(name);
      registry.register({ device_id: id, name: named, device_type: deviceType }, HUB_PLUGIN_ID);
      happened(id, attributes);
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
      if (change.kind === "rule") happened(id, attributes, change);
      else registry.state(id, attributes, { pluginId: HUB_PLUGIN_ID, partial: false, durable: true, change });
    },
    happened: (id, attributes) => happened(id, attributes),
  };
}
