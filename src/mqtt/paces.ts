// How fast accounts may send: so many messages a second, ten seconds' worth of them at once. Who sends faster is read more
// slowly; nothing is dropped.
import type { Clock } from "../core/clock.ts";
import type { Limits } from "../core/limits.ts";
import type { Account } from "./accounts.ts";
import type { Pace } from "./link.ts";
import { ownerOf } from "./session-ids.ts";
import { MOST_PACKETS } from "./turns.ts";

export interface Paces {
  /** All connections of one account share it. */
  of(account: Account): Pace;
}

export interface PacesOptions {
  clock: Clock;
  perSecond: number;
  limits: Limits;
}

const BURST_SECS = 10;

export function createPaces({ clock, perSecond, limits }: PacesOptions): Paces {
  const paces = new Map<string, Pace>();

  function createPace(account: string): Pace {
    const most = perSecond * BURST_SECS;
    let left = most;
    let at = clock.mono();

    return {
      waitMs() {
        const now = clock.mono();
        left = Math.min(most, left + ((now - at) * perSecond) / 1000);
        at = now;
        if (left > 0) return 0;
        limits.reached({
          limit: "[mqtt] max_messages_per_second",
          account,
          message: `sends more than ${perSecond} MQTT messages a second: they are taken at that rate, and none is dropped`,
        });
        return Math.ceil(((Math.min(MOST_PACKETS, most) - left) * 1000) / perSecond);
      },
      spend(requests) {
        left -= requests;
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
