// The composition root: starts every part after those it needs, and stops them in reverse. `hub/wire-*.ts` wires one part each.
import { RESTART_THE_HUB } from "./core/errors.ts";
import { background } from "./core/lifecycle.ts";
import { lockHome } from "./home/lock.ts";
import { watchForDisk } from "./hub/disk-recovery.ts";
import type { HubOptions, Late } from "./hub/options.ts";
import { createPartStarter, type PartStarter } from "./hub/part-starter.ts";
import { wireAlerts } from "./hub/wire-alerts.ts";
import { wireApi } from "./hub/wire-api.ts";
import { wireBackup } from "./hub/wire-backup.ts";
import { wireCalendars } from "./hub/wire-calendars.ts";
import { wireDiscovery, wireProfiles } from "./hub/wire-discovery.ts";
import { wireHouse } from "./hub/wire-house.ts";
import { wireMqtt } from "./hub/wire-mqtt.ts";
import { offNotify, wireNotify } from "./hub/wire-notify.ts";
import { offPlugins, wirePlugins } from "./hub/wire-plugins.ts";
import { offRules, wireRules } from "./hub/wire-rules.ts";
import { finishFirstStart, type Stores, wireStores } from "./hub/wire-stores.ts";

export type { HubOptions } from "./hub/options.ts";

export interface Hub extends AsyncDisposable {
  readonly httpPort: number;
  readonly mqttPort: number;
}

/**
 * Starts the parts one after the other; if one fails, those already started are stopped again. In a safe start, each part that
 * is off is replaced by a stand-in. Throws HubError that says what to do.
 */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { home, edge, log } = options;
  const starter = createPartStarter(options.start);
  await using stack = new AsyncDisposableStack();
  const lock = stack.use(lockHome(home));
  const stores = await starter.begin("stores", () => wireStores(options, lock, stack));
  const late: Late = { mqtt: undefined, discovery: undefined, off: starter.off("mqtt"), ready: false };
  const house = starter.begin("house", () => wireHouse(options, stores, { late, starter, stack }));
  const notifications = starter.beginUnlessOff(
    "notify",
    () => wireNotify(options, stores, { house, stack }),
    offNotify,
  );
  for (const { table, key, problem } of stores.db.faults.list())
    log.error("something in the state database cannot be read", { table, key, problem });
  const calendars = stack.use(wireCalendars(options, house));
  const openRules = () => wireRules(options, stores, { house, notifications, calendars, late });
  const rules = stack.use(starter.beginUnlessOff("rules", openRules, offRules));
  const profiles = stack.use(wireProfiles(options));
  const discovery = wireDiscovery(options, stores, { house, late, profiles });
  const plugins = starter.beginUnlessOff("plugins", () => wirePlugins(options, stores, { house, late }), offPlugins);
  const archives = wireBackup(options, stores, { house, notifications, starter, stack });
  const wired = {
    ...stores,
    ...house,
    ...notifications,
    ...archives,
    calendars,
    rules,
    plugins,
    profiles,
    discovery,
    late,
    starter,
  };
  const alerts = stack.use(wireAlerts(options, wired));
  const restart = () => options.requestRestart({ apply: async () => {} });
  stack.use(watchForDisk({ clock: edge.clock, log, home, db: stores.db, restart }));
  const { httpPort } = starter.begin("api", () => wireApi(options, { ...wired, alerts }, stack));

  await profiles.start();
  if (late.off === undefined) {
    late.mqtt = stack.use(await starter.begin("mqtt", () => wireMqtt(options, stores, { house, plugins, discovery })));
    background(log, "discovery", discovery.start());
    stack.defer(() => discovery.stop());
  }
  await starter.begin("rules", () => rules.start());
  // Before `system_started`: a rule that waits for it may command the virtual devices.
  starter.begin("house", () => house.virtual.start());
  calendars.start();
  // Only now can nothing stop the start any more: a password that was printed is one that works.
  const print = (credentials: Parameters<HubOptions["onFirstAdministrator"]>[0]) =>
    options.onFirstAdministrator(credentials, httpPort);
  await starter.begin("stores", () => finishFirstStart(stores, print));
  reportStarted(options, stores, starter);
  stack.use(plugins);
  starter.begin("plugins", () => plugins.startAll());
  late.ready = true;
  background(log, "old states", archives.restores.trim());

  const running = stack.move();
  return { httpPort, mqttPort: late.mqtt?.port ?? 0, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function reportStarted({ log, version }: HubOptions, { feed }: Stores, { safe }: PartStarter): void {
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
