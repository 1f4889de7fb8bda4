// The door: Bun's router finds the resource of a path, the resource the route of the method, and that route object decides
// who may pass and is the one whose handler runs. Nothing is looked up twice, so nothing can be admitted as another route.
import type { Server } from "bun";
import { type AnyElysia, redirect, status } from "elysia";
import { allows } from "../auth/roles.ts";
import { HubError } from "../core/errors.ts";
import { isHost, splitUrl } from "./address.ts";
import type { Cors } from "./cors.ts";
import { type Answer, type Resource, type Route, resourcesOf, routeFor } from "./resources.ts";
import { bearerOf, type Sessions } from "./session.ts";

export interface DoorOptions {
  app: AnyElysia;
  sessions: Sessions;
  cors: Cors;
  /** Those of every answer. */
  headers: Readonly<Record<string, string>>;
  /** What else every handler finds in its context. */
  decorations: object;
  maxBodyBytes: number;
  /** Routes that are open though they say nothing of themselves. */
  publicPaths: readonly string[];
  /** The answer to what was thrown before a handler ran. */
  refuse(error: unknown, request: Request): Response;
}

type Handler = (request: Request, server: Server<unknown>) => Answer;

/** What `Bun.serve` needs. */
export interface Door {
  routes: Record<string, Handler>;
  /** For paths that belong to no route. */
  fetch: Handler;
}

export function createDoor({
  app,
  sessions,
  cors,
  headers,
  decorations,
  maxBodyBytes,
  publicPaths,
  refuse,
}: DoorOptions): Door {
  const resources = resourcesOf(app, publicPaths);

  /** Whether the caller may have this route; throws HubError where not. */
  function admit(route: Route, request: Request, server: Server<unknown>): void | Promise<void> {
    if (!route.streamedBody && route.method !== "GET") refuseLargeBody(request, maxBodyBytes);
    const { access } = route;
    if (access === "public") return sessions.admit(request, route, undefined);
    const inQuery = route.tokenInQuery ? new URLSearchParams(splitUrl(request.url).query).get("token") : null;
    const credential = inQuery ?? bearerOf(request);
    // Only who shows no credential is known by the address; working it out costs as much as the rest.
    const address = credential === undefined ? sessions.addressOf(request, server) : "";
    const identity = sessions.open(request, address, credential);
    const pass = (who: Awaited<typeof identity>): void => {
      if (!allows(who.role, access))
        throw new HubError("forbidden", `this needs the role ${access}; yours is ${who.role}`);
      sessions.admit(request, route, who);
    };
    return identity instanceof Promise ? identity.then(pass) : pass(identity);
  }

  function run(route: Route, request: Request): Answer {
    const { url } = request;
    return route.run({
      ...decorations,
      request,
      url,
      qi: url.indexOf("?"),
      params: route.given ?? parametersOf(request),
      set: { headers: { ...headers, ...cors.headers(request) }, status: 200 },
      status,
      redirect,
    });
  }

  function answer(resource: Resource | undefined, request: Request, server: Server<unknown>): Answer {
    try {
      refuseUnusableHost(request);
      const preflight = cors.preflight(request);
      if (preflight) return preflight;
      if (!resource) throw new HubError("not_found", "there is nothing at this address");
      const route = routeFor(resource, request.method);
      const admitted = admit(route, request, server);
      if (!admitted) return run(route, request);
      return admitted.then(() => run(route, request)).catch((error: unknown) => refuse(error, request));
    } catch (error) {
      return refuse(error, request);
    }
  }

  const handlers = [...resources].flatMap(([path, resource]): [string, Handler][] => {
    const handler: Handler = (request, server) => answer(resource, request, server);
    // Every address answers with and without a closing slash.
    return [
      [path, handler],
      [`${path}/`, handler],
    ];
  });
  return {
    routes: Object.fromEntries(handlers),
    fetch: (request, server) => answer(undefined, request, server),
  };
}

// HTTP/1.0 knows no Host, and Bun refuses HTTP/1.1 without one. What is there must be a name or an address.
function refuseUnusableHost({ headers }: Request): void {
  const host = headers.get("host");
  if (host !== null && !isHost(host)) {
    throw new HubError("invalid", "the Host header is neither a name nor an address, or there are several");
  }
}

/** What Bun's router read between the slashes, percent-decoded. */
function parametersOf(request: Request): Record<string, string> {
  const { params = {} } = request as Request & { params?: Record<string, string> };
  for (const name in params) {
    if (/[\0\ufffd]/.test(params[name] ?? ""))
      throw new HubError("invalid", `${name}: the address holds a zero byte or what is not UTF-8`);
  }
  return params;
}

// Before a byte of it is read. A body that does not say its length could not be bounded in memory.
function refuseLargeBody({ headers }: Request, maxBytes: number): void {
  if (headers.has("transfer-encoding")) {
    throw new HubError("length_required", "the body must come with its Content-Length, not in chunks");
  }
  if (Number(headers.get("content-length") ?? 0) > maxBytes) {
    throw new HubError("too_large", `the body has more than ${maxBytes} bytes ([server] max_body_bytes)`);
  }
}
