// The composition root: builds every part in the order of what needs what, and stops them in reverse. Nothing else wires.
import { RESTART_THE_HUB } from "./core/errors.ts";
import { background } from "./core/lifecycle.ts";
import { createMeta } from "./db/meta.ts";
import { lockHome } from "./home/lock.ts";
import { alertMemory, openAlerts } from "./hub/alerts.ts";
import { startApi } from "./hub/api.ts";
import { openArchives } from "./hub/archives.ts";
import { auditMqttRefusals } from "./hub/audit.ts";
import { watchForDisk } from "./hub/disk-recovery.ts";
import { type House, openHouse } from "./hub/house.ts";
import { type Messages, notifyForRules, offMessages, openMessages } from "./hub/messages.ts";
import { type HubOptions, type Late, mqttOf } from "./hub/options.ts";
import { createParts, type Parts, standInFor } from "./hub/parts.ts";
import { unusablePlugins } from "./hub/problems.ts";
import { createRuleHost } from "./hub/rule-host.ts";
import { finishFirstStart, openStores, type Stores } from "./hub/stores.ts";
import { startMqtt } from "./mqtt/start.ts";
import { probeLandlock } from "./plugins/confine/landlock.ts";
import { createKnownPlugins } from "./plugins/known.ts";
import { createPlugins, type Plugins } from "./plugins/supervisor.ts";
import { openRules, type Rules } from "./rules/rules.ts";
import { createVariableStore } from "./state/variables-store.ts";

export type { HubOptions } from "./hub/options.ts";

export interface Hub extends AsyncDisposable {
  readonly httpPort: number;
  readonly mqttPort: number;
}

/**
 * Starts in levels; when one fails, those before it are closed again. In a safe start, what is off has a stand-in. Throws
 * HubError with the mend.
 */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { config, home, edge, log } = options;
  const parts = createParts(options.start);
  await using stack = new AsyncDisposableStack();
  const lock = stack.use(lockHome(home));
  const stores = parts.begin("stores", () => openStores(options, lock, stack));
  const late: Late = { mqtt: undefined, off: parts.off("mqtt"), ready: false };
  const house = parts.begin("house", () => openHouse(options, stores, { late, parts, stack }));
  const openRest = { house, parts, stack };
  const messages = parts.beginUnlessOff("notify", () => openMessages(options, stores, openRest), offMessages);
  for (const { table, key, problem } of stores.db.faults.list())
    log.error("something in the state database cannot be read", { table, key, problem });
  const prepare = () => prepareRules(options, { ...stores, house, messages, late });
  const rules = stack.use(parts.beginUnlessOff("rules", prepare, offRules));
  const plugins = parts.beginUnlessOff("plugins", () => preparePlugins(options, stores, house, late), offPlugins);
  const archives = openArchives(options, stores, { ...openRest, messages });
  const alerts = stack.use(openAlerts(options, { ...stores, ...messages, ...archives, plugins, parts }));
  stack.use(
    watchForDisk({
      ...{ clock: edge.clock, log, home, db: stores.db, registry: house.registry },
      keep(file) {
        createVariableStore(file).saveBehind(house.variables.list());
        if (parts.off("notify") === undefined) messages.outbox.saveInto(file);
        alertMemory(file).save(alerts.remembered());
      },
      startAnew: () => options.requestRestart({ apply: async () => {} }),
    }),
  );
  const all = { ...stores, ...house, ...messages, ...archives, rules, plugins, late, alerts, parts };
  const { httpPort } = parts.begin("api", () => startApi(options, all, stack));

  if (late.off === undefined) {
    const shared = { ...stores, logins: stores.auth.logins, clock: edge.clock, random: edge.random };
    const refusedLogin = auditMqttRefusals(config, stores.audit);
    const log = options.log.child("mqtt");
    const begin = () =>
      startMqtt({ ...shared, config: config.mqtt, log, devices: house.registry, plugins, refusedLogin });
    late.mqtt = stack.use(await parts.begin("mqtt", begin));
  }
  await parts.begin("rules", () => rules.start());
  // Before that is told: a rule that waits for it may command them.
  parts.begin("house", () => house.virtual.start());
  await parts.begin("stores", () =>
    finishFirstStart(stores, (credentials) => options.onFirstAdministrator(credentials, httpPort)),
  );
  reportStarted(options, stores, parts);
  stack.use(plugins);
  parts.begin("plugins", () => plugins.startAll());
  late.ready = true;
  background(log, "old states", archives.restores.trim());

  const begun = stack.move();
  return { httpPort, mqttPort: late.mqtt?.port ?? 0, [Symbol.asyncDispose]: () => begun.disposeAsync() };
}

function reportStarted({ log, version }: HubOptions, { feed }: Stores, { safe }: Parts): void {
  feed.emit({ type: "system_started", version });
  if (!safe) return;
  const { failedPart: failed_part, error, off } = safe;
  log.error(`this is a safe start: what failed is off; mend it, then ${RESTART_THE_HUB}`, {
    failed_part,
    error,
    off,
  });
  feed.emit({ type: "system_safe_start", failed_part, error, off: [...off] });
}

function prepareRules(
  { config, home, edge, log }: HubOptions,
  { db, feed, budget, limits, house, messages, late }: Stores & { house: House; messages: Messages; late: Late },
): Rules {
  const { clock, random } = edge;
  const host = createRuleHost({
    ...house,
    clock,
    fetch: edge.fetch,
    feed,
    location: config.location,
    publish: (topic, payload, how) => mqttOf(late).publish(topic, payload, how),
    notifier: notifyForRules(messages, clock),
  });
  return openRules({
    folder: home.rules,
    feed,
    clock,
    log: log.child("rules"),
    random,
    host,
    db,
    flushMs: config.storage.flush_secs * 1000,
    budget,
    config: config.rules,
    limits,
  });
}

function preparePlugins(options: HubOptions, { feed, db, limits }: Stores, { registry }: House, late: Late): Plugins {
  const { config, home, edge, log, execPath } = options;
  return createPlugins({
    entries: config.plugins,
    unusable: unusablePlugins(config),
    home,
    execPath,
    env: edge.env,
    clock: edge.clock,
    log: log.child("plugins"),
    random: edge.random,
    emit: feed.emit,
    broker: () => mqttOf(late),
    accounts: {
      issue: (id, grant) => mqttOf(late).accounts.issue(id, grant),
      revoke: (id) => late.mqtt?.accounts.revoke(id),
    },
    devices: registry,
    known: createKnownPlugins(createMeta(db.durable), log),
    limits,
    landlock: probeLandlock,
    secrets: [config.server.tls_key, config.backup.directory].flatMap((path) => (path ? [home.resolve(path)] : [])),
  });
}

function offRules(reason: string): Rules {
  return standInFor<Rules>(reason, { async start() {}, count: () => 0, problems: () => [] });
}

function offPlugins(reason: string): Plugins {
  const unheard = (): void => {};
  const hear = { heartbeat: unheard, status: unheard, registered: unheard, capabilities: unheard, response: unheard };
  return standInFor<Plugins>(reason, { startAll() {}, ...hear, problems: () => [], unconfined: () => 0 });
}
