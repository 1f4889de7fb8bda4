// The devices as they are now, each with a signal of its own.
import { batch, computed, type Signal, signal } from "@preact/signals";
import type { Device } from "../../model/device/device.ts";

export type Devices = ReturnType<typeof createDevices>;

export function createDevices() {
  /** By id; each has a signal of its own, so that one change draws one tile. */
  const devices = signal<ReadonlyMap<string, Signal<Device>>>(new Map());
  /** Grows when a device comes or goes, or is no longer the same thing at the same place. Values leave it alone. */
  const shape = signal(0);

  function setDevices(list: readonly Device[]): void {
    batch(() => {
      shape.value++;
      const known = devices.peek();
      devices.value = new Map(
        list.map((device) => {
          const own = known.get(device.id) ?? signal(device);
          own.value = device;
          return [device.id, own];
        }),
      );
    });
  }

  return {
    devices,
    shape,
    setDevices,
    deviceList: computed(() => [...devices.value.values()].map((one) => one.value)),
    /** False where it is not known. */
    changeDevice(id: string, how: (device: Device) => Partial<Device>): boolean {
      const own = devices.peek().get(id);
      if (!own) return false;
      const before = own.peek();
      own.value = { ...before, ...how(before) };
      if (isOther(before, own.peek())) shape.value++;
      return true;
    },
    putDevice(device: Device): void {
      const own = devices.peek().get(device.id);
      if (own) own.value = device;
      else devices.value = new Map([...devices.peek(), [device.id, signal(device)]]);
      shape.value++;
    },
    dropDevice(id: string): void {
      if (!devices.peek().has(id)) return;
      devices.value = new Map([...devices.peek()].filter(([one]) => one !== id));
      shape.value++;
    },
    /** Peeks: a sentence does not change when a device reports something. */
    nameOfDevice: (id: string): string | undefined => devices.value.get(id)?.peek().name,
  };
}

function isOther(before: Device, now: Device): boolean {
  if (before.name !== now.name || before.area !== now.area) return true;
  if (before.attributes === now.attributes) return false;
  const names = Object.keys(now.attributes);
  return (
    names.length !== Object.keys(before.attributes).length ||
    names.some((name) => !Object.hasOwn(before.attributes, name))
  );
}

export const { devices, shape, setDevices, deviceList, changeDevice, putDevice, dropDevice, nameOfDevice } =
  createDevices();
