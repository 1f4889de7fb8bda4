// All plugins of the hub: the ones it runs and the ones that only connect.
import { totalmem } from "node:os";
import type { Clock } from "../core/clock.ts";
import type { Edge } from "../core/edge.ts";
import { HubError } from "../core/errors.ts";
import type { RandomBytes } from "../core/ids.ts";
import { background } from "../core/lifecycle.ts";
import type { Limits } from "../core/limits.ts";
import type { Log } from "../core/log.ts";
import type { StorageTrouble } from "../core/storage-fault.ts";
import type { HubEvent } from "../events/catalog.ts";
import type { Home } from "../home/paths.ts";
import type { PluginEntry } from "./config.ts";
import { createConfinement } from "./confine/confinement.ts";
import type { Landlock } from "./confine/landlock.ts";
import { stageSource } from "./confine/stage-source.ts";
import { createForeign, type Foreign } from "./foreign.ts";
import { createGuard } from "./guard.ts";
import type { KnownPlugins } from "./known.ts";
import { createManaged, type Managed, type PluginAccounts } from "./managed.ts";
import { createOutput } from "./output.ts";
import type { Presence } from "./presence.ts";
import type { Heartbeat, PluginRecord, ReportedStatus } from "./records.ts";
import { createUnusable, type Unusable, type UnusableEntry } from "./unusable.ts";
import { listProcesses } from "./usage.ts";

const MEASURE_MS = 10_000;
// Where anonymous clients are allowed, anybody can name plugins.
const MOST_FOREIGN = 500;

export interface Plugins extends AsyncDisposable {
  list(): PluginRecord[];
  get(id: string): PluginRecord;
  start(id: string): Promise<PluginRecord>;
  /** Lasts until the hub starts again; `enabled` decides then. */
  stop(id: string): Promise<PluginRecord>;
  restart(id: string): Promise<PluginRecord>;
  /** The last lines it printed, oldest first; none from a plugin the hub does not run. */
  log(id: string, lines: number): string[];
  /** Starts the enabled ones, and begins to wait for those that only connect. */
  startAll(): void;
  /** How many of those the hub runs are not confined. */
  unconfined(): number;
  /** What a person has to mend before a plugin can run. */
  problems(): string[];
  heartbeat(pluginId: string, heartbeat: Heartbeat): void;
  status(pluginId: string, status: ReportedStatus): void;
  registered(pluginId: string, deviceId: string): void;
  capabilities(pluginId: string, capabilities: object): void;
  response(pluginId: string, response: object): void;
}

export interface PluginsOptions {
  entries: readonly PluginEntry[];
  /** Those of hub.toml that are wrong. */
  unusable?: readonly UnusableEntry[];
  home: Home;
  /** Runs `.js` and `.ts` plugins: the hub's own executable. */
  execPath: string;
  env: Edge["env"];
  clock: Clock;
  log: Log;
  random: RandomBytes;
  emit: (event: HubEvent) => void;
  broker: () => { host: string; port: number; prefix: string };
  accounts: PluginAccounts;
  devices: { count(pluginId: string): number; unavailable(pluginId: string): void };
  known: KnownPlugins;
  limits: Limits;
  /** Where a log that the disk refuses is reported. */
  trouble?: Pick<StorageTrouble, "note">;
  /** What of the kernel there is to confine plugins with. */
  landlock: () => Landlock;
  /** Files and folders outside the home that hold secrets of the hub. */
  secrets: readonly string[];
}

export function createPlugins(options: PluginsOptions): Plugins {
  const { entries, home, clock, log, devices, known } = options;
  const guard = createGuard(log, options.random);
  const confinement = createConfinement({ ...options, stageSource, isRoot: process.getuid?.() === 0 });
  const totalMemory = totalmem();
  const managed = new Map<string, Managed>(
    entries.map((entry) => {
      const output = createOutput({ path: home.plugin(entry.id).log, clock, log, trouble: options.trouble });
      return [entry.id, createManaged({ ...options, entry, guard, output, confinement, totalMemory })];
    }),
  );
  const measuring = clock.every("plugin usage", MEASURE_MS, () => {
    const running = [...managed.values()].filter((plugin) => plugin.record().pid !== null);
    if (running.length === 0) return;
    const processes = listProcesses();
    for (const plugin of running) plugin.measure(processes);
  });
  // Of earlier runs, the ones that have devices here.
  const away = known.load().filter((id) => !managed.has(id) && devices.count(id) > 0);
  // Where ids clash, the one that works bears it.
  const unusable = new Map(
    (options.unusable ?? [])
      .filter(({ id }) => !managed.has(id))
      .map((entry): [string, Unusable] => [entry.id, createUnusable(entry, devices)]),
  );
  const foreign = new Map(
    away.map((id): [string, Foreign] => [id, createForeign({ ...options, id, initially: "starting" })]),
  );

  const verdictOf = confinement.verdict;

  function find(id: string): Managed | Foreign | Unusable {
    const found = managed.get(id) ?? foreign.get(id) ?? unusable.get(id);
    if (!found) throw new HubError("not_found", `there is no plugin "${id}"`);
    return found;
  }

  function findManaged(id: string): Managed {
    const found = find(id);
    if ("start" in found) return found;
    if ("refusal" in found) throw found.refusal();
    throw new HubError("conflict", `plugin "${id}" is not run by the hub: start and stop it where it runs`);
  }

  function presenceOf(id: string): Presence | undefined {
    const own = managed.get(id);
    if (own) return own.presence();
    const other = foreign.get(id);
    if (other || foreign.size >= MOST_FOREIGN) return other?.presence;
    const created = createForeign({ ...options, id, initially: "stopped" });
    foreign.set(id, created);
    known.save([...foreign.keys()]);
    return created.presence;
  }

  return {
    list() {
      const wrong = [...unusable].filter(([id]) => !foreign.has(id)).map(([, plugin]) => plugin);
      return [...managed.values(), ...wrong, ...foreign.values()].map((plugin) => plugin.record());
    },
    get: (id) => find(id).record(),
    // Not just returned: what `find` throws must reject.
    start: async (id) => findManaged(id).start(),
    stop: async (id) => findManaged(id).stop(),
    restart: async (id) => findManaged(id).restart(),
    log(id, lines) {
      const found = find(id);
      return "log" in found ? found.log(lines) : [];
    },
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
      for (const { presence } of foreign.values()) if (presence.status === "starting") presence.expect();
      for (const { id, enabled } of entries) if (enabled) background(log, "start of a plugin", findManaged(id).start());
    },
    heartbeat: (id, heartbeat) => presenceOf(id)?.heartbeat(heartbeat),
    status(id, status) {
      // Retained by the broker from a plugin that is long gone: no reason to list it.
      if (status === "offline" && !managed.has(id) && !foreign.has(id)) return;
      presenceOf(id)?.reported(status);
    },
    registered: (id, deviceId) => presenceOf(id)?.registered(deviceId),
    // Kept by nobody yet; they are signs of life.
    capabilities: (id) => presenceOf(id)?.alive(),
    response: (id) => presenceOf(id)?.alive(),
    async [Symbol.asyncDispose]() {
      measuring[Symbol.dispose]();
      for (const plugin of foreign.values()) plugin[Symbol.dispose]();
      await Promise.all([...managed.values()].map((plugin) => plugin[Symbol.asyncDispose]()));
      await guard[Symbol.asyncDispose]();
    },
  };
}
