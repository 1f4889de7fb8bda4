// Fetches pictures from the addresses that devices say: one at a time of each, a second apart at least, and of what is said meanwhile
// the last only. Where an address may lead is decided by the `fetch` that is handed in.
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import { type Clock, sleep } from "../../kit/time/clock.ts";

/** The body of a GET, bounded in bytes. Rejects with a HubError whose message has no address, as that may hold a password. */
export type FetchPicture = (address: URL, signal: AbortSignal) => Promise<Uint8Array>;

export interface Wanted {
  address: string;
  took(bytes: Uint8Array): void;
  failed(problem: string): void;
}

export interface Fetches extends Disposable {
  want(key: string, wanted: Wanted): void;
  forget(isGone: (key: string) => boolean): void;
}

const WITHIN_MS = 10_000;
const APART_MS = 1000;
const MAX_AT_ONCE = 4;
const MAX_ADDRESS_LENGTH = 2048;

export function createFetches(clock: Clock, fetch: FetchPicture): Fetches {
  const waiting = new Map<string, Wanted>();
  const busy = new Set<string>();
  const ended = new AbortController();

  function next(): void {
    for (const [key, wanted] of waiting) {
      if (busy.size >= MAX_AT_ONCE) return;
      if (busy.has(key)) continue;
      waiting.delete(key);
      busy.add(key);
      void run(key, wanted);
    }
  }

  async function run(key: string, wanted: Wanted): Promise<void> {
    const apart = sleep(clock, "picture", APART_MS, ended.signal);
    try {
      wanted.took(await fetchIn(wanted.address));
    } catch (error) {
      wanted.failed(messageOf(error));
    }
    await apart;
    busy.delete(key);
    if (!ended.signal.aborted) next();
  }

  async function fetchIn(text: string): Promise<Uint8Array> {
    const address = text.length <= MAX_ADDRESS_LENGTH ? URL.parse(text) : null;
    if (!address || !/^https?:$/.test(address.protocol))
      throw new HubError("invalid", "what it announces is not the http address of a picture");
    const over = new AbortController();
    const timeout = sleep(clock, "picture", WITHIN_MS, AbortSignal.any([over.signal, ended.signal])).then(() => {
      throw new HubError("upstream_failed", `${address.host} took longer than ${WITHIN_MS / 1000} s`);
    });
    timeout.catch(() => {});
    try {
      return await Promise.race([fetch(address, over.signal), timeout]);
    } finally {
      over.abort();
    }
  }

  return {
    want(key, wanted) {
      waiting.set(key, wanted);
      next();
    },
    forget(isGone) {
      for (const key of waiting.keys()) if (isGone(key)) waiting.delete(key);
    },
    [Symbol.dispose]() {
      waiting.clear();
      ended.abort();
    },
  };
}
