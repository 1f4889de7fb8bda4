// Wires the REST API, the event stream and the status.
import { hostname } from "node:os";
import { createAnswerTimes } from "../../api/http/answer-times.ts";
import { createApp } from "../../api/http/app.ts";
import { type Listener, listen } from "../../api/http/listen/listen.ts";
import { createPage } from "../../api/http/page.ts";
import type { McpRouteDeps } from "../../api/http/routes/mcp.ts";
import { type HubStream, startHubStream } from "../../api/http/stream/hub-stream.ts";
import type { McpEndpoint } from "../../api/mcp/endpoint.ts";
import type { McpDeps } from "../../api/mcp/tool.ts";
import { readLastBackup } from "../../copies/backup/last-backup.ts";
import type { SecondMachine } from "../../copies/standby/source/second-machine.ts";
import type { Calendars } from "../../house/calendars/calendars.ts";
import type { Profiles } from "../../house/discovery/sources/profiles/profiles.ts";
import type { DevicePictures } from "../../house/pictures/pictures.ts";
import type { AttributeRenames } from "../../house/state/attribute-renames.ts";
import { probeStorage } from "../../kit/files/storage-fault.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { isoSeconds } from "../../kit/time/clock.ts";
import type { Exports } from "../../reach/export/running.ts";
import { EVER_MADE } from "../../reach/mqtt/accounts/device-accounts.ts";
import { createPluginStorage } from "../../reach/plugins/storage.ts";
import type { Plugins } from "../../reach/plugins/supervisor.ts";
import { createPluginUploads, type PluginUploads } from "../../reach/plugins/uploads.ts";
import type { PlannedRule } from "../../rules/store/renamed/renamed-rules.ts";
import type { Alerts } from "../../server/alerts/alerts.ts";
import { createMeta } from "../../server/db/meta.ts";
import { thisMachine } from "../../server/system/service/machine.ts";
import { createHealth, createStatus, type Health } from "../../server/system/status.ts";
import { healthAddress } from "../../server/system/upgrade/ask-health.ts";
import { createSelfUpgrade } from "../../server/system/upgrade/self-upgrade.ts";
import { startSnapshotExpiry } from "../../server/system/upgrade/snapshot.ts";
import { openConfigFile } from "../config/config-file.ts";
import { timezoneOf } from "../config/location.ts";
import { createEntryFile } from "../config/plugin-entries.ts";
import { openSettingsFile } from "../config/settings-file.ts";
import type { Latencies } from "./latencies.ts";
import { startMetrics } from "./metrics.ts";
import { mqttAccountsOfApi } from "./mqtt-accounts.ts";
import type { HubOptions } from "./options.ts";
import { connectionsOfMachine } from "./own-machine.ts";
import { createPairingRestart } from "./pairing-restart.ts";
import { problemsNow } from "./problems.ts";
import type { PartStarter } from "./start/part-starter.ts";
import { partOf } from "./start/port.ts";
import type { Ports } from "./start/ports.ts";
import { noteConfig } from "./start/start-audit.ts";
import type { StartTimes } from "./start/start-times.ts";
import { hubAssertion, restartAfter, type TwoMachinesView } from "./two-machines.ts";
import type { Archives } from "./wire-backup.ts";
import { readThroughArchive } from "./wire-export.ts";
import type { House } from "./wire-house.ts";
import { wireProbe } from "./wire-plugins.ts";
import { databaseSchemas, diskLimit, type Stores } from "./wire-stores.ts";

