// How many requests an address may send without an account: a second, and at once, as their bodies take memory while they come.
// Those of accounts are not counted.
import type { Limits } from "../../../kit/lifecycle/limits.ts";
import { networkOf } from "../../../kit/text/addresses.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { TokenBucket } from "../../../kit/time/token-bucket.ts";
import type { Callers, PeerSource } from "../callers.ts";
import { refusalOfFlood } from "../errors.ts";
import type { Answer } from "../resources.ts";

export interface AddressLimit {
  /** Counts a request of nobody known; the answer to it where its address sent too many. */
  refusal(request: Request, server: PeerSource | null): Response | undefined;
  /** The same for a request that is answered by `run`, maybe once its body is there. */
  answer(request: Request, server: PeerSource | null, run: () => Answer): Answer;
}

export interface AddressLimitOptions {
  perSecond: number;
  callers: Pick<Callers, "addressOf">;
  clock: Clock;
  limits: Limits;
}

interface Stranger {
  /** As it is reported. */
  readonly address: string;
  readonly bucket: TokenBucket;
  /** Requests that are being answered. */
  pending: number;
}

// A page that is loaded anew by everybody at once is honest.
const BURST_SECS = 4;
const MAX_PENDING = 32;
const MAX_ADDRESSES = 4096;
const PROXIED = "via ";

export function createAddressLimit({ perSecond, callers, clock, limits }: AddressLimitOptions): AddressLimit {
  const strangers = new Map<string, Stranger>();

  function strangerOf(request: Request, server: PeerSource | null): Stranger {
    const address = clientOf(callers.addressOf(request, server));
    const known = strangers.get(address);
    if (known) return known;
    const [oldest] = strangers.size < MAX_ADDRESSES ? [] : strangers.keys();
    if (oldest !== undefined) strangers.delete(oldest);
    const bucket = new TokenBucket(clock, { perSecond, capacity: perSecond * BURST_SECS });
    const stranger = { address, bucket, pending: 0 };
    strangers.set(address, stranger);
    return stranger;
  }

  function refuse(request: Request, { address }: Stranger, what: string, waitMs: number): Response {
    const message = `sent more than ${what} without an account: they were refused`;
    limits.reached({ limit: "[server] max_anonymous_requests_per_second", account: address, message });
    return refusalOfFlood(request, "too many requests from this address", Math.max(1, Math.ceil(waitMs / 1000)));
  }

  function refusalTo(request: Request, stranger: Stranger): Response | undefined {
    const waitMs = stranger.bucket.waitMs();
    if (waitMs > 0) return refuse(request, stranger, `${perSecond} requests a second`, waitMs);
    stranger.bucket.spend(1);
    return undefined;
  }

  return {
    refusal: (request, server) => refusalTo(request, strangerOf(request, server)),
    answer(request, server, run) {
      const stranger = strangerOf(request, server);
      if (stranger.pending >= MAX_PENDING) return refuse(request, stranger, `${MAX_PENDING} requests at once`, 0);
      const refusal = refusalTo(request, stranger);
      if (refusal) return refusal;
      const answer = run();
      if (answer instanceof Promise) {
        stranger.pending++;
        const end = (): void => void stranger.pending--;
        answer.then(end, end);
      }
      return answer;
    },
  };
}

function clientOf(address: string): string {
  return address.startsWith(PROXIED) ? PROXIED + networkOf(address.slice(PROXIED.length)) : networkOf(address);
}
