// Who is behind a request: credential, address, origin. Worked out once, before the body is read.
import { addressSet, clientAddress } from "../auth/addresses.ts";
import type { Auth } from "../auth/auth.ts";
import type { Identity } from "../auth/authenticate.ts";
import { HubError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";

export interface PeerSource {
  requestIP(request: Request): { address: string } | null;
}

export interface SessionOptions {
  auth: Pick<Auth, "identify">;
  trustedProxies: readonly string[];
  corsOrigins: readonly string[];
  log: Log;
}

export interface Sessions {
  /** The client's address, as far as it can be believed. */
  addressOf(request: Request, server: PeerSource | null): string;
  /** Throws HubError `unauthenticated`. Remembers the identity for `of`. */
  open(request: Request, address: string, credential: string | undefined): Promise<Identity> | Identity;
  /** Whether somebody was identified for it, let in or not. */
  isKnown(request: Request): boolean;
  /** The identity of a request that passed the guard. */
  of(request: Request): Identity;
}

export function createSessions({ auth, trustedProxies, corsOrigins, log }: SessionOptions): Sessions {
  const proxies = addressSet(trustedProxies);
  // Behind an unnamed proxy all clients look like one: told once, since limits and whitelist then miss.
  let warned = false;
  const identities = new WeakMap<Request, Identity>();

  function remember(request: Request, identity: Identity | undefined): Identity {
    if (!identity) throw new HubError("unauthenticated", "a token is needed: log in at /api/v1/auth/login");
    // A listed address needs no credential, so any page open in its browser could act for it: only known pages may.
    if (identity.kind === "whitelist" && isForeignOrigin(request, corsOrigins)) {
      throw new HubError("unauthenticated", "a page of another origin needs a token, also from a listed address");
    }
    identities.set(request, identity);
    return identity;
  }

  return {
    addressOf(request, server) {
      const peer = server?.requestIP(request)?.address ?? "";
      if (!warned && request.headers.has("x-forwarded-for") && !proxies.has(peer)) {
        warned = true;
        log.warn(
          "a proxy's X-Forwarded-For is not believed: if the proxy is yours, name it in [server] trusted_proxies",
          { peer },
        );
      }
      return clientAddress(peer, request.headers, proxies);
    },
    open(request, address, credential) {
      const found = auth.identify(credential, address);
      return found instanceof Promise
        ? found.then((identity) => remember(request, identity))
        : remember(request, found);
    },
    isKnown: (request) => identities.has(request),
    of(request) {
      const identity = identities.get(request);
      if (!identity) throw new Error("a handler ran for a request that did not pass the guard");
      return identity;
    },
  };
}

/** The bearer token of a request; undefined where there is none. */
export function bearerOf(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  if (header === null) return undefined;
  if (header.startsWith("Bearer ") && !header.includes(" ", 7)) return header.slice(7);
  return /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";
}

function isForeignOrigin(request: Request, corsOrigins: readonly string[]): boolean {
  const origin = request.headers.get("origin");
  if (origin === null || corsOrigins.includes(origin)) return false;
  return URL.canParse(origin) ? new URL(origin).host !== request.headers.get("host") : true;
}
