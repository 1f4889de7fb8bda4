// How fast accounts may send: so many messages, bytes and deliveries a second, some seconds' worth of them at once. Who sends faster is
// read more slowly; nothing is dropped.
import type { Clock } from "../core/clock.ts";
import type { Limits } from "../core/limits.ts";
import type { Account } from "./accounts.ts";
import type { MqttSection } from "./config.ts";
import type { Pace } from "./link.ts";
import { ownerOf } from "./session-ids.ts";
import { MOST_BYTES, MOST_PACKETS } from "./turns.ts";

export interface Paces {
  /** All connections of one account share it. */
  of(account: Account): Pace;
}

export interface PacesOptions {
  clock: Clock;
  config: Pick<MqttSection, "max_messages_per_second" | "max_mb_per_second" | "max_deliveries_per_second">;
  limits: Limits;
}

interface Budget {
  /** How long until some of it is there; 0 where some is left. */
  waitMs(): number;
  spend(amount: number): void;
}

interface BudgetOptions {
  perSecond: number;
  /** How much of it may be spent at once. */
  burstSecs: number;
  /** When it is used up, this much must have come before anything is spent again: not a timer for each message. */
  refill: number;
}

// Each costs what a message costs, and one message may make thousands.
const DELIVERIES_BURST_SECS = 2;
const MESSAGES_BURST_SECS = 10;
// What arrives in a burst becomes garbage faster than it is collected.
const BYTES_BURST_SECS = 4;

export function createPaces({ clock, config, limits }: PacesOptions): Paces {
  const {
    max_messages_per_second: messagesPerSecond,
    max_mb_per_second: mbPerSecond,
    max_deliveries_per_second: deliveriesPerSecond,
  } = config;
  const paces = new Map<string, Pace>();

  function createPace(account: string): Pace {
    const messages = createBudget(clock, {
      ...{ perSecond: messagesPerSecond, burstSecs: MESSAGES_BURST_SECS, refill: MOST_PACKETS },
    });
    const bytes = createBudget(clock, {
      ...{ perSecond: mbPerSecond * 1_048_576, burstSecs: BYTES_BURST_SECS, refill: MOST_BYTES },
    });

    const deliveries = createBudget(clock, {
      ...{ perSecond: deliveriesPerSecond, burstSecs: DELIVERIES_BURST_SECS, refill: MOST_PACKETS },
    });

    function reached(key: keyof PacesOptions["config"], what: string): void {
      const message = `sends more than ${what} a second over MQTT: they are taken at that rate, and none is dropped`;
      limits.reached({ limit: `[mqtt] ${key}`, account, message });
    }

    return {
      waitMs() {
        const forMessages = messages.waitMs();
        const forBytes = bytes.waitMs();
        const forDeliveries = deliveries.waitMs();
        if (forMessages > 0) reached("max_messages_per_second", `${messagesPerSecond} messages`);
        if (forBytes > 0) reached("max_mb_per_second", `${mbPerSecond} MB of messages`);
        if (forDeliveries > 0)
          reached("max_deliveries_per_second", `what makes ${deliveriesPerSecond} deliveries to subscribers`);
        return Math.max(forMessages, forBytes, forDeliveries);
      },
      delivered() {
        deliveries.spend(1);
      },
      spend(requests, received) {
        messages.spend(requests);
        bytes.spend(received);
      },
    };
  }

  return {
    of(account) {
      const owner = ownerOf(account);
      const pace = paces.get(owner) ?? createPace(account.name);
      paces.set(owner, pace);
      return pace;
    },
  };
}

function createBudget(clock: Clock, { perSecond, burstSecs, refill }: BudgetOptions): Budget {
  const most = perSecond * burstSecs;
  let left = most;
  let at = clock.mono();

  return {
    waitMs() {
      const now = clock.mono();
      left = Math.min(most, left + ((now - at) * perSecond) / 1000);
      at = now;
      return left > 0 ? 0 : Math.ceil(((Math.min(refill, most) - left) * 1000) / perSecond);
    },
    spend(amount) {
      left -= amount;
    },
  };
}
