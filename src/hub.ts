// The composition root: builds every part in the order of what needs what, and stops them in reverse. Nothing else wires.
import { type Auth, createAuth } from "./auth/auth.ts";
import { formatProblem } from "./config/load.ts";
import type { HubConfig } from "./config/sections.ts";
import type { Edge } from "./core/edge.ts";
import { HubError } from "./core/errors.ts";
import type { Log } from "./core/log.ts";
import { createWriteBudget, type WriteBudget } from "./core/write-budget.ts";
import { createMeta } from "./db/meta.ts";
import { openStateDb, type StateDb } from "./db/state-db.ts";
import { createEventFeed, type EventFeed } from "./events/feed.ts";
import { startHistory } from "./history/history.ts";
import { historyWorker } from "./history/worker-source.ts";
import { lockHome } from "./home/lock.ts";
import type { Home } from "./home/paths.ts";
import { createApp } from "./http/app.ts";
import { listen } from "./http/listen.ts";
import { type HubStream, startHubStream } from "./http/stream/hub-stream.ts";
import { createRuleHost } from "./hub/rule-host.ts";
import { type Mqtt, startMqtt } from "./mqtt/start.ts";
import { createPlugins, type Plugins } from "./plugins/supervisor.ts";
import { openRules, type Rules } from "./rules/rules.ts";
import { openAreas } from "./state/areas.ts";
import { startBatteryWatch } from "./state/battery.ts";
import { createCommands } from "./state/commands.ts";
import { openRegistry } from "./state/registry.ts";
import { openScenes } from "./state/scenes.ts";
import { openVariables } from "./state/variables.ts";
import { openVirtualDevices } from "./state/virtual/virtual-devices.ts";
import { bytesWritten } from "./system/bytes-written.ts";
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
export async function createHub(options: HubOptions): Promise<Hub> {
  const { config, edge, log, version } = options;
  await using stack = new AsyncDisposableStack();
  const stores = await openStores(options, stack);
  const { feed, auth } = stores;
  const late: Late = { mqtt: undefined };

  // Restored state; nothing is said of it.
  const house = openHouse(options, stores, late, stack);
  const rules = stack.use(prepareRules(options, stores, house, late));
  const plugins = preparePlugins(options, feed, house, late);

  const { httpPort } = startApi(options, { ...stores, ...house, rules, plugins, late }, stack);

  // Broker, rules, plugins.
  const mqtt = stack.use(
    await startMqtt({
      config: config.mqtt,
      clock: edge.clock,
      log: log.child("mqtt"),
      random: edge.random,
      feed,
      devices: house.registry,
      plugins,
      logins: auth.logins,
    }),
  );
  late.mqtt = mqtt;
  await rules.start();
  // Before that is told: a rule that waits for it may command them.
  house.virtual.start();
  feed.emit({ type: "system_started", version });
  stack.use(plugins);
  plugins.startAll();

  const parts = stack.move();
  return { httpPort, mqttPort: mqtt.port, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** What is up later than those who will need it. */
interface Late {
  mqtt: Mqtt | undefined;
}

function mqttOf({ mqtt }: Late): Mqtt {
  if (!mqtt) throw new HubError("unavailable", "the hub is starting: MQTT is not up yet");
  return mqtt;
}

interface Stores {
  db: StateDb;
  feed: EventFeed;
  auth: Auth;
  budget: WriteBudget;
}

async function openStores(options: HubOptions, stack: AsyncDisposableStack): Promise<Stores> {
  const { config, home, log, edge } = options;
  const { clock, random } = edge;
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
  await auth.ensureAdministrator(options.onFirstAdministrator);
  const budget = stack.use(createWriteBudget({ clock, bytesPerDay: diskLimit(config), bytesWritten }));
  return { db, feed, auth, budget };
}

function diskLimit({ storage }: HubConfig): number | undefined {
  return storage.max_write_mb_per_day === 0 ? undefined : storage.max_write_mb_per_day * 1_000_000;
}

type House = ReturnType<typeof openHouse>;

function openHouse(options: HubOptions, { db, feed, budget }: Stores, late: Late, stack: AsyncDisposableStack) {
  const { config, home, edge } = options;
  const { clock, random } = edge;
  const log = options.log.child("state");
  const { emit } = feed;
  const behind = { db, clock, log, emit, flushSecs: config.storage.flush_secs, mayWrite: budget.allows };
  const registry = stack.use(openRegistry(behind));
  const history = stack.use(
    startHistory({
      path: home.historyDb,
      config: config.history,
      flushSecs: config.storage.flush_secs,
      clock,
      log: options.log.child("history"),
      random,
      feed,
      timezone: config.location.timezone,
      mayWrite: budget.allows,
      worker: historyWorker(),
      devices: () => [...registry.list()].map(({ id }) => id),
    }),
  );
  const virtual = stack.use(
    openVirtualDevices({ registry, clock, log, emit, location: config.location, modesFile: home.modesToml }),
  );
  const commands = createCommands({
    registry,
    clock,
    random,
    emit,
    dispatch: (id, payload) => mqttOf(late).command(id, payload),
    prepare: virtual.prepare,
  });
  stack.use(startBatteryWatch({ feed, registry, db, config: config.battery, clock, log, emit }));
  return {
    registry,
    history,
    virtual,
    commands,
    areas: openAreas({ db, registry, clock }),
    scenes: openScenes({ db, registry, commands, clock, random, log, emit }),
    variables: stack.use(openVariables(behind)),
  };
}

function prepareRules(options: HubOptions, { db, feed, budget }: Stores, house: House, late: Late): Rules {
  const { config, home, edge } = options;
  const { clock, random } = edge;
  const log = options.log.child("rules");
  const host = createRuleHost({
    ...house,
    clock,
    fetch: edge.fetch,
    feed,
    location: config.location,
    publish: (topic, payload, how) => mqttOf(late).publish(topic, payload, how),
    notifier: {
      hasChannel: (name) => ["log", "all"].includes(name),
      async notify({ channel, title, message }) {
        if (channel !== "log")
          throw new HubError("not_implemented", `this version sends to "log" only, not to "${channel}"`);
        log.info("notification", { title: title ?? "Hub Alert", message });
      },
    },
  });
  return openRules({
    folder: home.rules,
    feed,
    clock,
    log,
    random,
    host,
    db,
    flushMs: config.storage.flush_secs * 1000,
    mayWrite: budget.allows,
  });
}

function preparePlugins(options: HubOptions, feed: EventFeed, { registry }: House, late: Late): Plugins {
  const { config, home, edge, log, execPath } = options;
  return createPlugins({
    entries: config.plugins,
    home,
    execPath,
    env: edge.env,
    clock: edge.clock,
    log: log.child("plugins"),
    random: edge.random,
    emit: feed.emit,
    broker: () => mqttOf(late),
    accounts: {
      issue: (id) => mqttOf(late).accounts.issue(id),
      revoke: (id) => late.mqtt?.accounts.revoke(id),
    },
    devices: registry,
  });
}

/** The API answers from here on, before MQTT is up. */
function startApi(
  { config, home, edge, log, version }: HubOptions,
  parts: Stores & House & { rules: Rules; plugins: Plugins; late: Late },
  stack: AsyncDisposableStack,
): { httpPort: number } {
  const { auth, feed, registry, virtual, rules, plugins, history, late } = parts;
  const { clock } = edge;
  const http = log.child("http");
  const status = createStatus({
    version,
    clock,
    home,
    devices: () => registry.count(),
    rules: rules.count,
    plugins: () => plugins.list().length,
    eventsSeq: () => feed.ring.head,
    streamClients: () => stream.clients,
    mqttClients: () => late.mqtt?.connections() ?? 0,
    storageFailingSince: registry.storageFailingSince,
    disk: parts.budget,
    diskLimitBytesPerDay: diskLimit(config),
    history: history.health,
    problems: () => [
      ...virtual.problems().map((problem) => ({ part: "modes", message: formatProblem(problem) })),
      ...rules.problems().map((problem) => ({ part: "rules", message: formatProblem(problem) })),
    ],
  });
  const app = createApp({
    ...parts,
    config: config.server,
    version,
    clock,
    log: http,
    ring: feed.ring,
    stream: (): HubStream => stream,
    status,
  });
  const listener = stack.use(listen(app, config.server, home.resolve));
  const stream = stack.use(startHubStream({ feed, auth, clock, log: http, publish: listener.publish }));
  http.info("the API answers", {
    host: config.server.host,
    port: listener.port,
    tls: config.server.tls_cert !== undefined,
  });
  return { httpPort: listener.port };
}
