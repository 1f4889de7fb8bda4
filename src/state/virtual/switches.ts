// Virtual switches: something a person or a rule turns on and off, and that only the hub knows.
import type { JsonObject } from "../../core/json.ts";
import type { Device } from "../device.ts";
import { createOwnDevices, type NewOwnDevice, type OwnDevices, type OwnDevicesOptions } from "./own-devices.ts";
import { readOnOff } from "./read-command.ts";

export interface Switches extends Pick<OwnDevices, "list" | "get" | "is" | "edit" | "remove"> {
  create(device: NewOwnDevice): Device;
  /** Checks a command and gives back what carries it out. */
  prepare(device: Device, wanted: JsonObject, cause: JsonObject): () => void;
}

export function createSwitches(options: Omit<OwnDevicesOptions, "deviceType">): Switches {
  const own = createOwnDevices({ ...options, deviceType: "switch" });
  return {
    ...own,
    create: (device) => own.create(device, { on: false }),
    prepare(device, wanted, cause) {
      const on = readOnOff(wanted, device.attributes.on === true);
      return () => own.commanded(device.id, { on }, cause);
    },
  };
}
