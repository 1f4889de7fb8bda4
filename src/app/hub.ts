// The composition root: starts every part after those it needs, and stops them in reverse. `hub/wire-*.ts` wires one part each.
import { background } from "../kit/lifecycle/lifecycle.ts";
import type { Log } from "../kit/lifecycle/log.ts";
import { giveWay } from "../kit/lifecycle/take-turns.ts";
import { RESTART_THE_HUB } from "../kit/schema/errors.ts";
import { localText } from "../kit/text/formats.ts";
import type { Clock } from "../kit/time/clock.ts";
import { lockHome } from "../server/home/lock.ts";
import type { StartWatch } from "../server/system/starts.ts";
import { timezoneOf } from "./config/location.ts";
import { createLatencies } from "./hub/latencies.ts";
import type { HubOptions } from "./hub/options.ts";
import { watchForDisk } from "./hub/start/disk-recovery.ts";
import { NamedStack } from "./hub/start/named-stack.ts";
import { createPartStarter, type PartStarter } from "./hub/start/part-starter.ts";
import { partOf } from "./hub/start/port.ts";
import { createPorts } from "./hub/start/ports.ts";
import { createStartTimes, type StartTimes } from "./hub/start/start-times.ts";
import { keptBy, tookOverEvent, viewTwoMachines } from "./hub/two-machines.ts";
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

const LOOK_MS = 5000;

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
 * is off is left out, and its port refuses. Throws HubError that says what to do.
 */
