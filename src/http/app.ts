// The REST API and the WebSocket upgrade: one line for each resource. Access is checked in router.ts.
import type { Server } from "bun";
import { type AnyElysia, Elysia } from "elysia";
import type { Alerts } from "../alerts/alerts.ts";
import type { Audit } from "../auth/audit.ts";
import type { Auth } from "../auth/auth.ts";
import type { Calendars } from "../calendars/calendars.ts";
import type { ServerSection } from "../config/server.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { StorageFault } from "../core/storage-fault.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { EventRing } from "../events/feed.ts";
import type { History } from "../history/history.ts";
import type { Notifier } from "../notify/notifier.ts";
import type { Outbox } from "../notify/outbox/outbox.ts";
import type { Plugins } from "../plugins/supervisor.ts";
import type { PluginUploads } from "../plugins/uploads.ts";
import type { Rules } from "../rules/rules.ts";
import type { Areas } from "../state/areas.ts";
import type { Commands } from "../state/commands.ts";
import type { Guests } from "../state/guests.ts";
import type { Layouts } from "../state/layouts.ts";
import type { Registry } from "../state/registry.ts";
import type { Scenes } from "../state/scenes.ts";
import type { Variables } from "../state/variables.ts";
import type { VirtualDevices } from "../state/virtual/virtual-devices.ts";
import type { Health, SystemStatus } from "../system/status.ts";
import { createAuditTrail } from "./audit-trail.ts";
import { createCallers } from "./callers.ts";
import { createCors } from "./cors.ts";
import { bugResponse, problemResponse, toHubError } from "./errors.ts";
import { OPENAPI_PATH, openApiDocument } from "./openapi/document.ts";
import type { Page } from "./page.ts";
import { splitUrl } from "./request-url.ts";
import { createRouter, type Router } from "./router.ts";
import { alertRoutes } from "./routes/alerts.ts";
import { apiKeyRoutes } from "./routes/api-keys.ts";
import { areaRoutes } from "./routes/areas.ts";
import { auditRoutes } from "./routes/audit.ts";
import { authRoutes } from "./routes/auth.ts";
import { type BackupRouteDeps, backupRoutes } from "./routes/backup.ts";
import { blueprintRoutes } from "./routes/blueprints.ts";
import { calendarRoutes } from "./routes/calendars.ts";
import { deviceRoutes } from "./routes/devices.ts";
import { discoveryRoutes } from "./routes/discovery.ts";
import { eventRoutes } from "./routes/events.ts";
import { groupRoutes } from "./routes/groups.ts";
import { healthRoutes } from "./routes/health.ts";
import { historyRoutes } from "./routes/history.ts";
import { type MetricsRouteDeps, metricsRoutes } from "./routes/metrics.ts";
import { modeRoutes } from "./routes/modes.ts";
import { type MqttAccountRoutesDeps, mqttAccountRoutes } from "./routes/mqtt-accounts.ts";
import { notifyRoutes } from "./routes/notify.ts";
import { outboxRoutes } from "./routes/outbox.ts";
import { pluginRemoteRoutes } from "./routes/plugin-remote.ts";
import { pluginUploadRoutes } from "./routes/plugin-uploads.ts";
import { pluginRoutes } from "./routes/plugins.ts";
import { ruleReplayRoutes } from "./routes/rule-replay.ts";
import { ruleTestRoutes } from "./routes/rule-test.ts";
import { ruleRoutes } from "./routes/rules.ts";
import { sceneRoutes } from "./routes/scenes.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { type SetupRoutesDeps, setupRoutes } from "./routes/setup.ts";
import { switchRoutes } from "./routes/switches.ts";
import { systemRoutes } from "./routes/system.ts";
import { type SystemConfigRoutesDeps, systemConfigRoutes } from "./routes/system-config.ts";
import { timerRoutes } from "./routes/timers.ts";
import { uiRoutes } from "./routes/ui.ts";
import { userRoutes } from "./routes/users.ts";
import { variableRoutes } from "./routes/variables.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import type { HubStream } from "./stream/hub-stream.ts";

export const API_PREFIX = "/api/v1";
const HEADERS = { "x-content-type-options": "nosniff" };

