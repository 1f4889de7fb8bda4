// Who calls: the identity behind each request, from its credential, address and origin. Found once, before the body is read, and
// kept with the route the request was admitted to.
import { addressSet, clientAddress } from "../auth/addresses.ts";
import type { Auth } from "../auth/auth.ts";
import type { Identity } from "../auth/authenticate.ts";
import { HubError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { isOwnHost } from "./request-url.ts";

export interface PeerSource {
  requestIP(request: Request): { address: string } | null;
}

export interface CallersOptions {
  auth: Pick<Auth, "identify">;
  trustedProxies: readonly string[];
  corsOrigins: readonly string[];
  /** The hub's own host names, besides addresses, `localhost` and `*.local`. */
  hosts: readonly string[];
  log: Log;
}

export interface AdmittedRoute {
  readonly path: string;
  readonly acts: boolean;
}

export interface Callers {
  /**
   * The client's address, as far as it can be trusted; `via ADDRESS` for a request through a proxy that is not in
   * [server] trusted_proxies. That is no address: no whitelist matches it, and all such clients share one login limit.
   */
  addressOf(request: Request, server: PeerSource | null): string;
  /** Throws HubError `forbidden` for a host name that is not the hub's, and for a page of another origin. */
  refuseForeign(request: Request): void;
  /** Throws HubError `unauthenticated`. */
  identify(request: Request, address: string, credential: string | undefined): Identity;
  /** Records which route this request may run, and as whom; `undefined` for a public route. */
  admit(request: Request, route: AdmittedRoute, identity: Identity | undefined): void;
  /** The route; throws where the request was not admitted to it. Runs after routing and before any handler. */
  assertAdmitted(request: Request, path: string): AdmittedRoute;
  /** Whether its caller was identified, admitted or not. */
  isKnown(request: Request): boolean;
  /** Its caller, admitted or not. */
  of(request: Request): Identity;
}

interface Admission {
  /** Absent until the request is admitted. */
  route: AdmittedRoute | undefined;
  identity: Identity | undefined;
}

export function createCallers({ auth, trustedProxies, corsOrigins, hosts, log }: CallersOptions): Callers {
  const proxies = addressSet(trustedProxies);
  const names = new Set(hosts.map((name) => name.toLowerCase()));
  const warned = new Set<string>();
  const admissions = new WeakMap<Request, Admission>();

  function warnOnce(message: string, fields: Record<string, string>): void {
    if (warned.has(message)) return;
    warned.add(message);
    log.warn(message, fields);
  }

  // A whitelisted address needs no credential, so any page open in its browser could act for it. Only known pages may.
  function refuseForeignPage({ headers }: Request): void {
    const host = headers.get("host") ?? "";
    if (!isOwnHost(host, names)) {
      warnOnce("a whitelisted address used a host name that is not the hub's", { host: host.slice(0, 253) });
      throw new HubError(
        "unauthenticated",
        "a whitelisted address needs a token when it uses an unknown host name: add the name to [server] hosts",
      );
    }
    if (isForeignPage(headers, host, corsOrigins))
      throw new HubError("unauthenticated", "a page of another origin needs a token, even from a whitelisted address");
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
          "the Forwarded or X-Forwarded-For header of an unknown proxy is ignored: if the proxy is yours, add it to [server] trusted_proxies",
          { peer },
        );
      return client;
    },
    refuseForeign({ headers }) {
      const host = headers.get("host") ?? "";
      if (!isOwnHost(host, names))
        throw new HubError("forbidden", "the Host header is no name of this hub: add the name to [server] hosts");
      if (isForeignPage(headers, host, corsOrigins))
        throw new HubError("forbidden", "pages of another origin may not call this: see [server] cors_origins");
    },
    identify: (request, address, credential) => checked(request, auth.identify(credential, address)),
    admit(request, route, identity) {
      const known = admissions.get(request);
      if (known) known.route = route;
      else admissions.set(request, { route, identity });
    },
    assertAdmitted(request, path) {
      const route = admissions.get(request)?.route;
      if (route?.path !== path) throw new Error(`the handler of ${path} ran for a request that was not admitted to it`);
      return route;
    },
    isKnown: (request) => admissions.get(request)?.identity !== undefined,
    of(request) {
      const identity = admissions.get(request)?.identity;
      if (!identity) throw new Error("a handler needs the caller of a request that has none");
      return identity;
    },
  };
}

/**
 * Finds the bearer token of a request; undefined where there is none. Most requests bring the same one as the last: it is then
 * neither read nor hashed again.
 */
export function createBearerReader(): (request: Request) => string | undefined {
  let last: { header: string; token: string } | undefined;
  return function bearerOf({ headers }) {
    const header = headers.get("authorization");
    if (header === null) return undefined;
    if (last?.header !== header) last = { header, token: tokenIn(header) };
    return last.token;
  };
}

function tokenIn(header: string): string {
  if (header.startsWith("Bearer ") && !header.includes(" ", 7)) return header.slice(7);
  return /^bearer +(\S+) *$/i.exec(header)?.[1] ?? "";
}

function isForeignPage(headers: Headers, host: string, corsOrigins: readonly string[]): boolean {
  const origin = headers.get("origin");
  if (origin !== null) {
    if (corsOrigins.includes(origin)) return false;
    if (!URL.canParse(origin) || new URL(origin).host !== host) return true;
  }
  // Browsers send no Origin with a plain GET, but Sec-Fetch-Site says whether the page is of this origin.
  return ["cross-site", "same-site"].includes(headers.get("sec-fetch-site") ?? "");
}