export async function createHub(given: HubOptions): Promise<Hub> {
  const times = createStartTimes(given.platform.clock.mono, given.tookBefore);
  await using stack = new NamedStack(times.last);
  const options = given.standing ? fenceOf().behindFence(given, given.standing, stack) : given;
  const { config, home, log } = options;
  const { clock } = options.platform;
  const houseTime = (at: number): string => localText(at, timezoneOf(config.location)).datetime;
  const starter = createPartStarter({ times, clock, houseTime, watch: options.start });
  const lock = stack.use(lockHome(home));
  const stores = await starter.begin("stores", () => wireStores(options, lock, stack));
  const parts = compose(options, stores, { times, starter, stack });
  const { httpPort } = starter.begin("api", () => wireApi(options, parts, stack));
  options.onListening?.();
  await giveWay(GIVE_WAY_MS);
  await startParts(options, stores, { ...parts, httpPort, stack });
  reportTimes(options, times);
  background(log, "old states", parts.restores.trim());

  const running = stack.move();
  return {
    httpPort,
    mqttPort: parts.mqtt.now?.port ?? 0,
    releaseMemory: parts.history.release,
    get stopping() {
      return stack.stopping;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Parts = ReturnType<typeof compose>;

/** Makes the parts one after the other, each with the ports of those that come later. */
function compose(
  options: HubOptions,
  stores: Stores,
  { times, starter, stack }: { times: StartTimes; starter: PartStarter; stack: AsyncDisposableStack },
) {
  const { home, platform, log } = options;
  const ports = createPorts(starter);
  const { mqtt, notify, kept, chatCommands } = ports;
  const latencies = createLatencies();
  const house = starter.begin("house", () => wireHouse(options, stores, { ...ports, starter, latencies, stack }));
  const pictures = wirePictures(options, stores, { house, stack });
  starter.beginUnlessOff("notify", () => {
    const notifications = wireNotify(options, stores, { ...ports, house, pictures, stack });
    notify.attach(notifications);
    ports.notices.attach(wireNotices(options, stores, { house, notifications, chatCommands, kept, stack }));
  });
  for (const { table, key, problem } of stores.db.faults.list())
    log.error("something in the state database cannot be read", { table, key, problem });
  const calendars = stack.use(wireCalendars(options, house));
  const exports = stack.use(wireExport(options, stores, house));
  const attributeRenames = wireRenames(options, stores, { house, rules: ports.rules });
  starter.beginUnlessOff("rules", () => {
    const onLoaded = () => attributeRenames.finish();
    ports.rules.attach(stack.use(wireRules(options, stores, { ...ports, house, calendars, latencies, onLoaded })));
  });
  const profiles = stack.use(wireProfiles(options));
  const discovery = wireDiscovery(options, stores, { house, pictures, mqtt, profiles });
  ports.discovery.attach(discovery);
  starter.beginUnlessOff("plugins", () => ports.plugins.attach(wirePlugins(options, stores, { ...ports, house })));
  const archives = wireBackup(options, stores, { house, notify, port: ports.backups, starter, stack });
  const secondMachine = wireStandby(options, stores, { history: house.history, exports, notify, stack });
  const confirming = keptBy(options, { ...house, secondMachine });
  if (confirming) kept.attach(confirming);
  const twoMachines = viewTwoMachines(options, secondMachine);
  const wired = {
    ...stores,
    ...house,
    ...archives,
    ...ports,
    pictures,
    calendars,
    exports,
    attributeRenames,
    secondMachine,
    profiles,
    starter,
    times,
    latencies,
    twoMachines,
  };
  const alerts = stack.use(wireAlerts(options, wired));
  chatCommands.attach(commandsOfChats(options, { ...wired, alerts, rules: partOf(ports.rules), kept: kept.now }));
  const { clock } = platform;
  const restart = () => options.requestRestart({ apply: async () => {} });
  stack.use(watchForDisk({ clock, log, home, db: stores.db, restart }));
  if (options.start) stack.use(retryParts({ clock, log, watch: options.start, restart }));
  return { ...wired, alerts };
}

/** After the API, which shows how far they are. */
async function startParts(
  options: HubOptions,
  stores: Stores,
  parts: Parts & { httpPort: number; stack: AsyncDisposableStack },
): Promise<void> {
  const { log } = options;
  const { starter, mqtt, rules, plugins, notices, httpPort, stack } = parts;
  parts.times.enter("profiles");
  await parts.profiles.start();
  if (!starter.isOff("mqtt")) {
    const discovery = parts.discovery.get();
    mqtt.attach(stack.use(await starter.begin("mqtt", () => wireMqtt(options, stores, { ...parts, discovery }))));
    background(log, "discovery", discovery.start());
    // Towards an external broker that is gone they would wait.
    const isConnected = () => (mqtt.now?.external?.state.kind ?? "connected") === "connected";
    stack.defer(() => discovery.stop({ isConnected: isConnected() }));
  }
  // Nothing but the rules can take long now, and a start that fails from here on leaves a password that works.
  const print = (credentials: Parameters<HubOptions["onFirstAdministrator"]>[0]) =>
    options.onFirstAdministrator(credentials, httpPort);
  await starter.begin("stores", () => finishFirstStart(stores, print));
  await starter.begin("rules", () => rules.now?.start());
  notices.now?.notices.start();
  // Before `system_started`: a rule that waits for it may command the virtual devices.
  starter.begin("house", () => parts.virtual.start());
  parts.calendars.start();
  reportStarted(options, stores, parts);
  starter.begin("plugins", () => plugins.now && stack.use(plugins.now).startAll());
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
  { starter: { safe, offParts }, twoMachines }: Pick<Parts, "starter" | "twoMachines">,
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

interface PartRetriesOptions {
  clock: Clock;
  log: Log;
  watch: Pick<StartWatch, "due" | "tryAgain">;
  restart: () => void;
}

/**
 * Tries parts that are off again, one at a time, when their time has come: the hub starts again in the same process, with that part.
 * A part cannot join a hub that runs, as the others were handed what stands in its place.
 */
function retryParts({ clock, log, watch, restart }: PartRetriesOptions): Disposable {
  return clock.every("parts that are off", LOOK_MS, () => {
    const part = watch.due();
    if (part === undefined) return;
    log.info("a part that is off is tried again: the hub starts again with it", { part });
    watch.tryAgain(part);
    restart();
  });
}
