// What a machine may believe of the lease by what it has seen itself: an engine whose clock steps does not end it early, and one that
// lost its row does not give it away.
import { HubError } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { LeaseRow } from "./lease.ts";

export interface Witness {
  /**
   * How long a lease goes on. `mark` is another one with each renewal: from its first sight on, it goes on for `firstMs` by this
   * machine's monotonic clock; longer where the engine says so (`saidMs`).
   */
  leftMs(mark: string, firstMs: number, saidMs: number): number;
  /**
   * To be notified of each reading. Throws HubError `unavailable` while the row is lost (see `LeaseEngine.take`), but may not be made anew.
   */
  mayTake(row: LeaseRow | undefined, terms: { known: number; ttlMs: number }): void;
}

export function createWitness(clock: Pick<Clock, "mono">, url: string): Witness {
  let seen: { mark: string; since: number; firstMs: number } | undefined;
  let lost: { since: number; last: number } | undefined;
  return {
    leftMs(mark, firstMs, saidMs) {
      const now = clock.mono();
      if (seen?.mark !== mark) seen = { mark, since: now, firstMs };
      // In this order, as fractions of milliseconds are rounded: never more than `firstMs`.
      return Math.max(0, saidMs, seen.firstMs - (now - seen.since));
    },
    mayTake(row, { known, ttlMs }) {
      const now = clock.mono();
      if ((row?.epoch ?? 0) >= known) {
        lost = undefined;
        return;
      }
      // Nobody looked for a while: it may have been there.
      if (!lost || now - lost.last > ttlMs) lost = { since: now, last: now };
      lost.last = now;
      const waitMs = lost.since + ttlMs - now;
      if (waitMs <= 0) return;
      throw new HubError(
        "unavailable",
        `${url} has lost the house's lease: unless another machine has it, this one takes it anew in ${Math.ceil(waitMs / 1000)} s`,
      );
    },
  };
}
