// Wires the REST API, the event stream and the status.

import { hostname } from "node:os";
import type { Alerts } from "../alerts/alerts.ts";
import type { Calendars } from "../calendars/calendars.ts";
import { timezoneOf } from "../config/location.ts";
import { openSettingsFile } from "../config/settings-file.ts";
import { isoSeconds } from "../core/clock.ts";
import type { PublicOf } from "../core/public-of.ts";
import { probeStorage } from "../core/storage-fault.ts";
import { createMeta } from "../db/meta.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { Profiles } from "../discovery/sources/profiles/profiles.ts";
import type { Exports } from "../export/running.ts";
import { createAnswerTimes } from "../http/answer-times.ts";
import { createApp } from "../http/app.ts";
import { type Listener, listen } from "../http/listen.ts";
import { createPage } from "../http/page.ts";
import { type HubStream, startHubStream } from "../http/stream/hub-stream.ts";
import { EVER_MADE } from "../mqtt/device-accounts.ts";
import type { DevicePictures } from "../pictures/pictures.ts";
import { createPluginStorage } from "../plugins/storage.ts";
import type { Plugins } from "../plugins/supervisor.ts";
import type { Rules } from "../rules/rules.ts";
import type { PlannedRule } from "../rules/store/renamed/renamed-rules.ts";
import type { SecondMachine } from "../standby/source/second-machine.ts";
import type { AttributeRenames } from "../state/attribute-renames.ts";
import { healthAddress } from "../system/ask-health.ts";
import { thisMachine } from "../system/machine.ts";
import { createSelfUpgrade } from "../system/self-upgrade.ts";
import { startSnapshotExpiry } from "../system/snapshot-expiry.ts";
import { createHealth, createStatus, type Health } from "../system/status.ts";
import { openConfigFile } from "./config-file.ts";
import type { Latencies } from "./latencies.ts";
import { startMetrics } from "./metrics.ts";
import { mqttAccountsOfApi } from "./mqtt-accounts.ts";
import type { HubOptions, Late } from "./options.ts";
import { connectionsOfMachine } from "./own-machine.ts";
import { createPairingRestart } from "./pairing-restart.ts";
import type { PartStarter } from "./part-starter.ts";
import { pluginUploads } from "./plugin-uploads.ts";
import { problemsNow } from "./problems.ts";
import { noteConfig } from "./start-audit.ts";
import type { StartTimes } from "./start-times.ts";
import { hubAssertion, restartAfter, type TwoMachinesView } from "./two-machines.ts";
import type { Archives } from "./wire-backup.ts";
import { readThroughArchive } from "./wire-export.ts";
import type { House } from "./wire-house.ts";
import { wireMcp } from "./wire-mcp.ts";
import type { WiredNotices } from "./wire-notices.ts";
import type { Notifications } from "./wire-notify.ts";
import { wireProbe } from "./wire-plugins.ts";
import { databaseSchemas, diskLimit, type Stores } from "./wire-stores.ts";

type Wired = Stores &
  House &
  Notifications &
  WiredNotices &
  Archives & {
    pictures: DevicePictures;
    calendars: Calendars;
    exports: Exports;
    rules: PublicOf<Rules>;
    attributeRenames: AttributeRenames<PlannedRule>;
    plugins: Plugins;
    secondMachine: SecondMachine;
    profiles: Profiles;
    discovery: Discovery;
    late: Late;
    alerts: Alerts;
    starter: PartStarter;
    times: StartTimes;
    latencies: Latencies;
    twoMachines: TwoMachinesView;
  };

/** First levels of addresses that belong to programs. */
const NO_PAGE = ["/api", "/metrics", "/mcp"];

