// So many new devices an account may bring in a minute: each is written to the disk and stays.
import type { Clock } from "../core/clock.ts";
import type { Limits } from "../core/limits.ts";
import type { Account } from "./accounts.ts";
import type { DevicePort, Outcome } from "./ports.ts";
import { ownerOf } from "./session-ids.ts";

/** Does `work`, which may make the device known; or says why not. */
export type NewDevices = (account: Account, deviceId: string, work: () => Outcome) => Outcome;

export interface NewDevicesOptions {
  clock: Clock;
  perMinute: number;
  limits: Limits;
  devices: Pick<DevicePort, "ownerOf">;
}

export function createNewDevices({ clock, perMinute, limits, devices }: NewDevicesOptions): NewDevices {
  const accounts = new Map<string, { left: number; at: number }>();

  function leftOf(account: Account): { left: number; at: number } {
    const owner = ownerOf(account);
    const known = accounts.get(owner) ?? { left: perMinute, at: clock.mono() };
    accounts.set(owner, known);
    const now = clock.mono();
    known.left = Math.min(perMinute, known.left + ((now - known.at) * perMinute) / 60_000);
    known.at = now;
    return known;
  }

  return function withinLimit(account, deviceId, work) {
    if (devices.ownerOf(deviceId) !== undefined) return work();
    const budget = leftOf(account);
    if (budget.left < 1) {
      const message = `more than ${perMinute} new devices in a minute: others are refused until later`;
      limits.reached({ limit: "[mqtt] max_new_devices_per_minute", account: account.name, message });
      return message;
    }
    try {
      return work();
    } finally {
      if (devices.ownerOf(deviceId) !== undefined) budget.left--;
    }
  };
}
