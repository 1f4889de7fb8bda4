// From a request to its handler: Bun matches the path to a resource, the resource has a route for each method. The same route
// object checks the caller and runs the handler, so a request cannot be admitted as one route and run as another.
import type { Server } from "bun";
import { type AnyElysia, redirect, status } from "elysia";
import { HubError } from "../../kit/schema/errors.ts";
import type { Identity } from "../../server/auth/authenticate.ts";
import { allows } from "../../server/auth/roles.ts";
import type { AnswerTimes } from "./answer-times.ts";
import type { AuditTrail } from "./audit-trail.ts";
import { type Callers, createBearerReader } from "./callers.ts";
import type { Cors } from "./cors.ts";
import type { HoldAnswer } from "./hold-answer.ts";
import type { AddressLimit } from "./listen/address-limit.ts";
import type { RequestTurns } from "./listen/request-turns.ts";
import type { Page } from "./page.ts";
import { refuseRepeatedKeys } from "./query.ts";
import { isHost, splitUrl } from "./request-url.ts";
import {
  type Answer,
  type GuestThing,
  type Resource,
  type Route,
  resourceAt,
  resourcesOf,
  routeFor,
} from "./resources.ts";

export interface RouterOptions {
  /** Their routes are there from the start. */
  apps: readonly AnyElysia[];
  /** All apps, where there are more: their routes are declared at the first request for a path that is neither there nor the page's. */
  whole?: () => readonly AnyElysia[];
  callers: Callers;
  cors: Cors;
  /** Headers of every answer. */
  headers: Readonly<Record<string, string>>;
  auditTrail: AuditTrail;
  turns: RequestTurns;
  addressLimit: AddressLimit;
  maxBodyBytes: number;
  /** Public routes that have no doc(). */
  publicPaths: readonly string[];
  /** Whether guests may use this device or scene. */
  isForGuests(thing: GuestThing, id: string): boolean;
  /** Keeps back the answers of what acts; undefined where they are given at once. */
  hold?: HoldAnswer | undefined;
  /** Answers what is outside the API. */
  page?: Page | undefined;
  times?: AnswerTimes | undefined;
  /** The answer to an error that was thrown before a handler ran. */
  refuse(error: unknown, request: Request): Response;
}

type Handler = (request: Request, server: Server<unknown>) => Answer;

/** What `Bun.serve` needs. */
export interface Router {
  readonly routes: Record<string, Handler>;
  /** For paths without a route. */
  fetch: Handler;
  /** Reports when there are other `routes`, for the server to match from then on. */
  onDeclared(listener: () => void): void;
}

