// All devices, for lists that are drawn anew each second.
import type { Device } from "../../model/device/device.ts";
import { devices } from "../../state/house/house.ts";
import { useNow } from "../../ui/use-now.ts";

/** All devices, as they are each second: for lists of them, which their values must not draw anew each time. */
export function useDevices(): Device[] {
  useNow();
  return [...devices.value.values()].map((one) => one.peek());
}
