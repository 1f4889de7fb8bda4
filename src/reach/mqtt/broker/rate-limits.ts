// How fast accounts may send: messages, bytes and deliveries a second, averaged over some seconds. A client that sends faster is
// read more slowly; nothing is dropped. Of bytes each account has a share of its own; beyond it all share what one may send.
import type { Limits } from "../../../kit/lifecycle/limits.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { TokenBucket } from "../../../kit/time/token-bucket.ts";
import { type Account, accountKey } from "../accounts/accounts.ts";
import type { MqttSection } from "../config.ts";
import { MAX_BATCH_BYTES, MAX_BATCH_PACKETS } from "./fair-scheduler.ts";

/** The rate limit of one account, shared by all its connections. */
export interface RateLimit {
  /** Time until the next batch may be read; 0 where it may be now. */
  waitMs(): number;
  spend(requests: number, bytes: number): void;
  /** One of its messages goes to one more subscription. */
  countDelivery(): void;
}

export interface RateLimits {
  of(account: Account): RateLimit;
}

export interface RateLimitsOptions {
  clock: Clock;
  config: Pick<MqttSection, "max_messages_per_second" | "max_mb_per_second" | "max_deliveries_per_second">;
  limits: Limits;
}

const MESSAGES_BURST_SECS = 10;
// A larger burst makes garbage faster than it is collected.
const BYTES_BURST_SECS = 4;
// A delivery costs as much as a message, and one message can have thousands.
const DELIVERIES_BURST_SECS = 2;
// Of an account's bytes, so much whatever others send.
const OWN_SHARE = 1 / 4;

export function createRateLimits({ clock, config, limits }: RateLimitsOptions): RateLimits {
  const rateLimits = new Map<string, RateLimit>();
  const bucket = (perSecond: number, burstSecs: number, refill: number): TokenBucket =>
    new TokenBucket(clock, { perSecond, capacity: perSecond * burstSecs, refill });

  const bytesBucket = (share: number): TokenBucket =>
    bucket(config.max_mb_per_second * 1_048_576 * share, BYTES_BURST_SECS, MAX_BATCH_BYTES);
  const sharedBytes = bytesBucket(1);

  function createRateLimit(account: string): RateLimit {
    const messages = bucket(config.max_messages_per_second, MESSAGES_BURST_SECS, MAX_BATCH_PACKETS);
    const bytes = bytesBucket(1);
    const ownBytes = bytesBucket(OWN_SHARE);
    const deliveries = bucket(config.max_deliveries_per_second, DELIVERIES_BURST_SECS, MAX_BATCH_PACKETS);

    function reached(key: keyof RateLimitsOptions["config"], unit: string): void {
      const message = `sends more than ${config[key]} ${unit} a second over MQTT: it is read more slowly, and nothing is dropped`;
      limits.reached({ limit: `[mqtt] ${key}`, account, message });
    }

    function waitForShare(): number {
      const forOwn = ownBytes.waitMs();
      const ms = forOwn > 0 ? Math.min(forOwn, sharedBytes.waitMs()) : 0;
      if (ms > 0) {
        const message = `sends many MB over MQTT while other accounts do, more than ${config.max_mb_per_second} MB a second in all: it is read more slowly, and nothing is dropped`;
        limits.reached({ limit: "[mqtt] max_mb_per_second", account, message });
      }
      return ms;
    }

    return {
      waitMs() {
        const forMessages = messages.waitMs();
        const forBytes = bytes.waitMs();
        const forDeliveries = deliveries.waitMs();
        if (forMessages > 0) reached("max_messages_per_second", "messages");
        if (forBytes > 0) reached("max_mb_per_second", "MB of messages");
        if (forDeliveries > 0) reached("max_deliveries_per_second", "messages to subscribers");
        return Math.max(forMessages, forBytes, forDeliveries, waitForShare());
      },
      countDelivery() {
        deliveries.spend(1);
      },
      spend(requests, received) {
        messages.spend(requests);
        bytes.spend(received);
        (ownBytes.available() > 0 ? ownBytes : sharedBytes).spend(received);
      },
    };
  }

  return {
    of(account) {
      const key = accountKey(account);
      const rateLimit = rateLimits.get(key) ?? createRateLimit(account.name);
      rateLimits.set(key, rateLimit);
      return rateLimit;
    },
  };
}