export function createRouter({
  apps,
  whole,
  callers,
  cors,
  headers,
  auditTrail,
  turns,
  addressLimit,
  maxBodyBytes,
  publicPaths,
  isForGuests,
  hold,
  page,
  times = (_, work) => work(),
  refuse,
}: RouterOptions): Router {
  let resources = resourcesOf(apps, publicPaths);
  let isWhole = whole === undefined;
  let declared = (): void => {};
  let lastHost: string | null = null;
  const bearerOf = createBearerReader();

  /** Throws HubError where the caller may not use this route. */
  function admit(route: Route, request: Request, server: Server<unknown>): void {
    if (!route.streamedBody && route.method !== "GET") refuseLargeBody(request, route.maxBody, maxBodyBytes);
    const { access } = route;
    if (access === "public") {
      callers.admit(request, route, undefined);
      return;
    }
    if (route.scope === "mcp") callers.refuseForeign(request);
    const inQuery = route.tokenInQuery ? new URLSearchParams(splitUrl(request.url).query).get("token") : null;
    const credential = inQuery ?? bearerOf(request);
    // The address matters only without a credential, and finding it costs as much as all the rest.
    const address = credential === undefined ? callers.addressOf(request, server) : "";
    const identity = callers.identify(request, address, credential);
    assertInScope(route, identity);
    if (route.needsToken && identity.kind === "whitelist") throw new HubError("unauthenticated", NEEDS_TOKEN);
    if (!allows(identity.role, access) && !mayAsGuest(route, request, identity))
      throw new HubError("forbidden", `this needs the role ${access}; yours is ${identity.role}`);
    callers.admit(request, route, identity);
  }

  // People only: an API key for reading stays one.
  function mayAsGuest(route: Route, request: Request, { kind }: Identity): boolean {
    if (route.guests === undefined || kind !== "user") return false;
    const { id } = parametersOf(route, request);
    return id !== undefined && isForGuests(route.guests, id);
  }

  function run(route: Route, request: Request): Answer {
    const { url } = request;
    const others = cors.headers(request);
    return route.run({
      auditTrail,
      request,
      url,
      qi: url.indexOf("?"),
      params: parametersOf(route, request),
      set: { headers: others ? { ...headers, ...others } : { ...headers }, status: 200 },
      status,
      redirect,
    });
  }

  function answer(resource: Resource | undefined, request: Request, server: Server<unknown>): Answer {
    try {
      refuseUnusableHost(request);
      const preflight = cors.preflight(request);
      if (preflight) return addressLimit.refusal(request, server) ?? preflight;
      if (!resource) throw new HubError("not_found", "there is nothing at this address");
      const route = routeFor(resource, request.method);
      admit(route, request, server);
      if (!route.anyQuery) refuseRepeatedKeys(splitUrl(request.url).query);
      const answerOf = (): Answer =>
        hold && route.acts ? hold(route, request, () => run(route, request)) : run(route, request);
      return route.access === "public" && !route.unlimited
        ? addressLimit.answer(request, server, answerOf)
        : answerOf();
    } catch (error) {
      const refusal = callers.isKnown(request) ? undefined : addressLimit.refusal(request, server);
      return refusal ?? refuse(error, request);
    }
  }

  // HTTP/1.0 has no Host header, and Bun refuses HTTP/1.1 without one. A Host that is sent must be a name or an address.
  function refuseUnusableHost(request: Request): void {
    const host = request.headers.get("host");
    // Nearly all requests name the same one.
    if (host === null || host === lastHost) return;
    if (!isHost(host))
      throw new HubError("invalid", "the Host header is neither a name nor an address, or there are several");
    lastHost = host;
  }

  function pageAnswer(request: Request, server: Server<unknown>): Response | undefined {
    const host = request.headers.get("host");
    if (host !== null && !isHost(host)) return undefined;
    const send = page?.find(request, splitUrl(request.url).path);
    return send && (addressLimit.refusal(request, server) ?? send());
  }

  /** Declares what is not declared yet. The server matches it from the next request on, so for this one it is found here. */
  function answerElsewhere(request: Request, server: Server<unknown>): Answer {
    if (!whole || isWhole) return answer(undefined, request, server);
    try {
      declare(whole);
    } catch (error) {
      return refuse(error, request);
    }
    const found = resourceAt(resources, splitUrl(request.url).path);
    if (found) Object.assign(request, { params: found.params });
    return answer(found?.resource, request, server);
  }

  function declare(all: () => readonly AnyElysia[]): void {
    if (isWhole) return;
    resources = resourcesOf(all(), publicPaths);
    isWhole = true;
    declared();
  }

  return {
    get routes() {
      const handlers = [...resources].flatMap(([path, resource]): [string, Handler][] => {
        const handler: Handler = (request, server) =>
          times(request, () => turns.answer(request, server, () => answer(resource, request, server)));
        // Every path answers with and without a trailing slash.
        return [
          [path, handler],
          [`${path}/`, handler],
        ];
      });
      return Object.fromEntries(handlers);
    },
    fetch: (request, server) =>
      times(request, () =>
        turns.answer(request, server, () => pageAnswer(request, server) ?? answerElsewhere(request, server)),
      ),
    onDeclared(listener) {
      declared = listener;
    },
  };
}

const NEEDS_TOKEN =
  "this needs the token of an administrator, from a whitelisted address too: log in at /api/v1/auth/login, or make an API key";

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

/** Throws HubError `forbidden`, and `unauthenticated` where an address alone would do for the API. */
function assertInScope({ scope }: Route, { mcp, kind }: Identity): void {
  if (mcp && scope !== "mcp")
    throw new HubError("forbidden", "this API key is for MCP: it opens /mcp and nothing else");
  if (mcp || scope === undefined) return;
  if (kind === "whitelist") throw new HubError("unauthenticated", "MCP needs an API key made for it, from any address");
  throw new HubError("forbidden", 'MCP needs an API key made for it: make one with the scope "mcp"');
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
