// The REST API and the upgrade: one line a resource. The guard stands before all of them.
import { Elysia } from "elysia";
import type { Audit } from "../auth/audit.ts";
import type { Auth } from "../auth/auth.ts";
import type { ServerSection } from "../config/server.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { EventRing } from "../events/feed.ts";
import type { History } from "../history/history.ts";
import type { Notifier } from "../notify/notifier.ts";
import type { Outbox } from "../notify/outbox/outbox.ts";
import type { Plugins } from "../plugins/supervisor.ts";
import type { Rules } from "../rules/rules.ts";
import type { Areas } from "../state/areas.ts";
import type { Commands } from "../state/commands.ts";
import type { Registry } from "../state/registry.ts";
import type { Scenes } from "../state/scenes.ts";
import type { Variables } from "../state/variables.ts";
import type { VirtualDevices } from "../state/virtual/virtual-devices.ts";
import type { Health, SystemStatus } from "../system/status.ts";
import { createAuditTrail } from "./audit-trail.ts";
import { createCors } from "./cors.ts";
import { bugResponse, problemResponse, toHubError } from "./errors.ts";
import { type Access, createGuard, type GuardedRoute, splitUrl } from "./guard.ts";
import { OPENAPI_PATH, openApiDocument } from "./openapi.ts";
import { apiKeyRoutes } from "./routes/api-keys.ts";
import { areaRoutes } from "./routes/areas.ts";
import { auditRoutes } from "./routes/audit.ts";
import { authRoutes } from "./routes/auth.ts";
import { type BackupRouteDeps, backupRoutes } from "./routes/backup.ts";
import { deviceRoutes } from "./routes/devices.ts";
import { eventRoutes } from "./routes/events.ts";
import { healthRoutes } from "./routes/health.ts";
import { historyRoutes } from "./routes/history.ts";
import { modeRoutes } from "./routes/modes.ts";
import { notifyRoutes } from "./routes/notify.ts";
import { outboxRoutes } from "./routes/outbox.ts";
import { pluginRoutes } from "./routes/plugins.ts";
import { ruleRoutes } from "./routes/rules.ts";
import { sceneRoutes } from "./routes/scenes.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { switchRoutes } from "./routes/switches.ts";
import { systemRoutes } from "./routes/system.ts";
import { timerRoutes } from "./routes/timers.ts";
import { userRoutes } from "./routes/users.ts";
import { variableRoutes } from "./routes/variables.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { createSessions, type PeerSource } from "./session.ts";
import { BEHIND_LIMIT_BYTES, type HubStream } from "./stream/hub-stream.ts";

export const API_PREFIX = "/api/v1";

export interface AppDeps {
  config: ServerSection;
  version: string;
  clock: Clock;
  log: Log;
  auth: Auth;
  audit: Audit;
  ring: EventRing;
  stream: () => HubStream;
  registry: Registry;
  commands: Commands;
  virtual: VirtualDevices;
  history: History;
  areas: Areas;
  scenes: Scenes;
  variables: Variables;
  rules: Rules;
  notifier: Notifier;
  outbox: Outbox;
  plugins: Plugins;
  health: () => Health;
  status: () => SystemStatus;
  backups: BackupRouteDeps["backups"];
  restores: BackupRouteDeps["restores"];
}

export function createApp(deps: AppDeps) {
  const { config, log, auth } = deps;
  const { cors_origins: corsOrigins } = config;
  const cors = createCors(corsOrigins);
  const sessions = createSessions({
    auth,
    trustedProxies: config.trusted_proxies,
    corsOrigins,
    log,
  });

  // Asked of the app, not of the context: a hook that names `server` makes Elysia define it anew on every request.
  const peers = (): PeerSource | null => app.server;

  const auditTrail = createAuditTrail({
    audit: deps.audit,
    sessions,
    peers,
    deviceType: (id) => deps.registry.find(id)?.deviceType,
  });

  const app = new Elysia({
    prefix: API_PREFIX,
    // Unknown keys are refused, not dropped.
    normalize: false,
    // Hosts of up to three letters (http://pi/) are hosts too.
    handler: { standardHostname: false },
    websocket: {
      maxPayloadLength: 16 * 1024,
      idleTimeout: 75,
      // Above the polite limit, so that a sweep can still say why; memory stays bounded either way.
      backpressureLimit: 2 * BEHIND_LIMIT_BYTES,
      closeOnBackpressureLimit: true,
      perMessageDeflate: false,
    },
  })
    .onRequest(function admit({ request, set }): Response | void | Promise<void> {
      if (corsOrigins.length > 0) {
        const answer = cors.preflight(request);
        if (answer) return answer;
        Object.assign(set.headers, cors.headers(request));
      }
      return guard(request, peers());
    })
    .onError(function refuse({ code, error, request }) {
      const { path } = splitUrl(request.url);
      auditTrail.refused(request, error, path);
      const refusal = toHubError({ code, error }, log, path);
      const response = refusal ? problemResponse(refusal, path) : bugResponse(path);
      for (const [name, value] of Object.entries(cors.headers(request) ?? {})) response.headers.set(name, value);
      return response;
    })
    .headers({ "x-content-type-options": "nosniff" })
    .decorate("auditTrail", auditTrail)
    .use(openApiDocument(deps.version))
    .use(healthRoutes(deps))
    .use(authRoutes({ auth, sessions }))
    .use(userRoutes({ users: auth.users }))
    .use(sessionRoutes({ auth, sessions }))
    .use(apiKeyRoutes({ apiKeys: auth.apiKeys, sessions }))
    .use(eventRoutes({ ...deps, sessions }))
    .use(deviceRoutes({ ...deps, refuseRemoval: deps.virtual.refuseRemoval, sessions }))
    .use(historyRoutes({ ...deps, sessions }))
    .use(areaRoutes(deps))
    .use(sceneRoutes({ ...deps, sessions }))
    .use(timerRoutes(deps.virtual))
    .use(switchRoutes(deps.virtual))
    .use(modeRoutes({ ...deps.virtual, commands: deps.commands, sessions }))
    .use(variableRoutes({ ...deps, sessions }))
    .use(ruleRoutes({ ...deps, sessions }))
    .use(webhookRoutes({ ...deps, sessions }))
    .use(pluginRoutes({ ...deps, sessions }))
    .use(notifyRoutes({ notifier: deps.notifier, queued: deps.outbox.waiting }))
    .use(outboxRoutes(deps))
    .use(auditRoutes(deps))
    .use(systemRoutes(deps))
    .use(backupRoutes(deps));

  const guard = createGuard({ routes: guardedRoutes(app.routes), sessions, maxBodyBytes: config.max_body_bytes });
  return app;
}

interface DeclaredRoute {
  method: string;
  path: string;
  hooks?: { detail?: Record<string, unknown> };
}

/** What each route declared of itself; one that declared nothing is for administrators. */
export function guardedRoutes(routes: readonly DeclaredRoute[]): GuardedRoute[] {
  return routes.flatMap(({ method, path, hooks }) => {
    const detail = hooks?.detail ?? {};
    const access =
      path === API_PREFIX + OPENAPI_PATH ? "public" : ((detail["x-access"] as Access | undefined) ?? "admin");
    const route = {
      method,
      access,
      tokenInQuery: detail["x-token-in-query"] === true,
      streamedBody: detail["x-streamed-body"] === true,
    };
    // Every address answers with and without a closing slash, as Elysia's routes do.
    const paths = path.endsWith("/") ? [path, path.slice(0, -1)] : [path, `${path}/`];
    return paths.map((each) => ({ ...route, path: each }));
  });
}
