// Who is behind a request: credential, address, origin. Worked out once, before the body is read, and remembered with the
// route that was admitted.
import { addressSet, clientAddress } from "../auth/addresses.ts";
import type { Auth } from "../auth/auth.ts";
import type { Identity } from "../auth/authenticate.ts";
import { HubError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { isOwnHost } from "./address.ts";

export interface PeerSource {
  requestIP(request: Request): { address: string } | null;
}

export interface SessionOptions {
  auth: Pick<Auth, "identify">;
  trustedProxies: readonly string[];
  corsOrigins: readonly string[];
  /** The names this hub is called by, beside addresses, `localhost` and `*.local`. */
  hosts: readonly string[];
  log: Log;
}

export interface AdmittedRoute {
  readonly path: string;
}

export interface Sessions {
  /**
   * The client's address, as far as it can be believed; `via ADDRESS` where a proxy that nobody named stands between.
   * That is no address: it is on no list, and all who come that way share one login limit.
   */
  addressOf(request: Request, server: PeerSource | null): string;
  /** Throws HubError `unauthenticated`. */
  open(request: Request, address: string, credential: string | undefined): Promise<Identity> | Identity;
  /** Remembers which route this request may run, and as whom; `undefined` for a route that is open to all. */
  admit(request: Request, route: AdmittedRoute, identity: Identity | undefined): void;
  /** Throws where this route was not admitted for this request: behind the router, before any handler. */
  assertAdmitted(request: Request, path: string): void;
  /** Whether somebody was identified for it, let in or not. */
  isKnown(request: Request): boolean;
  /** Who was identified for it, let in or not. */
  of(request: Request): Identity;
}

interface Admission {
  /** Absent until it is let in. */
  route: AdmittedRoute | undefined;
  identity: Identity | undefined;
}

export function createSessions({ auth, trustedProxies, corsOrigins, hosts, log }: SessionOptions): Sessions {
  const proxies = addressSet(trustedProxies);
  const names = new Set(hosts.map((name) => name.toLowerCase()));
  const warned = new Set<string>();
  const admissions = new WeakMap<Request, Admission>();

  function warnOnce(message: string, fields: Record<string, string>): void {
    if (warned.has(message)) return;
    warned.add(message);
    log.warn(message, fields);
  }

  // A listed address needs no credential, so any page open in its browser could act for it: only known pages may.
  function refuseForeignPage({ headers }: Request): void {
    const host = headers.get("host") ?? "";
    if (!isOwnHost(host, names)) {
      warnOnce("a listed address called the hub by a name it does not know", { host: host.slice(0, 253) });
      throw new HubError(
        "unauthenticated",
        "a listed address needs a token too when it calls the hub by an unknown name: name it in [server] hosts",
      );
    }
    if (isForeignPage(headers, host, corsOrigins))
      throw new HubError("unauthenticated", "a page of another origin needs a token, also from a listed address");
  }

  function checked(request: Request, identity: Identity | undefined): Identity {
    if (!identity) throw new HubError("unauthenticated", "a token is needed: log in at /api/v1/auth/login");
    if (identity.kind === "whitelist") refuseForeignPage(request);
    admissions.set(request, { route: undefined, identity });
    return identity;
  }

  return {
    addressOf(request, server) {
      const peer = server?.requestIP(request)?.address ?? "";
      const client = clientAddress(peer, request.headers, proxies);
      if (client.startsWith("via "))
        warnOnce(
          "a proxy's Forwarded or X-Forwarded-For is not believed: if the proxy is yours, name it in [server] trusted_proxies",
          { peer },
        );
      return client;
    },
    open(request, address, credential) {
      const found = auth.identify(credential, address);
      return found instanceof Promise ? found.then((identity) => checked(request, identity)) : checked(request, found);
    },
    admit(request, route, identity) {
      const known = admissions.get(request);
      if (known) known.route = route;
      else admissions.set(request, { route, identity });
    },
    assertAdmitted(request, path) {
      if (admissions.get(request)?.route?.path !== path)
        throw new Error(`the handler of ${path} was called for a request that was not admitted to it`);
    },
    isKnown: (request) => admissions.get(request)?.identity !== undefined,
    of(request) {
      const identity = admissions.get(request)?.identity;
      if (!identity) throw new Error("a handler asked for the identity of a request that has none");
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

function isForeignPage(headers: Headers, host: string, corsOrigins: readonly string[]): boolean {
  const origin = headers.get("origin");
  if (origin !== null) {
    if (corsOrigins.includes(origin)) return false;
    if (!URL.canParse(origin) || new URL(origin).host !== host) return true;
  }
  // Browsers send no Origin with a plain GET; they do say whether the page is of this origin.
  return ["cross-site", "same-site"].includes(headers.get("sec-fetch-site") ?? "");
}
