// What the hub shows of itself: the REST API, the event stream, the status.
import { hostname } from "node:os";
import type { Alerts } from "../alerts/alerts.ts";
import { formatProblem } from "../config/load.ts";
import { probeStorage } from "../core/storage-fault.ts";
import { createApp } from "../http/app.ts";
import { listen } from "../http/listen.ts";
import { type HubStream, startHubStream } from "../http/stream/hub-stream.ts";
import type { Plugins } from "../plugins/supervisor.ts";
import type { Rules } from "../rules/rules.ts";
import { createHealth, createStatus, type Health } from "../system/status.ts";
import type { Archives } from "./archives.ts";
import type { House } from "./house.ts";
import type { Messages } from "./messages.ts";
import type { HubOptions, Late } from "./options.ts";
import { diskLimit, type Stores } from "./stores.ts";

type Parts = Stores & House & Messages & Archives & { rules: Rules; plugins: Plugins; late: Late; alerts: Alerts };

/** The API answers from here on, before MQTT is up. */
export function startApi(options: HubOptions, parts: Parts, stack: AsyncDisposableStack): { httpPort: number } {
  const { config, home, edge, log, version } = options;
  const { clock } = edge;
  const http = log.child("http");
  const { alerts, late } = parts;
  const health = createHealth({ version, clock, ready: () => late.ready, degraded: alerts.degraded });
  const app = createApp({
    ...parts,
    config: config.server,
    version,
    machineName: hostname(),
    clock,
    log: http,
    ring: parts.feed.ring,
    stream: (): HubStream => stream,
    storageFault: () => probeStorage(home.data),
    health,
    status: statusOf(options, { ...parts, health }, () => stream.clients),
  });
  const listener = stack.use(listen(app, config.server, home.resolve));
  const stream = stack.use(
    startHubStream({ feed: parts.feed, auth: parts.auth, clock, log: http, publish: listener.publish }),
  );
  http.info("the API answers", {
    host: config.server.host,
    port: listener.port,
    tls: config.server.tls_cert !== undefined,
  });
  return { httpPort: listener.port };
}

function statusOf(
  { config, home, edge }: HubOptions,
  parts: Parts & { health: () => Health },
  streamClients: () => number,
) {
  const { feed, registry, virtual, rules, plugins, history, late } = parts;
  return createStatus({
    health: parts.health,
    clock: edge.clock,
    home,
    devices: () => registry.count(),
    rules: rules.count,
    plugins: () => plugins.list().length,
    eventsSeq: () => feed.ring.head,
    streamClients,
    mqttClients: () => late.mqtt?.connections() ?? 0,
    storageFailingSince: registry.storageFailingSince,
    disk: parts.budget,
    diskLimitBytesPerDay: diskLimit(config),
    history: history.health,
    lastBackup: parts.backups.last,
    lastRestore: parts.restores.last,
    problems: () => [
      ...virtual.problems().map((problem) => ({ part: "modes", message: formatProblem(problem) })),
      ...rules.problems().map((problem) => ({ part: "rules", message: formatProblem(problem) })),
      ...parts.notifier
        .list()
        .flatMap(({ name, problem }) => (problem ? [{ part: "notify", message: `${name}: ${problem}` }] : [])),
      ...parts.limits.problems().map(({ limit, account, message }) => ({
        part: "limits",
        message: `${limit}, reached by ${account}: ${message}`,
      })),
      ...[parts.backups.problem()].flatMap((message) => (message ? [{ part: "backup", message }] : [])),
    ],
  });
}
