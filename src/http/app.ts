// The REST API and the upgrade: one line a resource. The door decides who may have which.
import type { Server } from "bun";
import { type AnyElysia, Elysia } from "elysia";
import type { Alerts } from "../alerts/alerts.ts";
import type { Audit } from "../auth/audit.ts";
import type { Auth } from "../auth/auth.ts";
import type { ServerSection } from "../config/server.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { StorageFault } from "../core/storage-fault.ts";
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
import { splitUrl } from "./address.ts";
import { createAuditTrail } from "./audit-trail.ts";
import { createCors } from "./cors.ts";
import { createDoor, type Door } from "./door.ts";
import { bugResponse, problemResponse, toHubError } from "./errors.ts";
import { OPENAPI_PATH, openApiDocument } from "./openapi.ts";
import { alertRoutes } from "./routes/alerts.ts";
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
import { createSessions } from "./session.ts";
import type { HubStream } from "./stream/hub-stream.ts";

export const API_PREFIX = "/api/v1";
const HEADERS = { "x-content-type-options": "nosniff" };

export interface AppDeps {
  config: ServerSection;
  version: string;
  /** As the machine calls itself. */
  machineName: string;
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
  /** Hears what could not be written; answers what keeps the hub's disk from being written now. */
  storageFault: (error: unknown) => StorageFault | undefined;
  health: () => Health;
  status: () => SystemStatus;
  alerts: Pick<Alerts, "list">;
  backups: BackupRouteDeps["backups"];
  restores: BackupRouteDeps["restores"];
}

export interface App {
  door: Door;
  /** The routes as they were declared. Asked by itself it runs nothing, since nobody was admitted. */
  elysia: AnyElysia;
  /** For routes that need the server: the upgrade. */
  serve(server: Server<unknown>): void;
}

export function createApp(deps: AppDeps): App {
  const { config, log, auth } = deps;
  const { cors_origins: corsOrigins } = config;
  const cors = createCors(corsOrigins);
  const sessions = createSessions({
    auth,
    trustedProxies: config.trusted_proxies,
    corsOrigins,
    hosts: [...config.hosts, deps.machineName, deps.machineName.split(".", 1).join()],
    log,
  });

  function respondTo(fault: { code: string | number; error: unknown }, request: Request): Response {
    const { path } = splitUrl(request.url);
    auditTrail.refused(request, fault.error, path);
    const refusal = toHubError(fault, { log, path, storageFault: deps.storageFault });
    const response = refusal ? problemResponse(refusal, path) : bugResponse(path);
    for (const [name, value] of Object.entries(cors.headers(request) ?? {})) response.headers.set(name, value);
    return response;
  }

  const auditTrail = createAuditTrail({
    audit: deps.audit,
    sessions,
    peers: () => app.server,
    deviceType: (id) => deps.registry.find(id)?.deviceType,
  });

  const app = new Elysia({
    prefix: API_PREFIX,
    // Unknown keys are refused, not dropped.
    normalize: false,
  })
    .onError(({ code, error, request }) => respondTo({ code, error }, request))
    // Behind every router there may ever be: a handler runs for the route that was admitted, or not at all.
    .onTransform(({ request, route }) => sessions.assertAdmitted(request, route))
    .headers(HEADERS)
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
    .use(alertRoutes(deps.alerts))
    .use(backupRoutes(deps));

  return {
    elysia: app,
    door: createDoor({
      app,
      sessions,
      cors,
      headers: HEADERS,
      decorations: { auditTrail },
      maxBodyBytes: config.max_body_bytes,
      publicPaths: [API_PREFIX + OPENAPI_PATH],
      refuse: (error, request) => respondTo({ code: "UNKNOWN", error }, request),
    }),
    serve(server) {
      app.server = server;
    },
  };
}