type Wired = Stores &
  House &
  Archives &
  Ports & {
    pictures: DevicePictures;
    calendars: Calendars;
    exports: Exports;
    attributeRenames: AttributeRenames<PlannedRule>;
    secondMachine: SecondMachine;
    profiles: Profiles;
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
  const { alerts } = wired;
  const { offParts } = wired.starter;
  const health = createHealth({
    ...{ version, clock },
    isWhole: offParts.length === 0,
    started: wired.times.isOver,
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
  const kept = wired.kept.now;
  const { notifier, outbox, messenger, people, held, webPush } = partOf(wired.notify);
  const { notices, links } = partOf(wired.notices);
  const parts = {
    ...{ notifier, outbox, messenger, people, held, webPush, notices, links, kept },
    rules: partOf(wired.rules),
    plugins: partOf(wired.plugins),
    backups: partOf(wired.backups),
    discovery: wired.discovery.get(),
  };
  stack.use(startSnapshotExpiry({ home, clock, log: log.child("upgrade"), isWell: () => health().ready }));
  const metrics = stack.use(startMetrics({ ...wired, clock, status, stream: () => stream }));
  const app = createApp({
    ...wired,
    ...parts,
    history: readThroughArchive(options, wired, stack),
    config: config.server,
    answerTimes: createAnswerTimes(clock, wired.latencies.requests.observe),
    assertHub,
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
    uploads: pluginUploads(options, { ...wired, plugins: parts.plugins }),
    mqttAccounts: mqttAccountsOfApi(options, wired.mqttAccounts, wired.mqtt),
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
        ...parts,
        assertHub,
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
  const api = { host, port, tls: config.server.tls_cert !== undefined && host === config.server.host };
  wired.api.attach(api);
  http.info("the API answers", api);
  return { httpPort: port };
}

function statusOf(
  options: HubOptions,
  wired: Wired & { health: () => Health; listener: () => Listener },
  streamClients: () => number,
) {
  const { config, home, platform } = options;
  const { feed, registry, rules, plugins, history, mqtt } = wired;
  const { safe, offParts } = wired.starter;
  const started = platform.clock.now();
  return createStatus({
    health: wired.health,
    clock: platform.clock,
    home,
    devices: () => registry.count(),
    rules: () => rules.now?.count() ?? 0,
    plugins: () => plugins.now?.list().length ?? 0,
    pluginsUnconfined: () => plugins.now?.unconfined() ?? 0,
    eventsSeq: () => feed.ring.head,
    streamClients,
    mqttClients: () => mqtt.now?.connections() ?? 0,
    storageFailingSince: () => (wired.db.copy ? started : registry.storageFailingSince()),
    disk: wired.budget,
    diskLimitBytesPerDay: diskLimit(config),
    history: history.health,
    lastBackup: () => readLastBackup(home),
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
    problems: () => problemsNow(options, { ...wired, discovery: wired.discovery.get(), listener: wired.listener() }),
  });
}

function pluginUploads(
  { home, platform, execPath }: Pick<HubOptions, "home" | "platform" | "execPath">,
  { db, mqttAccounts, plugins }: Pick<Stores, "db" | "mqttAccounts"> & { plugins: Plugins },
): PluginUploads {
  return createPluginUploads({
    home,
    execPath,
    plugins,
    entries: createEntryFile(home.hubToml),
    meta: createMeta(db),
    now: platform.clock.now,
    accountOf: (id) => (mqttAccounts.has(id) ? "is an MQTT account" : undefined),
  });
}

/** Wires /mcp. A hub where it is off, or where nobody asked yet, has loaded nothing of it. */
function wireMcp(
  enabled: boolean,
  deps: McpDeps,
  { log, stack }: { log: Log; stack: AsyncDisposableStack },
): McpRouteDeps["mcp"] {
  if (!enabled) return undefined;
  let opened: Promise<McpEndpoint> | undefined;
  const open = async (): Promise<McpEndpoint> => {
    const { createMcpEndpoint } = await import("../../api/mcp/endpoint.ts");
    return createMcpEndpoint(deps, log);
  };
  stack.defer(async () => (await opened)?.[Symbol.asyncDispose]());
  return async (request, caller) => {
    opened ??= open();
    return (await opened).answer(request, caller);
  };
}
