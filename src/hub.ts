// The composition root: builds every part in the order of what needs what, and stops them in reverse. Nothing else wires.
import { createAuth } from "./auth/auth.ts";
import type { HubConfig } from "./config/sections.ts";
import type { Edge } from "./core/edge.ts";
import { HubError } from "./core/errors.ts";
import type { Log } from "./core/log.ts";
import { createMeta } from "./db/meta.ts";
import { openStateDb } from "./db/state-db.ts";
import { createEventFeed } from "./events/feed.ts";
import { lockHome } from "./home/lock.ts";
import type { Home } from "./home/paths.ts";
import { createApp } from "./http/app.ts";
import { listen } from "./http/listen.ts";
import { startHubStream } from "./http/stream/hub-stream.ts";
import { type Mqtt, startMqtt } from "./mqtt/start.ts";
import { createPlugins } from "./plugins/supervisor.ts";
import { listRuleFiles } from "./rules/files.ts";
import { createCommands } from "./state/commands.ts";
import { openRegistry } from "./state/registry.ts";
import { createStatus } from "./system/status.ts";

export interface HubOptions {
  config: HubConfig;
  home: Home;
  edge: Edge;
  log: Log;
  version: string;
  /** Runs `.js` and `.ts` plugins. */
  execPath: string;
  /** Told the first administrator's credentials, which are known nowhere else. */
  onFirstAdministrator: (credentials: { username: string; password: string }) => void;
}

export interface Hub extends AsyncDisposable {
  readonly httpPort: number;
  readonly mqttPort: number;
}

/** Starts in levels; when one fails, those before it are closed again. Throws HubError with the mend. */
export async function createHub({
  config,
  home,
  edge,
  log,
  version,
  execPath,
  onFirstAdministrator,
}: HubOptions): Promise<Hub> {
  const { clock, random } = edge;
  await using stack = new AsyncDisposableStack();
  const notReady = (part: string): never => {
    throw new HubError("unavailable", `the hub is starting: ${part} is not up yet`);
  };

  // Stores.
  stack.use(lockHome(home));
  const db = stack.use(openStateDb(home.stateDb, clock.now));
  if (db.setAside)
    log.error("the state database was damaged; it was set aside and a new one begun", { kept_as: db.setAside });
  const meta = createMeta(db.durable);
  const mark = {
    load: () => Number(meta.get("event_seq") ?? 0),
    save: (seq: number) => meta.set("event_seq", String(seq)),
  };
  const feed = createEventFeed({ clock, log: log.child("events"), buffer: config.events.buffer, mark });
  const auth = createAuth({ config: config.auth, db, clock, random, log: log.child("auth") });
  await auth.ensureAdministrator(onFirstAdministrator);

  // Restored state; nothing is said of it.
  const registry = stack.use(
    openRegistry({ db, clock, log: log.child("state"), emit: feed.emit, flushSecs: config.storage.flush_secs }),
  );
  let mqtt: Mqtt | undefined;
  const dispatch = (id: string, payload: Parameters<Mqtt["command"]>[1]) =>
    (mqtt ?? notReady("MQTT")).command(id, payload);
  const commands = createCommands({
    registry,
    clock,
    random,
    emit: feed.emit,
    dispatch,
    prepare: () => notReady("the home"),
  });
  const plugins = createPlugins({
    entries: config.plugins,
    home,
    execPath,
    env: edge.env,
    clock,
    log: log.child("plugins"),
    random,
    emit: feed.emit,
    broker: () => mqtt ?? notReady("MQTT"),
    accounts: {
      issue: (id) => (mqtt ?? notReady("MQTT")).accounts.issue(id),
      revoke: (id) => mqtt?.accounts.revoke(id),
    },
    devices: registry,
  });

  // The API answers.
  const status = createStatus({
    version,
    clock,
    home,
    devices: () => registry.count(),
    rules: () => listRuleFiles(home.rules).length,
    plugins: () => plugins.list().length,
    eventsSeq: () => feed.ring.head,
    streamClients: () => stream.clients,
    mqttClients: () => mqtt?.connections() ?? 0,
    storageFailingSince: registry.storageFailingSince,
  });
  const http = log.child("http");
  const app = createApp({
    config: config.server,
    version,
    log: http,
    auth,
    ring: feed.ring,
    stream: () => stream,
    registry,
    commands,
    plugins,
    status,
  });
  const listener = stack.use(listen(app, config.server, home.resolve));
  const stream = stack.use(startHubStream({ feed, auth, clock, log: http, publish: listener.publish }));
  http.info("the API answers", {
    host: config.server.host,
    port: listener.port,
    tls: config.server.tls_cert !== undefined,
  });

  // Broker, rules, plugins.
  mqtt = stack.use(
    await startMqtt({
      config: config.mqtt,
      clock,
      log: log.child("mqtt"),
      random,
      feed,
      devices: registry,
      plugins,
      logins: auth.logins,
    }),
  );
  feed.emit({ type: "system_started", version });
  stack.use(plugins);
  plugins.startAll();

  const { port: mqttPort } = mqtt;
  const parts = stack.move();
  return { httpPort: listener.port, mqttPort, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
