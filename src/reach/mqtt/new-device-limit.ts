// How many new devices an account may add in a minute: each is written to the disk and stays.
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { TokenBucket } from "../../kit/time/token-bucket.ts";
import { type Account, accountKey } from "./accounts/accounts.ts";
import type { DevicePort, Rejection } from "./ports.ts";

/** Does `work`, which may add the device; or returns why not. */
export type NewDeviceLimit = (account: Account, deviceId: string, work: () => Rejection) => Rejection;

export interface NewDeviceLimitOptions {
  clock: Clock;
  perMinute: number;
  limits: Limits;
  devices: Pick<DevicePort, "ownerOf">;
}

export function createNewDeviceLimit(options: NewDeviceLimitOptions): NewDeviceLimit {
  const { clock, perMinute, limits, devices } = options;
  const buckets = new Map<string, TokenBucket>();

  function bucketOf(account: Account): TokenBucket {
    const key = accountKey(account);
    const bucket = buckets.get(key) ?? new TokenBucket(clock, { perSecond: perMinute / 60, capacity: perMinute });
    buckets.set(key, bucket);
    return bucket;
  }

  return function withinLimit(account, deviceId, work) {
    if (devices.ownerOf(deviceId) !== undefined) return work();
    const bucket = bucketOf(account);
    if (bucket.available() < 1) {
      const message = `more than ${perMinute} new devices in a minute: others are refused until later`;
      limits.reached({ limit: "[mqtt] max_new_devices_per_minute", account: account.name, message });
      return message;
    }
    try {
      return work();
    } finally {
      if (devices.ownerOf(deviceId) !== undefined) bucket.spend(1);
    }
  };
}
