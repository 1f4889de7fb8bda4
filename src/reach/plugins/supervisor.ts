// All plugins of the hub: those it runs, those that only connect, and those whose entry is wrong.
import { totalmem } from "node:os";
import type { StorageTrouble } from "../../kit/files/storage-fault.ts";
import type { Fence } from "../../kit/lifecycle/fence.ts";
import { background } from "../../kit/lifecycle/lifecycle.ts";
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { Platform } from "../../kit/lifecycle/platform.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import type { JsonObject } from "../../kit/schema/json.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { HubEvent } from "../../server/events/catalog.ts";
import type { Home } from "../../server/home/paths.ts";
import type { PluginEntry } from "./config.ts";
import { createConfinement } from "./confine/confinement.ts";
import type { Landlock } from "./confine/landlock.ts";
import type { Namespaces } from "./confine/namespaces.ts";
import { createSignalGuard } from "./confine/signals/guard.ts";
import type { PluginAccounts, PluginKeys } from "./credentials.ts";
import type { PluginBroker } from "./environment.ts";
import { createExternalPlugin, type ExternalPlugin, type KnownPlugins } from "./external-plugin.ts";
import { ManagedPlugin } from "./managed-plugin.ts";
import type { PluginDevices, Presence } from "./presence.ts";
import { createOutput } from "./process/output.ts";
import { createReaper } from "./process/reaper.ts";
import { listProcesses } from "./process/usage.ts";
import type { Heartbeat, PluginRecord, ReportedStatus } from "./records.ts";
import { createRemote, type ManageChannel, type PluginRemote } from "./requests/remote.ts";
import { createUnusablePlugin, type UnusableEntry, type UnusablePlugin } from "./unusable-plugin.ts";

const MEASURE_MS = 10_000;
// Where anonymous clients are allowed, anybody can invent plugin ids.
const MAX_EXTERNAL = 500;

export interface Plugins extends PluginRemote, AsyncDisposable {
  list(): PluginRecord[];
  get(id: string): PluginRecord;
  start(id: string): Promise<PluginRecord>;
  /** Until the hub restarts: then `enabled` decides again. */
  stop(id: string): Promise<PluginRecord>;
  restart(id: string): Promise<PluginRecord>;
  /** Runs one more plugin: starts it if it is enabled. Throws HubError `conflict` where there is one of that id. */
  add(entry: PluginEntry): void;
  /** Stops it for good; its devices stay. */
  remove(id: string): Promise<void>;
  /** The last lines it printed, oldest first; empty for a plugin that the hub does not run. */
  log(id: string, lines: number): string[];
  /** Starts the enabled plugins, and the timeout of those that only connect. */
  startAll(): void;
  /** No longer cut off: starts those that wait for it. */
  brokerConnected(): void;
  /** Whether any was started since the hub runs: what one leaves behind may outlive it. */
  haveRun(): boolean;
  /** How many of the plugins that the hub runs are not confined. */
  unconfined(): number;
  /** What a person has to correct before a plugin can run. */
  problems(): string[];
  heartbeat(pluginId: string, heartbeat: Heartbeat): void;
  status(pluginId: string, status: ReportedStatus, byWill?: boolean): void;
  registered(pluginId: string, deviceId: string): void;
  /** It sent any message. */
  markSeen(pluginId: string): void;
  /** One of its devices reported, over another account. */
  markDeviceSeen(pluginId: string): void;
  /** The next three return why the message is ignored. */
  capabilities(pluginId: string, capabilities: JsonObject): string | undefined;
  response(pluginId: string, response: JsonObject): string | undefined;
  report(pluginId: string, requestId: string, report: JsonObject): string | undefined;
}

