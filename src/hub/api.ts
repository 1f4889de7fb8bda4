// What the hub shows of itself: the REST API, the event stream, the status.
import { hostname } from "node:os";
import type { Alerts } from "../alerts/alerts.ts";
import { probeStorage } from "../core/storage-fault.ts";
import { createApp } from "../http/app.ts";
import { type Listener, listen } from "../http/listen.ts";
import { type HubStream, startHubStream } from "../http/stream/hub-stream.ts";
import type { Plugins } from "../plugins/supervisor.ts";
import type { Rules } from "../rules/rules.ts";
import { createHealth, createStatus, type Health } from "../system/status.ts";
import type { Archives } from "./archives.ts";
import type { House } from "./house.ts";
import type { Messages } from "./messages.ts";
import type { HubOptions, Late } from "./options.ts";
import type { Parts } from "./parts.ts";
import { problemsNow } from "./problems.ts";
import { diskLimit, type Stores } from "./stores.ts";

type All = Stores &
  House &
  Messages &
  Archives & { rules: Rules; plugins: Plugins; late: Late; alerts: Alerts; parts: Parts };

/** The API answers from here on, before MQTT is up. */
export function startApi(options: HubOptions, parts: All, stack: AsyncDisposableStack): { httpPort: number } {
  const { config, home, edge, log, version } = options;
  const { clock } = edge;
  const http = log.child("http");
  const { alerts, late } = parts;
  const health = createHealth({ version, clock, ready: () => late.ready, degraded: () => alerts.degraded() });
  const app = createApp({
    ...parts,
    config: config.server,
    version,
    machineName: hostname(),
    clock,
    log: http,
    ring: parts.feed.ring,
    stream: (): HubStream => stream,
    storageFault(error) {
      parts.trouble.note(error);
      return probeStorage(home.data) ?? parts.db.copy?.fault;
    },
    health,
    status: statusOf(options, { ...parts, health, listener: () => listener }, () => stream.clients),
  });
  const listener: Listener = stack.use(
    listen(app, { config: config.server, resolvePath: home.resolve, clock, log: http }),
  );
  const stream = stack.use(
    startHubStream({ feed: parts.feed, auth: parts.auth, clock, log: http, publish: listener.publish }),
  );
  http.info("the API answers", {
    host: listener.host,
    port: listener.port,
    tls: config.server.tls_cert !== undefined && listener.host === config.server.host,
  });
  return { httpPort: listener.port };
}

function statusOf(
  options: HubOptions,
  parts: All & { health: () => Health; listener: () => Listener },
  streamClients: () => number,
) {
  const { config, home, edge } = options;
  const { feed, registry, rules, plugins, history, late } = parts;
  const { safe, off } = parts.parts;
  const started = edge.clock.now();
  return createStatus({
    health: parts.health,
    clock: edge.clock,
    home,
    devices: () => registry.count(),
    rules: rules.count,
    plugins: () => (off("plugins") ? 0 : plugins.list().length),
    pluginsUnconfined: () => (off("plugins") ? 0 : plugins.unconfined()),
    eventsSeq: () => feed.ring.head,
    streamClients,
    mqttClients: () => late.mqtt?.connections() ?? 0,
    storageFailingSince: () => (parts.db.copy ? started : registry.storageFailingSince()),
    disk: parts.budget,
    diskLimitBytesPerDay: diskLimit(config),
    history: history.health,
    lastBackup: parts.backups.last,
    lastRestore: parts.restores.last,
    safeStart: safe && { since: safe.since, failed_part: safe.failedPart, error: safe.error, off: [...safe.off] },
    problems: () => problemsNow(options, { ...parts, listener: parts.listener() }),
  });
}
