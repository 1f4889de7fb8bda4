// The composition root: starts every part after those it needs, and stops them in reverse. `hub/wire-*.ts` wires one part each.
import { timezoneOf } from "./config/location.ts";
import { RESTART_THE_HUB } from "./core/errors.ts";
import { localText } from "./core/formats.ts";
import { background } from "./core/lifecycle.ts";
import { giveWay } from "./core/take-turns.ts";
import { lockHome } from "./home/lock.ts";
import { disabledNotices, disabledNotify, disabledPlugins, disabledRules } from "./hub/disabled-parts.ts";
import { watchForDisk } from "./hub/disk-recovery.ts";
import { createLatencies } from "./hub/latencies.ts";
import { NamedStack } from "./hub/named-stack.ts";
import type { HubOptions, Late } from "./hub/options.ts";
import { retryParts } from "./hub/part-retries.ts";
import { createPartStarter, type PartStarter } from "./hub/part-starter.ts";
import { createStartTimes, type StartTimes } from "./hub/start-times.ts";
import { keptBy, type TwoMachinesView, tookOverEvent, viewTwoMachines } from "./hub/two-machines.ts";
import { wireAlerts } from "./hub/wire-alerts.ts";
import { wireApi } from "./hub/wire-api.ts";
import { wireBackup } from "./hub/wire-backup.ts";
import { wireCalendars } from "./hub/wire-calendars.ts";
import { wireDiscovery, wireProfiles } from "./hub/wire-discovery.ts";
import { wireExport } from "./hub/wire-export.ts";
import { wireHouse } from "./hub/wire-house.ts";
import { wireMqtt } from "./hub/wire-mqtt.ts";
import { commandsOfChats, wireNotices } from "./hub/wire-notices.ts";
import { wireNotify } from "./hub/wire-notify.ts";
import { wirePictures } from "./hub/wire-pictures.ts";
import { wirePlugins } from "./hub/wire-plugins.ts";
import { wireRenames } from "./hub/wire-renames.ts";
import { wireRules } from "./hub/wire-rules.ts";
import { wireStandby } from "./hub/wire-standby.ts";
import { finishFirstStart, type Stores, wireStores } from "./hub/wire-stores.ts";

export type { HubOptions } from "./hub/options.ts";

// Whoever waits for the port asks again and again, and is answered before the longer steps that follow.
const GIVE_WAY_MS = 2;

export interface Hub extends AsyncDisposable {
  readonly httpPort: number;
  readonly mqttPort: number;
  /** Gives back what its threads do not need now. */
  releaseMemory(): void;
  /** The part whose end is waited for while it stops. */
  readonly stopping: string;
}

/**
 * Starts the parts one after the other; if one fails, those already started are stopped again. In a safe start, each part that
 * is off is replaced by a disabled part. Throws HubError that says what to do.
 */
