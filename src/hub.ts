// The composition root: builds every part in the order of what needs what, and stops them in reverse. Nothing else wires.
import { createMeta } from "./db/meta.ts";
import { openAlerts } from "./hub/alerts.ts";
import { startApi } from "./hub/api.ts";
import { openArchives } from "./hub/archives.ts";
import { watchForDisk } from "./hub/disk-recovery.ts";
import { type House, openHouse } from "./hub/house.ts";
import { type Messages, notifyForRules, openMessages } from "./hub/messages.ts";
import { type HubOptions, type Late, mqttOf } from "./hub/options.ts";
import { createRuleHost } from "./hub/rule-host.ts";
import { openStores, type Stores } from "./hub/stores.ts";
import { startMqtt } from "./mqtt/start.ts";
import { createKnownPlugins } from "./plugins/known.ts";
import { createPlugins, type Plugins } from "./plugins/supervisor.ts";
import { openRules, type Rules } from "./rules/rules.ts";

export type { HubOptions } from "./hub/options.ts";

export interface Hub extends AsyncDisposable {
  readonly httpPort: number;
  readonly mqttPort: number;
}

/** Starts in levels; when one fails, those before it are closed again. Throws HubError with the mend. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { config, edge, log, version } = options;
  await using stack = new AsyncDisposableStack();
  const late: Late = { mqtt: undefined, ready: false };
  const stores = await openStores(options, stack);
  const { feed } = stores;
  const house = openHouse(options, stores, late, stack);
  const messages = openMessages(options, stores, { house, stack });
  const rules = stack.use(prepareRules(options, { ...stores, house, messages, late }));
  const plugins = preparePlugins(options, stores, house, late);
  const archives = openArchives(options, stores, { house, messages, stack });
  stack.use(
    watchForDisk({
      ...{ clock: edge.clock, log, home: options.home, db: stores.db, registry: house.registry },
      startAnew: () => options.requestRestart({ apply: async () => {} }),
    }),
  );
  const alerts = stack.use(openAlerts(options, { ...stores, ...house, ...messages, ...archives, plugins }));
  const parts = { ...stores, ...house, ...messages, ...archives, rules, plugins, late, alerts };
  const { httpPort } = startApi(options, parts, stack);

  const mqtt = stack.use(
    await startMqtt({
      config: config.mqtt,
      clock: edge.clock,
      log: log.child("mqtt"),
      random: edge.random,
      feed,
      devices: house.registry,
      plugins,
      logins: stores.auth.logins,
      limits: stores.limits,
    }),
  );
  late.mqtt = mqtt;
  await rules.start();
  // Before that is told: a rule that waits for it may command them.
  house.virtual.start();
  feed.emit({ type: "system_started", version });
  stack.use(plugins);
  plugins.startAll();
  late.ready = true;

  const begun = stack.move();
  return { httpPort, mqttPort: mqtt.port, [Symbol.asyncDispose]: () => begun.disposeAsync() };
}

function prepareRules(
  { config, home, edge, log }: HubOptions,
  { db, feed, budget, house, messages, late }: Stores & { house: House; messages: Messages; late: Late },
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
  });
}

function preparePlugins(options: HubOptions, { feed, db }: Stores, { registry }: House, late: Late): Plugins {
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
    known: createKnownPlugins(createMeta(db.durable), log),
  });
}