export interface AppDeps {
  config: ServerSection;
  version: string;
  /** The machine's host name. */
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
  calendars: Calendars;
  areas: Areas;
  scenes: Scenes;
  variables: Variables;
  layouts: Layouts;
  guests: Guests;
  rules: Rules;
  notifier: Notifier;
  outbox: Outbox;
  plugins: Plugins;
  uploads: PluginUploads;
  discovery: Discovery;
  /** Reports a failed write; returns what is wrong with the disk now. */
  storageFault: (error: unknown) => StorageFault | undefined;
  health: () => Health;
  status: () => SystemStatus;
  alerts: Pick<Alerts, "list">;
  metrics: MetricsRouteDeps["metrics"];
  /** Undefined where the hub is built without it. */
  page?: Page;
  mqttAccounts: MqttAccountRoutesDeps["mqttAccounts"];
  settings: SetupRoutesDeps["settings"];
  backups: BackupRouteDeps["backups"];
  restores: BackupRouteDeps["restores"];
  configFile: SystemConfigRoutesDeps["configFile"];
  restart: SystemConfigRoutesDeps["restart"];
}

export interface App {
  router: Router;
  /** The API's routes as declared. Called directly it runs no handler, as no request was admitted. */
  elysia: AnyElysia;
  /** The same for what has an address outside the API. */
  besideTheApi: AnyElysia;
  /** Hands the server to the routes that need it (the upgrade). */
  serve(server: Server<unknown>): void;
}

export function createApp(deps: AppDeps): App {
  const { config, log, auth } = deps;
  const { cors_origins: corsOrigins } = config;
  const cors = createCors(corsOrigins);
  const callers = createCallers({
    auth,
    trustedProxies: config.trusted_proxies,
    corsOrigins,
    hosts: [...config.hosts, deps.machineName, deps.machineName.split(".", 1).join()],
    log,
  });

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
    peers: () => app.server,
    deviceType(id) {
      const devices = [deps.registry.find(id), ...deps.virtual.groups.devices(id)];
      return devices.flatMap((device) => device?.deviceType ?? []).join(" ");
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
      .onTransform(({ request, route }) => callers.assertAdmitted(request, route))
      .headers(HEADERS)
      .decorate("auditTrail", auditTrail);

  // One by one: in a chain, the type grows with each resource until the compiler gives up.
  const app = routesUnder(API_PREFIX);
  const resources: readonly AnyElysia[] = [
    openApiDocument(deps.version),
    healthRoutes(deps),
    authRoutes({ auth, callers }),
    userRoutes({ users: auth.users }),
    sessionRoutes({ auth, callers }),
    apiKeyRoutes({ apiKeys: auth.apiKeys, callers }),
    eventRoutes({ ...deps, callers }),
    deviceRoutes({ ...deps, refuseRemoval: deps.virtual.refuseRemoval, callers }),
    discoveryRoutes(deps),
    historyRoutes({ ...deps, callers }),
    areaRoutes(deps),
    sceneRoutes({ ...deps, callers }),
    timerRoutes(deps.virtual),
    switchRoutes(deps.virtual),
    scheduleRoutes(deps.virtual),
    groupRoutes(deps.virtual),
    calendarRoutes(deps),
    modeRoutes({ ...deps.virtual, commands: deps.commands, callers }),
    variableRoutes({ ...deps, callers }),
    uiRoutes({ ...deps, callers }),
    ruleRoutes({ ...deps, callers }),
    blueprintRoutes({ ...deps, callers }),
    ruleReplayRoutes({ ...deps, callers }),
    ruleTestRoutes({ ...deps, callers }),
    webhookRoutes({ ...deps, callers }),
    pluginRoutes({ ...deps, callers }),
    pluginUploadRoutes(deps),
    mqttAccountRoutes(deps),
    pluginRemoteRoutes({ ...deps, callers }),
    notifyRoutes({ notifier: deps.notifier, queued: deps.outbox.waiting }),
    outboxRoutes(deps),
    auditRoutes(deps),
    systemRoutes(deps),
    setupRoutes(deps),
    systemConfigRoutes(deps),
    alertRoutes(deps.alerts),
    backupRoutes(deps),
  ];
  for (const resource of resources) app.use(resource);
  const besideTheApi = routesUnder("").use(metricsRoutes(deps));

  return {
    elysia: app,
    besideTheApi,
    router: createRouter({
      apps: [app, besideTheApi],
      callers,
      cors,
      headers: HEADERS,
      decorations: { auditTrail },
      maxBodyBytes: config.max_body_bytes,
      publicPaths: [API_PREFIX + OPENAPI_PATH],
      isForGuests: deps.guests.may,
      page: deps.page,
      refuse: (error, request) => respondTo({ code: "UNKNOWN", error }, request),
    }),
    serve(server) {
      app.server = server;
    },
  };
}