export async function createHub(given: HubOptions): Promise<Hub> {
  const times = createStartTimes(given.platform.clock.mono, given.tookBefore);
  await using stack = new NamedStack(times.last);
  const options = given.standing ? fenceOf().behindFence(given, given.standing, stack) : given;
  const { config, home, platform, log } = options;
  const houseTime = (at: number): string => localText(at, timezoneOf(config.location)).datetime;
  const starter = createPartStarter({ times, clock: platform.clock, houseTime, watch: options.start });
  const lock = stack.use(lockHome(home));
  const stores = await starter.begin("stores", () => wireStores(options, lock, stack));
  const late: Late = {
    mqtt: undefined,
    discovery: undefined,
    refuse: starter.refusal("mqtt"),
    api: undefined,
    ready: false,
    kept: undefined,
  };
  const latencies = createLatencies();
  const house = starter.begin("house", () => wireHouse(options, stores, { late, starter, latencies, stack }));
  const pictures = wirePictures(options, stores, { house, stack });
  const notifications = starter.beginUnlessOff(
    "notify",
    () => wireNotify(options, stores, { house, pictures, late, stack }),
    disabledNotify,
  );
  const openNotices = () => wireNotices(options, stores, { house, notifications, late, stack });
  const wiredNotices = starter.beginUnlessOff("notify", openNotices, disabledNotices);
  for (const { table, key, problem } of stores.db.faults.list())
    log.error("something in the state database cannot be read", { table, key, problem });
  const calendars = stack.use(wireCalendars(options, house));
  const exports = stack.use(wireExport(options, stores, house));
  const openRules = () =>
    wireRules(options, stores, {
      ...{ house, notifications, wiredNotices, calendars, late, latencies },
      onLoaded: () => attributeRenames.finish(),
    });
  const rules = stack.use(starter.beginUnlessOff("rules", openRules, disabledRules));
  const attributeRenames = wireRenames(options, stores, { house, rules });
  const profiles = stack.use(wireProfiles(options));
  const discovery = wireDiscovery(options, stores, { house, pictures, late, profiles });
  const plugins = starter.beginUnlessOff(
    "plugins",
    () => wirePlugins(options, stores, { house, late }),
    disabledPlugins,
  );
  const archives = wireBackup(options, stores, { house, notifications, starter, stack });
  const secondMachine = wireStandby(options, stores, {
    history: house.history,
    exports,
    outbox: notifications.outbox,
    stack,
  });
  late.kept = keptBy(options, { ...house, secondMachine });
  const twoMachines = viewTwoMachines(options, secondMachine);
  const wired = {
    ...stores,
    ...house,
    ...notifications,
    ...wiredNotices,
    ...archives,
    pictures,
    calendars,
    exports,
    rules,
    attributeRenames,
    plugins,
    secondMachine,
    profiles,
    discovery,
    late,
    starter,
    times,
    latencies,
    twoMachines,
  };
  const alerts = stack.use(wireAlerts(options, wired));
  wiredNotices.listen(commandsOfChats(options, { ...wired, alerts, kept: late.kept }));
  const restart = () => options.requestRestart({ apply: async () => {} });
  stack.use(watchForDisk({ clock: platform.clock, log, home, db: stores.db, restart }));
  if (options.start) stack.use(retryParts({ clock: platform.clock, log, watch: options.start, restart }));
  const { httpPort } = starter.begin("api", () => wireApi(options, { ...wired, alerts }, stack));
  options.onListening?.();
  await giveWay(GIVE_WAY_MS);
  times.enter("profiles");
  await profiles.start();
  if (!late.refuse) {
    late.mqtt = stack.use(
      await starter.begin("mqtt", () => wireMqtt(options, stores, { house, plugins, discovery, notifications })),
    );
    background(log, "discovery", discovery.start());
    // Towards an external broker that is gone they would wait.
    const isConnected = () => (late.mqtt?.external?.state.kind ?? "connected") === "connected";
    stack.defer(() => discovery.stop({ isConnected: isConnected() }));
  }
  // Nothing but the rules can take long now, and a start that fails from here on leaves a password that works.
  const print = (credentials: Parameters<HubOptions["onFirstAdministrator"]>[0]) =>
    options.onFirstAdministrator(credentials, httpPort);
  await starter.begin("stores", () => finishFirstStart(stores, print));
  await starter.begin("rules", () => rules.start());
  wiredNotices.notices.start();
  // Before `system_started`: a rule that waits for it may command the virtual devices.
  starter.begin("house", () => house.virtual.start());
  calendars.start();
  reportStarted(options, stores, { starter, twoMachines });
  starter.begin("plugins", () => stack.use(plugins).startAll());
  late.ready = true;
  reportTimes(options, times);
  background(log, "old states", archives.restores.trim());

  const running = stack.move();
  return {
    httpPort,
    mqttPort: late.mqtt?.port ?? 0,
    releaseMemory: house.history.release,
    get stopping() {
      return stack.stopping;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Not even loaded in a house with one machine. */
function fenceOf(): typeof import("./hub/house-fence.ts") {
  return require("./hub/house-fence.ts");
}

function reportTimes({ log }: HubOptions, times: StartTimes): void {
  times.end();
  const rounded = [...times.ms].map(([step, ms]): [string, number] => [step, Math.round(ms * 10) / 10]);
  log.debug("milliseconds of the start, by step", Object.fromEntries(rounded));
}

function reportStarted(
  { log, version }: HubOptions,
  { feed }: Stores,
  { starter: { safe, offParts }, twoMachines }: { starter: PartStarter; twoMachines: TwoMachinesView },
): void {
  feed.emit({ type: "system_started", version });
  const tookOver = tookOverEvent(twoMachines());
  if (tookOver) feed.emit(tookOver);
  if (!safe) return;
  const { failedPart: failed_part, error } = safe;
  const off = offParts.map(({ part }) => part);
  log.error(`this is a safe start: what failed is off, and is tried again later; mend it, then ${RESTART_THE_HUB}`, {
    failed_part,
    error,
    off,
  });
  feed.emit({ type: "system_safe_start", failed_part, error, off });
}
