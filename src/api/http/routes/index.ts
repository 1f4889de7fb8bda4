// All routes, one line for each resource. app.ts loads this file at the first request for one of them: nothing else imports it.
import type { AnyElysia } from "elysia";
import { openApiDocument } from "../openapi/document.ts";
import { alertRoutes } from "./alerts.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { areaRoutes } from "./areas.ts";
import { auditRoutes } from "./audit.ts";
import { authRoutes } from "./auth.ts";
import { backupRoutes } from "./backup.ts";
import { backupTargetRoutes } from "./backup-targets.ts";
import { blueprintRoutes } from "./blueprints.ts";
import { calendarRoutes } from "./calendars.ts";
import { devicePictureRoutes } from "./device-pictures.ts";
import { deviceRoutes } from "./devices.ts";
import { discoveryRoutes } from "./discovery.ts";
import { eventRoutes } from "./events.ts";
import { groupRoutes } from "./groups.ts";
import { healthRoutes } from "./health.ts";
import { historyRoutes } from "./history.ts";
import { historyExportRoutes } from "./history-exports.ts";
import { logRoutes } from "./log.ts";
import { mcpRoutes } from "./mcp.ts";
import { metricsRoutes } from "./metrics.ts";
import { modeRoutes } from "./modes.ts";
import { mqttAccountRoutes } from "./mqtt-accounts.ts";
import { noticeRoutes } from "./notices.ts";
import { notifyRoutes } from "./notify.ts";
import { outboxRoutes } from "./outbox.ts";
import { pluginRemoteRoutes } from "./plugin-remote.ts";
import { pluginStorageRoutes } from "./plugin-storage.ts";
import { pluginUploadRoutes } from "./plugin-uploads.ts";
import { pluginRoutes } from "./plugins.ts";
import { ruleReplayRoutes } from "./rule-replay.ts";
import { ruleTestRoutes } from "./rule-test.ts";
import { ruleRoutes } from "./rules.ts";
import { sceneRoutes } from "./scenes.ts";
import { scheduleRoutes } from "./schedules.ts";
import { sessionRoutes } from "./sessions.ts";
import { setupRoutes } from "./setup.ts";
import { standbyRoutes } from "./standby.ts";
import { switchRoutes } from "./switches.ts";
import { systemRoutes } from "./system.ts";
import { systemConfigRoutes } from "./system-config.ts";
import { timerRoutes } from "./timers.ts";
import { uiRoutes } from "./ui.ts";
import { upgradeRoutes } from "./upgrade.ts";
import { userRoutes } from "./users.ts";
import { variableRoutes } from "./variables.ts";
import { webPushRoutes } from "./web-push.ts";
import { webhookRoutes } from "./webhooks.ts";

/** Under the prefix of the API. */
const RESOURCES = [
  openApiDocument,
  healthRoutes,
  authRoutes,
  userRoutes,
  sessionRoutes,
  apiKeyRoutes,
  eventRoutes,
  deviceRoutes,
  devicePictureRoutes,
  discoveryRoutes,
  historyRoutes,
  historyExportRoutes,
  areaRoutes,
  sceneRoutes,
  timerRoutes,
  switchRoutes,
  scheduleRoutes,
  groupRoutes,
  calendarRoutes,
  modeRoutes,
  variableRoutes,
  uiRoutes,
  ruleRoutes,
  blueprintRoutes,
  ruleReplayRoutes,
  ruleTestRoutes,
  webhookRoutes,
  pluginRoutes,
  pluginUploadRoutes,
  mqttAccountRoutes,
  pluginRemoteRoutes,
  pluginStorageRoutes,
  notifyRoutes,
  outboxRoutes,
  webPushRoutes,
  noticeRoutes,
  auditRoutes,
  systemRoutes,
  logRoutes,
  setupRoutes,
  systemConfigRoutes,
  alertRoutes,
  backupRoutes,
  backupTargetRoutes,
  upgradeRoutes,
  standbyRoutes,
];
const BESIDE_THE_API = [metricsRoutes, mcpRoutes];

type Factory = (typeof RESOURCES)[number] | (typeof BESIDE_THE_API)[number];
/** All that any of them takes. */
type Needs<F> = (F extends (needs: infer N) => unknown ? (given: N) => void : never) extends (all: infer A) => void
  ? A
  : never;

/** What the routes need of the hub: each file in this folder says its own. */
export type RouteDeps = Omit<Needs<Factory>, "callers">;

interface Routes {
  resources: readonly AnyElysia[];
  besideTheApi: readonly AnyElysia[];
}

export function allRoutes(deps: Needs<Factory>): Routes {
  return {
    resources: RESOURCES.map((routes) => routes(deps)),
    besideTheApi: BESIDE_THE_API.map((routes) => routes(deps)),
  };
}
