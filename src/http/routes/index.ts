// All routes, one line for each resource. app.ts loads this file at the first request for one of them: nothing else imports it.
import type { AnyElysia } from "elysia";
import type { Alerts } from "../../alerts/alerts.ts";
import type { Audit } from "../../auth/audit.ts";
import type { Auth } from "../../auth/auth.ts";
import type { Calendars } from "../../calendars/calendars.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { PublicOf } from "../../core/public-of.ts";
import type { Discovery } from "../../discovery/discovery.ts";
import type { EventRing } from "../../events/feed.ts";
import type { Exports } from "../../export/running.ts";
import type { History } from "../../history/history.ts";
import type { Messenger } from "../../notify/messenger.ts";
import type { Notices } from "../../notify/notices/notices.ts";
import type { Notifier } from "../../notify/notifier.ts";
import type { Outbox } from "../../notify/outbox/outbox.ts";
import type { HeldMessages } from "../../notify/people/held.ts";
import type { People } from "../../notify/people/people.ts";
import type { Plugins } from "../../plugins/supervisor.ts";
import type { PluginUploads } from "../../plugins/uploads.ts";
import type { Rules } from "../../rules/rules.ts";
import type { Areas } from "../../state/areas.ts";
import type { Commands } from "../../state/commands.ts";
import type { Guests } from "../../state/guests.ts";
import type { Layouts } from "../../state/layouts.ts";
import type { Registry } from "../../state/registry.ts";
import type { Scenes } from "../../state/scenes.ts";
import type { Variables } from "../../state/variables.ts";
import type { VirtualDevices } from "../../state/virtual/virtual-devices.ts";
import type { Health, SystemStatus } from "../../system/status.ts";
import type { Callers } from "../callers.ts";
import { openApiDocument } from "../openapi/document.ts";
import type { HubStream } from "../stream/hub-stream.ts";
import { alertRoutes } from "./alerts.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { areaRoutes } from "./areas.ts";
import { auditRoutes } from "./audit.ts";
import { authRoutes } from "./auth.ts";
import { type BackupRouteDeps, backupRoutes } from "./backup.ts";
import { type BackupTargetRouteDeps, backupTargetRoutes } from "./backup-targets.ts";
import { blueprintRoutes } from "./blueprints.ts";
import { calendarRoutes } from "./calendars.ts";
import { type DevicePictureRoutesDeps, devicePictureRoutes } from "./device-pictures.ts";
import { type DeviceRoutesDeps, deviceRoutes } from "./devices.ts";
import { discoveryRoutes } from "./discovery.ts";
import { eventRoutes } from "./events.ts";
import { groupRoutes } from "./groups.ts";
import { healthRoutes } from "./health.ts";
import { historyRoutes } from "./history.ts";
import { historyExportRoutes } from "./history-exports.ts";
import { type LogRouteDeps, logRoutes } from "./log.ts";
import { type McpRouteDeps, mcpRoutes } from "./mcp.ts";
import { type MetricsRouteDeps, metricsRoutes } from "./metrics.ts";
import { modeRoutes } from "./modes.ts";
import { type MqttAccountRoutesDeps, mqttAccountRoutes } from "./mqtt-accounts.ts";
import { type NoticeRoutesDeps, noticeRoutes } from "./notices.ts";
import { notifyRoutes } from "./notify.ts";
import { outboxRoutes } from "./outbox.ts";
import { pluginRemoteRoutes } from "./plugin-remote.ts";
import { type PluginStorageRoutesDeps, pluginStorageRoutes } from "./plugin-storage.ts";
import { pluginUploadRoutes } from "./plugin-uploads.ts";
import { pluginRoutes } from "./plugins.ts";
import { ruleReplayRoutes } from "./rule-replay.ts";
import { ruleTestRoutes } from "./rule-test.ts";
import { ruleRoutes } from "./rules.ts";
import { sceneRoutes } from "./scenes.ts";
import { scheduleRoutes } from "./schedules.ts";
import { sessionRoutes } from "./sessions.ts";
import { type SetupRoutesDeps, setupRoutes } from "./setup.ts";
import { type StandbyRoutesDeps, standbyRoutes } from "./standby.ts";
import { switchRoutes } from "./switches.ts";
import { systemRoutes } from "./system.ts";
import { type SystemConfigRoutesDeps, systemConfigRoutes } from "./system-config.ts";
import { timerRoutes } from "./timers.ts";
import { uiRoutes } from "./ui.ts";
import { type UpgradeRoutesDeps, upgradeRoutes } from "./upgrade.ts";
import { userRoutes } from "./users.ts";
import { variableRoutes } from "./variables.ts";
import { type WebPushRoutesDeps, webPushRoutes } from "./web-push.ts";
import { webhookRoutes } from "./webhooks.ts";

