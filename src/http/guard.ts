// The door: stands before routing, parsing and validation. Everything is closed unless a route says otherwise.
import { Memoirist } from "memoirist";
import { allows, type Role } from "../auth/roles.ts";
import { HubError } from "../core/errors.ts";
import { bearerOf, type PeerSource, type Sessions } from "./session.ts";

/** What a route asks of its caller: a role, or nothing at all. */
export type Access = Role | "public";

export interface GuardedRoute {
  method: string;
  path: string;
  access: Access;
  /** Browsers cannot send headers with a WebSocket: there the token may stand in the query. */
  tokenInQuery?: boolean;
  /** The body is read as a stream by the handler, and may be larger than others. */
  streamedBody?: boolean;
}

export interface GuardOptions {
  routes: readonly GuardedRoute[];
  sessions: Sessions;
  maxBodyBytes: number;
}

/** Lets a request through by returning nothing; throws HubError for the others. */
export type Guard = (request: Request, server: PeerSource | null) => void | Promise<void>;

export function createGuard({ routes, sessions, maxBodyBytes }: GuardOptions): Guard {
  const router = new Memoirist<GuardedRoute>();
  for (const route of routes) router.add(route.method, route.path, route);
  const methods = [...new Set(routes.map(({ method }) => method))];

  function find(request: Request, path: string): GuardedRoute {
    const method = request.method === "HEAD" ? "GET" : request.method;
    const found = router.find(method, path)?.store;
    if (found) return found;
    const allowed = methods.filter((other) => router.find(other, path));
    if (allowed.length === 0) throw new HubError("not_found", "there is nothing at this address");
    const allow = allowed.join(", ");
    throw new HubError("method_not_allowed", `${request.method} is not possible here, only ${allow}`, {
      details: { allow },
    });
  }

  return function guard(request, server) {
    const { path, query } = splitUrl(request.url);
    const route = find(request, path);
    if (!route.streamedBody && route.method !== "GET") refuseLargeBody(request, maxBodyBytes);
    const { access } = route;
    if (access === "public") return;
    const credential = (route.tokenInQuery ? new URLSearchParams(query).get("token") : null) ?? bearerOf(request);
    // Only who shows no credential is known by the address; working it out costs as much as the rest.
    const address = credential === undefined ? sessions.addressOf(request, server) : "";
    const identity = sessions.open(request, address, credential);
    const admit = ({ role }: { role: Role }): void => {
      if (!allows(role, access)) throw new HubError("forbidden", `this needs the role ${access}; yours is ${role}`);
    };
    return identity instanceof Promise ? identity.then(admit) : admit(identity);
  };
}

// Said before a byte of it is read. A body that does not say its length could not be bounded in memory.
function refuseLargeBody({ headers }: Request, maxBytes: number): void {
  if (headers.has("transfer-encoding")) {
    throw new HubError("length_required", "the body must come with its Content-Length, not in chunks");
  }
  if (Number(headers.get("content-length") ?? 0) > maxBytes) {
    throw new HubError("too_large", `the body has more than ${maxBytes} bytes ([server] max_body_bytes)`);
  }
}

/** The path and the query of an absolute URL, without the cost of parsing it all. */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return { path: "/", query: "" };
  const mark = url.indexOf("?", start);
  return mark < 0
    ? { path: url.slice(start), query: "" }
    : { path: url.slice(start, mark), query: url.slice(mark + 1) };
}