/** From here on the API answers, before MQTT is up. */
export function wireApi(options: HubOptions, wired: Wired, stack: AsyncDisposableStack): { httpPort: number } {
  const { config, home, platform, log, version } = options;
  const { clock } = platform;
  const http = log.child("http");
  const { alerts, late } = wired;
  const { offParts } = wired.starter;
  const health = createHealth({
    ...{ version, clock },
    isWhole: offParts.length === 0,
    started: () => late.ready,
    degraded: () => alerts.degraded(),
  });
  const meta = createMeta(wired.db);
  const configFile = openConfigFile({
    home,
    config,
    now: () => clock.now(),
    beside: () => ({ otherMqttAccounts: meta.get(EVER_MADE) !== undefined }),
    onWritten: () => noteConfig(home, meta),
  });
  const status = statusOf(options, { ...wired, health, listener: () => listener }, () => stream.clients);
  const assertHub = hubAssertion(options, wired.secondMachine);
  const { kept } = late;
  stack.use(startSnapshotExpiry({ home, clock, log: log.child("upgrade"), isWell: () => health().ready }));
  const metrics = stack.use(startMetrics({ ...wired, clock, status, stream: () => stream }));
  const app = createApp({
    ...wired,
    history: readThroughArchive(options, wired, stack),
    config: config.server,
    answerTimes: createAnswerTimes(clock, wired.latencies.requests.observe),
    assertHub,
    kept,
    version,
    machineName: hostname(),
    own: connectionsOfMachine(wired.plugins),
    clock,
    log: http,
    ...(options.pageFile !== undefined && { page: createPage(options.pageFile, NO_PAGE) }),
    ring: wired.feed.ring,
    stream: (): HubStream => stream,
    storageFault(error) {
      wired.trouble.note(error);
      return probeStorage(home.data) ?? wired.db.copy?.fault;
    },
    health,
    uploads: pluginUploads(options, wired),
    mqttAccounts: mqttAccountsOfApi(options, wired.mqttAccounts, late),
    settings: openSettingsFile({
      path: home.hubToml,
      running: config,
      otherMqttAccounts: () => wired.mqttAccounts.list().length > 0,
      onWritten: () => noteConfig(home, meta),
    }),
    configFile,
    restart: restartAfter(kept, { clock, log: http }, () => options.requestRestart(configFile.restart())),
    standing: () => options.standing,
    hasLease: config.standby.lease !== undefined,
    pairingRestart: createPairingRestart(options, () => meta.get(EVER_MADE) !== undefined),
    upgrades: createSelfUpgrade({
      ...{ home, clock, version, env: platform.env, execPath: options.execPath, own: options.ownProcess },
      machine: thisMachine,
      probe: wireProbe(options),
      log: log.child("upgrade"),
      layouts: databaseSchemas,
      address: healthAddress(config),
      watchSecs: config.upgrade.watch_secs,
      requestRestart: options.requestRestart,
    }),
    status,
    pluginStorage: createPluginStorage(meta),
    metrics: metrics.text,
    logFile: { path: home.hubLog, flush: () => options.flushLog?.() },
    mcp: wireMcp(
      config.mcp.enabled,
      {
        ...wired,
        assertHub,
        kept,
        version,
        clock,
        health,
        status,
        ring: wired.feed.ring,
        membersOf: wired.virtual.groups.devices,
      },
      { log: log.child("mcp"), stack },
    ),
  });
  const listener: Listener = stack.use(
    listen(app, { config: config.server, resolvePath: home.resolve, clock, log: http, limits: wired.limits }),
  );
  const stream = stack.use(
    startHubStream({ feed: wired.feed, auth: wired.auth, clock, log: http, publish: listener.publish }),
  );
  const { host, port } = listener;
  late.api = { host, port, tls: config.server.tls_cert !== undefined && host === config.server.host };
  http.info("the API answers", late.api);
  return { httpPort: port };
}

function statusOf(
  options: HubOptions,
  wired: Wired & { health: () => Health; listener: () => Listener },
  streamClients: () => number,
) {
  const { config, home, platform } = options;
  const { feed, registry, rules, plugins, history, late } = wired;
  const { safe, offParts, isOff } = wired.starter;
  const started = platform.clock.now();
  return createStatus({
    health: wired.health,
    clock: platform.clock,
    home,
    devices: () => registry.count(),
    rules: () => rules.count(),
    plugins: () => (isOff("plugins") ? 0 : plugins.list().length),
    pluginsUnconfined: () => plugins.unconfined(),
    eventsSeq: () => feed.ring.head,
    streamClients,
    mqttClients: () => late.mqtt?.connections() ?? 0,
    storageFailingSince: () => (wired.db.copy ? started : registry.storageFailingSince()),
    disk: wired.budget,
    diskLimitBytesPerDay: diskLimit(config),
    history: history.health,
    lastBackup: wired.backups.last,
    lastRestore: wired.restores.last,
    location: config.location,
    timezone: () => timezoneOf(config.location),
    standby: wired.twoMachines,
    safeStart: safe && {
      since: safe.since,
      failed_part: safe.failedPart,
      error: safe.error,
      off: offParts.map(({ part }) => part),
      parts: offParts.map(({ part, why, nextTry }) => ({ part, why, next_try: isoSeconds(nextTry) })),
    },
    problems: () => problemsNow(options, { ...wired, listener: wired.listener() }),
  });
}