/** What the routes need of the hub. */
export interface RouteDeps {
  version: string;
  clock: Clock;
  log: Log;
  auth: Auth;
  audit: Audit;
  ring: EventRing;
  stream: () => HubStream;
  registry: Registry;
  commands: Commands;
  attributeRenames: DeviceRoutesDeps["attributeRenames"];
  virtual: VirtualDevices;
  history: History;
  exports: Exports;
  pictures: DevicePictureRoutesDeps["pictures"];
  calendars: Calendars;
  areas: Areas;
  scenes: Scenes;
  variables: Variables;
  layouts: Layouts;
  guests: Guests;
  rules: PublicOf<Rules>;
  notifier: Notifier;
  outbox: Outbox;
  messenger: Messenger;
  people: Pick<People, "list">;
  held: Pick<HeldMessages, "count">;
  webPush: WebPushRoutesDeps["webPush"];
  notices: NoticeRoutesDeps["notices"] & Pick<Notices, "listeningProblem">;
  links: NoticeRoutesDeps["links"];
  plugins: Plugins;
  pluginStorage: PluginStorageRoutesDeps["pluginStorage"];
  uploads: PluginUploads;
  discovery: Discovery;
  health: () => Health;
  status: () => SystemStatus;
  alerts: Pick<Alerts, "list">;
  metrics: MetricsRouteDeps["metrics"];
  mcp: McpRouteDeps["mcp"];
  logFile: LogRouteDeps["logFile"];
  mqttAccounts: MqttAccountRoutesDeps["mqttAccounts"];
  settings: SetupRoutesDeps["settings"];
  backups: BackupRouteDeps["backups"] & BackupTargetRouteDeps["backups"];
  restores: BackupRouteDeps["restores"];
  remote: BackupTargetRouteDeps["remote"];
  visits: BackupTargetRouteDeps["visits"];
  recoverySheet: BackupTargetRouteDeps["recoverySheet"];
  configFile: SystemConfigRoutesDeps["configFile"];
  restart: SystemConfigRoutesDeps["restart"];
  upgrades: UpgradeRoutesDeps["upgrades"];
  secondMachine: StandbyRoutesDeps["secondMachine"];
  standing: StandbyRoutesDeps["standing"];
  hasLease: StandbyRoutesDeps["hasLease"];
  pairingRestart: StandbyRoutesDeps["pairingRestart"];
}

interface Routes {
  /** What stands under the prefix of the API. */
  resources: readonly AnyElysia[];
  besideTheApi: readonly AnyElysia[];
}

export function allRoutes(deps: RouteDeps & { callers: Callers }): Routes {
  return {
    resources: [
      openApiDocument(deps.version),
      healthRoutes(deps),
      authRoutes(deps),
      userRoutes({ users: deps.auth.users, callers: deps.callers }),
      sessionRoutes(deps),
      apiKeyRoutes({ ...deps, apiKeys: deps.auth.apiKeys }),
      eventRoutes(deps),
      deviceRoutes({ ...deps, refuseRemoval: deps.virtual.refuseRemoval }),
      devicePictureRoutes(deps),
      discoveryRoutes(deps),
      historyRoutes(deps),
      historyExportRoutes(deps),
      areaRoutes(deps),
      sceneRoutes(deps),
      timerRoutes(deps.virtual),
      switchRoutes(deps.virtual),
      scheduleRoutes(deps.virtual),
      groupRoutes(deps.virtual),
      calendarRoutes(deps),
      modeRoutes({ ...deps.virtual, commands: deps.commands, callers: deps.callers }),
      variableRoutes(deps),
      uiRoutes(deps),
      ruleRoutes(deps),
      blueprintRoutes(deps),
      ruleReplayRoutes(deps),
      ruleTestRoutes(deps),
      webhookRoutes(deps),
      pluginRoutes(deps),
      pluginUploadRoutes(deps),
      mqttAccountRoutes(deps),
      pluginRemoteRoutes(deps),
      pluginStorageRoutes(deps),
      notifyRoutes({ ...deps, heldFor: deps.held.count, queued: deps.outbox.waiting }),
      outboxRoutes(deps),
      webPushRoutes(deps),
      noticeRoutes(deps),
      auditRoutes(deps),
      systemRoutes(deps),
      logRoutes(deps),
      setupRoutes(deps),
      systemConfigRoutes(deps),
      alertRoutes(deps.alerts),
      backupRoutes(deps),
      backupTargetRoutes(deps),
      upgradeRoutes(deps),
      standbyRoutes(deps),
    ],
    besideTheApi: [metricsRoutes(deps), mcpRoutes(deps)],
  };
}
