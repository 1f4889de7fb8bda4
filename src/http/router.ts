// From a request to its handler: Bun matches the path to a resource, the resource has a route for each method. The same route
// object checks the caller and runs the handler, so a request cannot be admitted as one route and run as another.
import type { Server } from "bun";
import { type AnyElysia, redirect, status } from "elysia";
import type { Identity } from "../auth/authenticate.ts";
import { allows } from "../auth/roles.ts";
import { HubError } from "../core/errors.ts";
import { bearerOf, type Callers } from "./callers.ts";
import type { Cors } from "./cors.ts";
import type { Page } from "./page.ts";
import { isHost, splitUrl } from "./request-url.ts";
import { type Answer, type GuestThing, type Resource, type Route, resourcesOf, routeFor } from "./resources.ts";

export interface RouterOptions {
  apps: readonly AnyElysia[];
  callers: Callers;
  cors: Cors;
  /** Headers of every answer. */
  headers: Readonly<Record<string, string>>;
  /** Further values in every handler's context. */
  decorations: object;
  maxBodyBytes: number;
  /** Public routes that have no doc(). */
  publicPaths: readonly string[];
  /** Whether guests may use this device or scene. */
  isForGuests(thing: GuestThing, id: string): boolean;
  /** Answers what is outside the API. */
  page?: Page | undefined;
  /** The answer to an error that was thrown before a handler ran. */
  refuse(error: unknown, request: Request): Response;
}

type Handler = (request: Request, server: Server<unknown>) => Answer;

/** What `Bun.serve` needs. */
export interface Router {
  routes: Record<string, Handler>;
  /** For paths without a route. */
  fetch: Handler;
}

export function createRouter({
  apps,
  callers,
  cors,
  headers,
  decorations,
  maxBodyBytes,
  publicPaths,
  isForGuests,
  page,
  refuse,
}: RouterOptions): Router {
  const resources = resourcesOf(apps, publicPaths);

  /** Throws HubError where the caller may not use this route. */
  function admit(route: Route, request: Request, server: Server<unknown>): void | Promise<void> {
    if (!route.streamedBody && route.method !== "GET") refuseLargeBody(request, route.largestBody, maxBodyBytes);
    const { access } = route;
    if (access === "public") return callers.admit(request, route, undefined);
    const inQuery = route.tokenInQuery ? new URLSearchParams(splitUrl(request.url).query).get("token") : null;
    const credential = inQuery ?? bearerOf(request);
    // The address matters only without a credential, and finding it costs as much as all the rest.
    const address = credential === undefined ? callers.addressOf(request, server) : "";
    const identity = callers.identify(request, address, credential);
    const check = (who: Awaited<typeof identity>): void => {
      if (!allows(who.role, access) && !mayAsGuest(route, request, who))
        throw new HubError("forbidden", `this needs the role ${access}; yours is ${who.role}`);
      callers.admit(request, route, who);
    };
    return identity instanceof Promise ? identity.then(check) : check(identity);
  }

  // People only: an API key for reading stays one.
  function mayAsGuest(route: Route, request: Request, { kind }: Identity): boolean {
    if (route.guests === undefined || kind !== "user") return false;
    const { id } = parametersOf(route, request);
    return id !== undefined && isForGuests(route.guests, id);
  }

  function run(route: Route, request: Request): Answer {
    const { url } = request;
    return route.run({
      ...decorations,
      request,
      url,
      qi: url.indexOf("?"),
      params: parametersOf(route, request),
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

  function pageAnswer(request: Request): Response | undefined {
    const host = request.headers.get("host");
    return host === null || isHost(host) ? page?.answer(request, splitUrl(request.url).path) : undefined;
  }

  const handlers = [...resources].flatMap(([path, resource]): [string, Handler][] => {
    const handler: Handler = (request, server) => answer(resource, request, server);
    // Every path answers with and without a trailing slash.
    return [
      [path, handler],
      [`${path}/`, handler],
    ];
  });
  return {
    routes: Object.fromEntries(handlers),
    fetch: (request, server) => pageAnswer(request) ?? answer(undefined, request, server),
  };
}

// HTTP/1.0 has no Host header, and Bun refuses HTTP/1.1 without one. A Host that is sent must be a name or an address.
function refuseUnusableHost({ headers }: Request): void {
  const host = headers.get("host");
  if (host !== null && !isHost(host)) {
    throw new HubError("invalid", "the Host header is neither a name nor an address, or there are several");
  }
}

/** The path's parameters as Bun read them, percent-decoded. */
function parametersOf({ given }: Route, request: Request): Record<string, string> {
  if (given) return given;
  const { params = {} } = request as Request & { params?: Record<string, string> };
  for (const name in params) {
    if (/[\0\ufffd]/.test(params[name] ?? ""))
      throw new HubError("invalid", `${name}: the path has a zero byte, or bytes that are not UTF-8`);
  }
  return params;
}

// Called before the body is read. A body without a Content-Length could not be bounded in memory.
function refuseLargeBody({ headers }: Request, own: number | undefined, others: number): void {
  if (headers.has("transfer-encoding")) {
    throw new HubError("length_required", "the body must come with its Content-Length, not in chunks");
  }
  const most = own ?? others;
  if (Number(headers.get("content-length") ?? 0) > most) {
    const setting = own === undefined ? " ([server] max_body_bytes)" : "";
    throw new HubError("too_large", `the body has more than ${most} bytes${setting}`);
  }
}
