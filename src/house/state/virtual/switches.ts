// Virtual switches: a person or a rule turns them on and off, and only the hub knows them.
import { createOwnDevices, type OwnDevicesOptions, type OwnDeviceType } from "./own-devices.ts";
import { readOnOff } from "./read-command.ts";

export type Switches = OwnDeviceType;

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
