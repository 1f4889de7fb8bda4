// Slows down the guessing of passwords: five failures a minute from one address. A try counts from its start, so that
// parallel tries count too.
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { networkOf } from "./addresses.ts";

export interface LoginLimit {
  /** Counts a try at the account `subject`. Throws HubError `rate_limited` with `retryAfterSecs`. */
  begin(address: string, subject: string): Attempt;
}

/** A try counts as a failure until it succeeds or is withdrawn. */
export interface Attempt {
  succeed(): void;
  /** It ended without a result. */
  withdraw(): void;
}

export interface LoginLimitOptions {
  clock: Clock;
  /** Whether an address is never refused. */
  exempt: (address: string) => boolean;
  /** How many addresses are remembered. */
  capacity?: number;
}

interface Try {
  at: number;
  subject: string;
}

const MOST_FAILURES = 5;
const WINDOW_MS = 60_000;
const UNCOUNTED: Attempt = { succeed() {}, withdraw() {} };

export function createLoginLimit({ clock, exempt, capacity = 10_000 }: LoginLimitOptions): LoginLimit {
  // In the order of the last change: the first entry is the oldest.
  const tries = new Map<string, readonly Try[]>();

  function keep(network: string, list: readonly Try[]): void {
    tries.delete(network);
    if (list.length > 0) tries.set(network, list);
    const oldest = tries.size > capacity ? tries.keys().next().value : undefined;
    if (oldest !== undefined) tries.delete(oldest);
  }

  return {
    begin(address, subject) {
      if (exempt(address)) return UNCOUNTED;
      const network = networkOf(address);
      const now = clock.mono();
      const recent = (tries.get(network) ?? []).filter(({ at }) => now - at < WINDOW_MS);
      const first = recent[0];
      if (first && recent.length >= MOST_FAILURES) throw refusal(first.at + WINDOW_MS - now);
      // Names come from strangers, so their length is bounded. Accounts ignore case, and so do these.
      const entry: Try = { at: now, subject: subject.slice(0, 64).toLowerCase() };
      keep(network, [...recent, entry]);

      const forget = (gone: (other: Try) => boolean): void =>
        keep(
          network,
          (tries.get(network) ?? []).filter((other) => !gone(other)),
        );
      return {
        // Only this account's failures: otherwise somebody with an account could guess at another one for ever.
        succeed: () => forget((other) => other.subject === entry.subject),
        withdraw: () => forget((other) => other === entry),
      };
    },
  };
}

function refusal(waitMs: number): HubError {
  const retryAfterSecs = Math.max(1, Math.ceil(waitMs / 1000));
  return new HubError("rate_limited", `too many failed logins from this address; try again in ${retryAfterSecs} s`, {
    details: { retryAfterSecs },
  });
}
