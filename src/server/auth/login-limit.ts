// Slows down the guessing of passwords: five failures a minute from one address, or at one account from this machine, where
// plugins run. A try counts from its start, so that parallel tries count too. Who is refused is remembered for an alert.

import { HubError } from "../../kit/schema/errors.ts";
import { isLoopback, networkOf } from "../../kit/text/addresses.ts";
import type { Clock } from "../../kit/time/clock.ts";

export interface LoginLimit {
  /** Counts a try at the account `subject`. Throws HubError `rate_limited` with `retryAfterSecs`. */
  begin(address: string, subject: string): Attempt;
  /** The addresses that were refused in the last ten minutes, the latest last. */
  guessing(): readonly string[];
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

const MAX_FAILURES = 5;
const WINDOW_MS = 60_000;
const REMEMBERED_MS = 600_000;
const MAX_GUESSING = 20;
/** Accounts of which tries from this machine are counted one by one; it has fewer programs that log in. */
const MAX_LOCAL_ACCOUNTS = 500;
/** Where the address is one of loopback. */
const THIS_MACHINE = "this machine";
const UNCOUNTED: Attempt = { succeed() {}, withdraw() {} };

export function createLoginLimit({ clock, exempt, capacity = 10_000 }: LoginLimitOptions): LoginLimit {
  // In the order of the last change: the first entry is the oldest.
  const byNetwork = new Map<string, readonly Try[]>();
  const byLocalAccount = new Map<string, readonly Try[]>();
  // When each address was refused last, in that order.
  const refused = new Map<string, number>();

  function remember(address: string, now: number): void {
    refused.delete(address);
    refused.set(address, now);
    const [oldest] = refused.size > MAX_GUESSING ? refused.keys() : [];
    if (oldest !== undefined) refused.delete(oldest);
  }

  /**
   * All programs of this machine share its loopback addresses, of which there are millions: one that guesses must neither get
   * five tries from each, nor keep the others from logging in to their accounts. Nor can it make the hub forget its failures
   * by inventing accounts: beyond a number they are counted as one.
   */
  function localKey(account: string, now: number): string {
    if (byLocalAccount.has(account) || byLocalAccount.size < MAX_LOCAL_ACCOUNTS) return account;
    for (const [key, list] of byLocalAccount)
      if (list.every(({ at }) => now - at >= WINDOW_MS)) byLocalAccount.delete(key);
    return byLocalAccount.size < MAX_LOCAL_ACCOUNTS ? account : "";
  }

  function countedIn(address: string, account: string, now: number): Counted {
    const isLocal = isLoopback(address);
    const tries = isLocal ? byLocalAccount : byNetwork;
    const key = isLocal ? localKey(account, now) : networkOf(address);
    return {
      recent: (tries.get(key) ?? []).filter(({ at }) => now - at < WINDOW_MS),
      name: isLocal ? THIS_MACHINE : address,
      keep(change) {
        const list = change(tries.get(key) ?? []);
        tries.delete(key);
        if (list.length > 0) tries.set(key, list);
        const [oldest] = isLocal || tries.size <= capacity ? [] : tries.keys();
        if (oldest !== undefined) tries.delete(oldest);
      },
    };
  }

  return {
    guessing() {
      const now = clock.mono();
      return [...refused].flatMap(([address, at]) => (now - at < REMEMBERED_MS ? [address] : []));
    },
    begin(address, subject) {
      if (exempt(address)) return UNCOUNTED;
      const now = clock.mono();
      // Names come from strangers, so their length is bounded. Accounts ignore case, and so do these.
      const entry: Try = { at: now, subject: subject.slice(0, 64).toLowerCase() };
      const { recent, name, keep } = countedIn(address, entry.subject, now);
      const [first] = recent;
      if (first && recent.length >= MAX_FAILURES) {
        remember(name, now);
        throw refusal(first.at + WINDOW_MS - now);
      }
      keep(() => [...recent, entry]);
      return {
        // Only this account's failures: otherwise somebody with an account could guess at another one for ever.
        succeed: () => keep((list) => list.filter((other) => other.subject !== entry.subject)),
        withdraw: () => keep((list) => list.filter((other) => other !== entry)),
      };
    },
  };
}

/** The tries that count together with one. */
interface Counted {
  recent: readonly Try[];
  /** The address as it is reported. */
  name: string;
  keep(change: (list: readonly Try[]) => readonly Try[]): void;
}

function refusal(waitMs: number): HubError {
  const retryAfterSecs = Math.max(1, Math.ceil(waitMs / 1000));
  return new HubError("rate_limited", `too many failed logins from this address; try again in ${retryAfterSecs} s`, {
    details: { retryAfterSecs },
  });
}
