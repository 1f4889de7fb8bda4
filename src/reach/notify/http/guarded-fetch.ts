// A fetch that looks up a host once, checks where it leads, and connects to just that address: a name that leads elsewhere a
// moment later (DNS rebinding) gains nothing. Redirects are the caller's to refuse.
import ipaddr from "ipaddr.js";
import { HubError, systemCode } from "../../../kit/schema/errors.ts";
import { DeliveryError } from "../channel.ts";
import { isLocalAddress, ownAddresses } from "./local-address.ts";

/** `house`: everywhere but this machine. `internet`: public addresses only, over https. */
export type Reach = "house" | "internet";

export interface GuardOptions {
  reach: Reach;
  /** What to do where an address is refused. */
  hint: string;
  /** All addresses of a host. */
  lookup?: (host: string) => Promise<string[]>;
  /** Addresses of this machine. */
  own?: () => string[];
}

const NOT_CONNECTED = /^(ECONNREFUSED|ConnectionRefused|EHOSTUNREACH|ENETUNREACH|FailedToOpenSocket|EADDRNOTAVAIL)$/;
const MAX_TRIED = 3;

/** Rejects with a final DeliveryError for an address that is out of reach. */
export function guardedFetch(send: typeof fetch, options: GuardOptions): typeof fetch {
  const { reach, hint } = options;
  const guarded = async (input: string | URL | Request, init: BunFetchRequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (reach === "internet" && url.protocol !== "https:")
      throw new DeliveryError(`${url.host} is not reached over https, which is refused`, { transient: false, hint });
    const addresses = await addressesWithin(url, options, init.signal);
    for (const [index, address] of addresses.entries()) {
      try {
        return await send(...pinned(url, address, init));
      } catch (error) {
        const isLast = index === addresses.length - 1;
        if (isLast || init.signal?.aborted || !NOT_CONNECTED.test(systemCode(error) ?? "")) throw error;
      }
    }
    throw new Error("unreachable: there is an address, and the last one returns or throws");
  };
  return Object.assign(guarded, { preconnect: () => {} }) as typeof fetch;
}

/** Where a host leads to. Rejects with a final DeliveryError where that is out of reach, and otherwise where it is not known. */
export async function addressesWithin(
  url: URL,
  { reach, hint, lookup = allAddresses, own = ownAddresses }: GuardOptions,
  signal?: AbortSignal | null,
): Promise<string[]> {
  const bare = url.hostname.replace(/^\[|\]$/g, "");
  const found = ipaddr.isValid(bare) ? [bare] : await unlessAborted(lookup(bare), signal);
  if (found.length === 0) throw new HubError("unavailable", "no address");
  const ofThisMachine = own();
  // One that is out of reach among others is no accident.
  if (found.every((address) => isWithin(address, reach, ofThisMachine))) return found.slice(0, MAX_TRIED);
  const where = reach === "house" ? "this machine" : "a private address";
  throw new DeliveryError(`${url.host} leads to ${where}, which is refused`, { transient: false, hint });
}

/** The same request to this address: the name stays in the Host header and in the check of the certificate. */
function pinned(url: URL, address: string, init: BunFetchRequestInit): [string, BunFetchRequestInit] {
  const to = new URL(url);
  to.hostname = address.includes(":") ? `[${address}]` : address;
  const headers = new Headers(init.headers);
  headers.set("host", url.host);
  const tls = url.protocol === "https:" ? { tls: { ...init.tls, serverName: url.hostname } } : {};
  return [to.href, { ...init, headers, ...tls }];
}

function isWithin(address: string, reach: Reach, own: readonly string[]): boolean {
  if (isLocalAddress(address, own)) return false;
  return reach === "house" || ipaddr.process(address).range() === "unicast";
}

// As the system looks it up, names of the house such as `printer.local` included. IPv4 first: where IPv6 leads nowhere, it does so
// silently.
async function allAddresses(host: string): Promise<string[]> {
  const found = await Bun.dns.lookup(host, { backend: "libc" });
  return found.sort((a, b) => a.family - b.family).map(({ address }) => address.replace(/%.*$/, ""));
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
