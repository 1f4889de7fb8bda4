// Who calls: the identity behind each request, from its credential, address and origin. Found once, before the body is read, and
// kept with the route the request was admitted to.

import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { addressSet, clientAddress } from "../../kit/text/addresses.ts";
import type { Auth } from "../../server/auth/auth.ts";
import type { Identity } from "../../server/auth/authenticate.ts";
import type { OwnConnections } from "../../server/auth/own-connections.ts";
import { isOwnHost } from "./request-url.ts";

export interface PeerSource {
  requestIP(request: Request): { address: string; port: number } | null;
  /** The hub's own. */
  readonly port?: number | undefined;
}

export interface CallersOptions {
  auth: Pick<Auth, "identify" | "assertConfirmed" | "isConfirmed">;
  own: OwnConnections;
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
  /** Throws HubError `forbidden`, which says what to do, where its caller has not just given the password again. */
  assertConfirmed(request: Request): void;
  /** For what is only worth less without. Throws as `assertConfirmed` for a confirmation that is wrong. */
  isConfirmed(request: Request): boolean;
}

/** With what `POST /auth/confirm` has answered. */
export const CONFIRMATION_HEADER = "X-Hub-Confirmation";

interface Admission {
  /** Absent until the request is admitted. */
  route: AdmittedRoute | undefined;
  identity: Identity | undefined;
}

const UNKNOWN_PROXY =
  "the Forwarded or X-Forwarded-For header of an unknown proxy is ignored: if the proxy is yours, add it to [server] trusted_proxies";
const FORGED =
  "the Forwarded or X-Forwarded-For header of a program of this machine is ignored, or unreadable, as a plugin could have written it: run the proxy and the hub (sudo hub service install) each as a user of its own";

export function createCallers({ auth, own, trustedProxies, corsOrigins, hosts, log }: CallersOptions): Callers {
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

  function refusePlugins(address: string): void {
    if (!own.mayBePlugin(address)) return;
    throw new HubError(
      "unauthenticated",
      "this machine needs a token though [auth] whitelist names it, as its plugins have the same address: log in, or make an API key",
    );
  }

  function checked(request: Request, address: string, identity: Identity | undefined): Identity {
    if (!identity) throw new HubError("unauthenticated", "a token is needed: log in at /api/v1/auth/login");
    if (identity.kind === "whitelist") {
      refuseForeignPage(request);
      refusePlugins(address);
    }
    admissions.set(request, { route: undefined, identity });
    return identity;
  }

  function callerOf(request: Request): Identity {
    const identity = admissions.get(request)?.identity;
    if (!identity) throw new Error("a handler needs the caller of a request that has none");
    return identity;
  }

  return {
    addressOf(request, server) {
      const { address: peer, port } = server?.requestIP(request) ?? { address: "", port: 0 };
      const mayBeForged = (proxy: string): boolean =>
        own.mayBeOfPlugin({ address: proxy, port, hubPort: server?.port ?? 0 });
      const client = clientAddress(peer, request.headers, {
        peers: { has: (proxy) => proxies.has(proxy) && !mayBeForged(proxy) },
        // A proxy of this machine says only that the request came from here, not which of its programs wrote the rest.
        hops: { has: (proxy) => proxies.has(proxy) && !own.mayBePlugin(proxy) },
      });
      if (client.startsWith("via ")) warnOnce(proxies.has(peer) ? FORGED : UNKNOWN_PROXY, { peer });
      return client;
    },
    refuseForeign({ headers }) {
      const host = headers.get("host") ?? "";
      if (!isOwnHost(host, names))
        throw new HubError("forbidden", "the Host header is no name of this hub: add the name to [server] hosts");
      if (isForeignPage(headers, host, corsOrigins))
        throw new HubError("forbidden", "pages of another origin may not call this: see [server] cors_origins");
    },
    identify: (request, address, credential) => checked(request, address, auth.identify(credential, address)),
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
    of: callerOf,
    isConfirmed: (request) => auth.isConfirmed(callerOf(request), request.headers.get(CONFIRMATION_HEADER)),
    assertConfirmed: (request) => auth.assertConfirmed(callerOf(request), request.headers.get(CONFIRMATION_HEADER)),
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