export interface PluginsOptions {
  entries: readonly PluginEntry[];
  /** The wrong entries of hub.toml. */
  unusable?: readonly UnusableEntry[];
  home: Home;
  /** The hub's own executable, which runs `.js` and `.ts` plugins. */
  execPath: string;
  env: Platform["env"];
  clock: Clock;
  log: Log;
  random: RandomBytes;
  emit: (event: HubEvent) => void;
  broker: () => PluginBroker;
  /** Whether no plugin can be seen now, as the broker is gone: none is started then. */
  cutOff?: () => boolean;
  accounts: PluginAccounts;
  keys: PluginKeys;
  channel: ManageChannel;
  devices: PluginDevices;
  known: KnownPlugins;
  limits: Limits;
  /** Where a log that the disk refuses is reported. */
  trouble?: Pick<StorageTrouble, "note">;
  /** Asks the kernel for its support of confinement. */
  landlock: () => Landlock;
  namespaces: () => Namespaces;
  /** Whether its kernel filters system calls; it is asked when absent. */
  filtersCalls?: (() => boolean) | undefined;
  /** Files and folders outside the home that contain secrets of the hub. */
  secrets: readonly string[];
  /** Once it is closed, no plugin is started. */
  fence?: Fence | undefined;
}

export function createPlugins(options: PluginsOptions): Plugins {
  const { home, clock, log, known } = options;
  const entries = [...options.entries];
  const { remote, reports } = createRemote({ ...options, assertKnown: find, assertThere });
  const devices = {
    count: (id: string) => options.devices.count(id),
    markSeen: (id: string) => options.devices.markSeen(id),
    unavailable(id: string) {
      options.devices.unavailable(id);
      reports.gone(id);
    },
  };
  const shared = { ...options, devices };
  const reaper = createReaper(log, options.random);
  const guard = createSignalGuard(options.execPath);
  const confinement = createConfinement({ ...options, guard, isRoot: process.getuid?.() === 0 });
  const totalMemory = totalmem();
  let haveRun = false;
  const onStart = (): void => {
    haveRun = true;
  };
  const manage = (entry: PluginEntry): ManagedPlugin => {
    const output = createOutput({ path: home.plugin(entry.id).log, clock, log, trouble: options.trouble });
    return new ManagedPlugin({ ...shared, entry, reaper, output, confinement, totalMemory, onStart });
  };
  const managed = new Map(entries.map((entry): [string, ManagedPlugin] => [entry.id, manage(entry)]));
  const measuring = clock.every("plugin usage", MEASURE_MS, () => {
    const running = [...managed.values()].filter((plugin) => plugin.record().pid !== null);
    if (running.length === 0) return;
    const processes = listProcesses();
    for (const plugin of running) plugin.measure(processes);
  });
  // Those of earlier runs that still have devices.
  const away = known.load().filter((id) => !managed.has(id) && devices.count(id) > 0);
  // When two entries have the same id, the one that works gets it.
  const unusable = new Map(
    (options.unusable ?? [])
      .filter(({ id }) => !managed.has(id))
      .map((entry): [string, UnusablePlugin] => [entry.id, createUnusablePlugin(entry, devices)]),
  );
  const external = new Map(
    away.map((id): [string, ExternalPlugin] => [id, createExternalPlugin({ ...shared, id, initially: "starting" })]),
  );

  const verdictOf = confinement.verdict;

  function find(id: string): ManagedPlugin | ExternalPlugin | UnusablePlugin {
    const found = managed.get(id) ?? external.get(id) ?? unusable.get(id);
    if (!found) throw new HubError("not_found", `there is no plugin "${id}"`);
    return found;
  }

  function assertThere(id: string): void {
    const found = find(id);
    if ("refusal" in found) throw found.refusal();
    const { status, managed } = found.record();
    if (status === "active") return;
    const mend = managed && status === "stopped" ? `: start it first (POST /plugins/${id}/start)` : "";
    throw new HubError("conflict", `plugin "${id}" cannot be asked, as it is ${status}${mend}`);
  }

  function findManaged(id: string): ManagedPlugin {
    const found = find(id);
    if ("start" in found) return found;
    if ("refusal" in found) throw found.refusal();
    throw new HubError("conflict", `plugin "${id}" is not run by the hub: start and stop it where it runs`);
  }

  function presenceOf(id: string): Presence | undefined {
    const own = managed.get(id);
    if (own) return own.presence();
    const other = external.get(id);
    if (other || external.size >= MAX_EXTERNAL) return other?.presence;
    const created = createExternalPlugin({ ...shared, id, initially: "stopped" });
    external.set(id, created);
    known.save([...external.keys()]);
    return created.presence;
  }

  return {
    list() {
      const wrong = [...unusable].filter(([id]) => !external.has(id)).map(([, plugin]) => plugin);
      return [...managed.values(), ...wrong, ...external.values()].map((plugin) => plugin.record());
    },
    get: (id) => find(id).record(),
    // `async`, so that an error of `findManaged` rejects instead of being thrown.
    start: async (id) => findManaged(id).start(),
    stop: async (id) => findManaged(id).stop(),
    restart: async (id) => findManaged(id).restart(),
    add(entry) {
      const { id, enabled } = entry;
      if (managed.has(id) || external.has(id) || unusable.has(id))
        throw new HubError("conflict", `there is a plugin "${id}" already`);
      const plugin = manage(entry);
      entries.push(entry);
      managed.set(id, plugin);
      if (enabled) background(log, "start of a plugin", plugin.start());
    },
    async remove(id) {
      // Nothing runs of an entry that is wrong.
      if (unusable.delete(id)) return;
      const plugin = findManaged(id);
      await plugin.stop();
      managed.delete(id);
      entries.splice(
        entries.findIndex((entry) => entry.id === id),
        1,
      );
      await plugin[Symbol.asyncDispose]();
    },
    log(id, lines) {
      const found = find(id);
      return "log" in found ? found.log(lines) : [];
    },
    haveRun: () => haveRun,
    unconfined: () => entries.filter((entry) => !verdictOf(entry).confined).length,
    problems: () => [
      ...(entries.some((entry) => entry.enabled && verdictOf(entry).confined) ? confinement.problems() : []),
      ...[...managed].flatMap(([id, plugin]) => {
        const problem = plugin.problem();
        return problem === undefined ? [] : [`plugin "${id}" ${problem}`];
      }),
    ],
    startAll() {
      const free = entries.find((entry) => entry.enabled && entry.confine === "auto" && !verdictOf(entry).confined);
      if (free) log.warn("plugins are not confined and can read what the hub can", { reason: verdictOf(free).detail });
      for (const { presence } of external.values()) if (presence.status === "starting") presence.expect();
      for (const { id, enabled } of entries) if (enabled) background(log, "start of a plugin", findManaged(id).start());
    },
    brokerConnected() {
      for (const plugin of managed.values()) plugin.brokerConnected();
    },
    heartbeat: (id, heartbeat) => presenceOf(id)?.heartbeat(heartbeat),
    status(id, status, byWill) {
      // The broker retains this message of plugins that no longer exist: they are not listed.
      if (status === "offline" && !managed.has(id) && !external.has(id)) return;
      presenceOf(id)?.reported(status, byWill);
    },
    registered: (id, deviceId) => presenceOf(id)?.registered(deviceId),
    markSeen: (id) => presenceOf(id)?.alive(),
    markDeviceSeen(id) {
      if (managed.has(id) || external.has(id)) presenceOf(id)?.alive();
    },
    capabilities: reports.capabilities,
    response: reports.response,
    report: reports.report,
    ...remote,
    async [Symbol.asyncDispose]() {
      measuring[Symbol.dispose]();
      for (const [id, plugin] of external) {
        plugin[Symbol.dispose]();
        reports.gone(id);
      }
      await Promise.all([...managed.values()].map((plugin) => plugin[Symbol.asyncDispose]()));
      await reaper[Symbol.asyncDispose]();
      guard[Symbol.dispose]();
      reports[Symbol.dispose]();
    },
  };
}
