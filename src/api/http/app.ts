// The REST API and the WebSocket upgrade. Its resources are listed in routes/index.ts; access is checked in router.ts.
import type { Server } from "bun";
import { type AnyElysia, Elysia } from "elysia";
import type { Guests } from "../../house/state/guests.ts";
import { passwordsOf } from "../../house/state/passwords.ts";
import type { StorageFault } from "../../kit/files/storage-fault.ts";
import type { Kept } from "../../kit/lifecycle/kept.ts";
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { allCalled } from "../../kit/text/called.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { OwnConnections } from "../../server/auth/own-connections.ts";
import type { AnswerTimes } from "./answer-times.ts";
import { type AuditTrailDeps, createAuditTrail } from "./audit-trail.ts";
import { type CallersOptions, createCallers } from "./callers.ts";
import type { ServerSection } from "./config.ts";
import { createCors } from "./cors.ts";
import { OPENAPI_PATH } from "./doc.ts";
import { bugResponse, problemResponse, toHubError } from "./errors.ts";
import { createHoldAnswer } from "./hold-answer.ts";
import { createAddressLimit } from "./listen/address-limit.ts";
import { createRequestTurns } from "./listen/request-turns.ts";
import type { Page } from "./page.ts";
import { splitUrl } from "./request-url.ts";
import { createRouter, type Router } from "./router.ts";
import { healthRoutes } from "./routes/health.ts";
import type { RouteDeps } from "./routes/index.ts";

const API_PREFIX = "/api/v1";
const HEADERS = { "x-content-type-options": "nosniff" };

export interface AppDeps extends RouteDeps {
  config: ServerSection;
  log: Log;
  clock: Clock;
  auth: RouteDeps["auth"] & CallersOptions["auth"];
  guests: RouteDeps["guests"] & Pick<Guests, "may">;
  audit: RouteDeps["audit"] & AuditTrailDeps["audit"];
  /** The machine's host name. */
  machineName: string;
  own: OwnConnections;
  /** Reports a failed write; returns what is wrong with the disk now. */
  storageFault: (error: unknown) => StorageFault | undefined;
  /** Throws HubError `unavailable` where another machine may be the hub of this house: what is changed here would be lost. */
  assertHub: () => void;
  /** Makes those who changed something wait for the other machine; undefined where nobody does. */
  kept: Kept | undefined;
  limits: Limits;
  answerTimes?: AnswerTimes;
  /** Undefined where the hub is built without it. */
  page?: Page;
}

export interface App {
  router: Router;
  /** All routes as declared. Called directly they run no handler, as no request was admitted. */
  declared(): Declared;
  /** Hands the server to the routes that need it (the upgrade). */
  serve(server: Server<unknown>): void;
}

interface Declared {
  api: AnyElysia;
  /** What has an address outside the API. */
  besideTheApi: AnyElysia;
}

/** Their schemas take long to make, and a start needs none. Not by `import()`, which `declared` would have to wait for. */
function loadRoutes(): typeof import("./routes/index.ts") {
  return require("./routes/index.ts");
}

export function createApp(deps: AppDeps): App {
  const { config, log, auth, clock, limits } = deps;
  const { cors_origins: corsOrigins } = config;
  const cors = createCors(corsOrigins);
  const callers = createCallers({
    auth,
    own: deps.own,
    trustedProxies: config.trusted_proxies,
    corsOrigins,
    hosts: [...config.hosts, deps.machineName, deps.machineName.split(".", 1).join()],
    log,
  });

  let server: Server<unknown> | null = null;

  function respondTo(fault: { code: string | number; error: unknown }, request: Request): Response {
    const { path } = splitUrl(request.url);
    auditTrail.failed(request, fault.error, path);
    const refusal = toHubError(fault, { log, path, storageFault: deps.storageFault });
    const response = refusal ? problemResponse(refusal, path) : bugResponse(path);
    for (const [name, value] of Object.entries(cors.headers(request) ?? {})) response.headers.set(name, value);
    return response;
  }

  const auditTrail = createAuditTrail({
    audit: deps.audit,
    callers,
    peers: () => server,
    passwords: () => passwordsOf(deps.registry.list()),
    deviceType(text) {
      const { registry, virtual } = deps;
      const one = registry.find(text);
      // A command may name its device instead.
      const meant = one ? [one] : allCalled([...registry.list()], text);
      const devices = meant.flatMap((device) => [device, ...virtual.groups.devices(device.id)]);
      return devices.flatMap(({ deviceType }) => deviceType ?? []).join(" ");
    },
  });

  const routesUnder = (prefix: string): AnyElysia =>
    new Elysia({
      prefix,
      // Unknown keys are an error; Elysia would drop them.
      normalize: false,
    })
      .onError(({ code, error, request }) => respondTo({ code, error }, request))
      // Holds for any router: a handler runs for the route that was admitted, or not at all.
      .onTransform(({ request, route }) => {
        // The body is here by now: a machine that stood still while it came finds out.
        if (callers.assertAdmitted(request, route).acts) deps.assertHub();
      })
      .headers(HEADERS)
      .decorate("auditTrail", auditTrail);

  let all: Declared | undefined;
  function declared(): Declared {
    all ??= declareAll();
    return all;
  }

  function declareAll(): Declared {
    const { resources, besideTheApi } = loadRoutes().allRoutes({ ...deps, callers });
    // One by one: in a chain, the type grows with each resource until the compiler gives up.
    const api = routesUnder(API_PREFIX);
    for (const resource of resources) api.use(resource);
    api.server = server;
    const beside = routesUnder("");
    for (const resource of besideTheApi) beside.use(resource);
    beside.server = server;
    return { api, besideTheApi: beside };
  }

  return {
    declared,
    router: createRouter({
      // A watchdog asks no more than this. The rest takes a sixth of the time to /health, which a hub without visitors saves.
      apps: [routesUnder(API_PREFIX).use(healthRoutes(deps))],
      whole: () => Object.values(declared()),
      callers,
      cors,
      headers: HEADERS,
      auditTrail,
      turns: createRequestTurns({ maxPipelined: config.max_pipelined_requests, limits }),
      addressLimit: createAddressLimit({
        ...{ perSecond: config.max_anonymous_requests_per_second, callers, clock, limits },
      }),
      maxBodyBytes: config.max_body_bytes,
      publicPaths: [API_PREFIX + OPENAPI_PATH],
      isForGuests: deps.guests.may,
      hold: deps.kept && createHoldAnswer(deps.kept),
      page: deps.page,
      times: deps.answerTimes,
      refuse: (error, request) => respondTo({ code: "UNKNOWN", error }, request),
    }),
    serve(next) {
      server = next;
      if (all) for (const declared of Object.values(all)) declared.server = next;
    },
  };
}
