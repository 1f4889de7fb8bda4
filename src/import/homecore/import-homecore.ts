// Moves a whole homeCore house into a home whose hub is stopped. All is read first, then a copy of the home is changed, then the
// copy is swapped in; so it is done wholly or not at all, can be undone as a restore can, and can be run again.

import type { Database } from "bun:sqlite";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { inLockedHome, swapInStaged } from "../../backup/restore.ts";
import { removeIfPossible, writeFileAtomic } from "../../core/atomic-file.ts";
import type { Edge } from "../../core/edge.ts";
import { parseToml } from "../../core/toml.ts";
import { stateMigrations } from "../../db/migrations/index.ts";
import { closeDatabase, openDatabase } from "../../db/open.ts";
import type { Home } from "../../home/paths.ts";
import { createDeviceStore } from "../../state/device-store.ts";
import { createReport, type Report, type ReportEntry } from "../report.ts";
import { copyHome, explain, STAGED_UNITS, syncStaged, textOf, writeStaged } from "../staged-home.ts";
import type { OldArchive } from "./archive.ts";
import { importAreas } from "./areas.ts";
import { createHomecoreClient } from "./client.ts";
import { importConfig } from "./config.ts";
import { importDevices } from "./devices.ts";
import { countHistory, importHistory } from "./history.ts";
import { importModes, oldModes, reportCriteria } from "./modes.ts";
import { type OldHouse, readHouse } from "./read-house.ts";
import { importRules, type OldRuleText, readRuleTexts } from "./rules.ts";
import { importScenes } from "./scenes.ts";
import { importUsers, type NewLogin } from "./users.ts";
import { importGlue, importModeStates, importSwitches, importTimers } from "./virtual.ts";

export interface HomecoreImport {
  readonly home: Home;
  readonly url: string;
  readonly token: string;
  readonly archive: OldArchive | undefined;
  readonly dryRun: boolean;
  readonly edge: Edge;
  /** The hub.toml of a new home. */
  readonly untouchedHubToml: string;
  /** Called when homeCore was read and before the home is touched: makes a home where there is none. */
  prepareHome(): void;
  /** File → what `hub check` says of it, in the home that is being made. */
  checkRules(home: Home): ReadonlyMap<string, RuleVerdict>;
}

export interface RuleVerdict {
  /** Why it does not run; the first of them. */
  readonly problem: string | undefined;
  readonly warnings: number;
}

export interface Imported {
  readonly entries: readonly ReportEntry[];
  /** New accounts, whose passwords are shown once. */
  readonly logins: readonly NewLogin[];
  /** The folder with the old state; undefined in a dry run, and where nothing was changed. */
  readonly kept: string | undefined;
}

/** Throws HubError with nothing changed; `in_use` while a hub runs there. */
export async function importHomecore(options: HomecoreImport): Promise<Imported> {
  const { home, archive, dryRun, edge, url, token } = options;
  const report = createReport();
  const client = createHomecoreClient({ url, token, fetch: edge.fetch });
  const house = await readHouse(client, report);
  const rules = await readRuleTexts(client, { rules: house.rules, files: archive?.rules ?? [], report });
  options.prepareHome();
  return inLockedHome(home, async () => {
    using copy = copyHome(home, { historyBytes: archive?.historyBytes ?? 0 });
    try {
      const logins = await changeCopy(copy, { ...options, house, rules, report });
      const isNew = report.entries.some(({ outcome }) => outcome === "moved" || outcome === "changed");
      if (dryRun || !isNew) return { entries: report.entries, logins: [], kept: undefined };
      syncStaged(copy.home);
      const written = writePluginConfigs(home, archive?.pluginConfigs ?? new Map());
      try {
        const { kept } = swapInStaged(
          home,
          { units: STAGED_UNITS.filter((unit) => unit !== "history" || existsSync(copy.home.historyDb)) },
          { now: edge.clock.now() },
        );
        return { entries: report.entries, logins, kept };
      } catch (error) {
        for (const path of written) removeIfPossible(path);
        throw error;
      }
    } catch (error) {
      throw explain(error);
    }
  });
}

interface Change extends HomecoreImport {
  readonly house: OldHouse;
  readonly rules: readonly OldRuleText[];
  readonly report: Report;
}

async function changeCopy(copy: { home: Home; work: string }, options: Change): Promise<NewLogin[]> {
  const { archive, house, report, edge } = options;
  changeConfig(copy.home, options);
  const { db } = openDatabase({ path: copy.home.stateDb, migrations: stateMigrations, now: edge.clock.now });
  let logins: NewLogin[];
  try {
    changeState(db, options);
    logins = await importUsers(db, house.users, options);
  } finally {
    closeDatabase(db);
  }
  changeRules(copy.home, options);
  await changeHistory(copy, options);
  for (const plugin of archive?.pluginConfigs.keys() ?? []) {
    const isThere = existsSync(options.home.plugin(plugin).configToml);
    report.add("plugin", `configuration of ${plugin}`, isThere ? "there" : "moved", isThere ? undefined : CHECK_BROKER);
  }
  return logins;
}

const CHECK_BROKER = "if this hub is another machine, change broker_host in it";

function changeConfig(copy: Home, { archive, house, report, untouchedHubToml, dryRun }: Change): void {
  const before = textOf(copy.hubToml) ?? untouchedHubToml;
  const hubToml =
    archive?.homecoreToml === undefined
      ? before
      : importConfig(archive.homecoreToml, {
          text: before,
          untouched: untouchedHubToml,
          plugins: archive.pluginConfigs,
          report,
        });
  if (archive === undefined)
    report.add(
      "other",
      "history, configuration and plugins",
      "left",
      "they are only in a backup of homeCore: name it with --backup",
    );
  if (hubToml !== before || dryRun) writeStaged(copy.hubToml, hubToml, 0o600);
  const modes = oldModes(
    archive?.modesToml,
    house.modes.map(({ config }) => config),
    report,
  );
  const text = textOf(copy.modesToml) ?? "";
  const edited = importModes(modes, { text, located: isLocated(hubToml), report });
  if (edited !== text) writeStaged(copy.modesToml, edited, 0o644);
  reportCriteria(archive?.modeDefinitions, report);
}

function isLocated(hubToml: string): boolean {
  const read = parseToml(hubToml);
  const location = read.ok ? (read.table.location as { latitude?: unknown } | undefined) : undefined;
  return location?.latitude !== undefined;
}

function changeState(db: Database, { house, report, edge }: Change): void {
  const now = edge.clock.now();
  const faults = { unreadable() {} };
  const store = createDeviceStore({ durable: db, behind: db, faults: { ...faults, list: () => [] } });
  db.transaction(() => {
    const areaOf = importAreas(db, house.areas, { report, now });
    const into = { known: new Map(store.load().map((device) => [device.id, device])), store, areaOf, report, now };
    importDevices(house.devices, into);
    importTimers(house.timers, into);
    importSwitches(house.switches, into);
    importModeStates(house.modes, into);
    importGlue(db, house.glue, { report, now });
    importScenes(db, house.scenes, { report, now });
  }).immediate();
}

function changeRules(copy: Home, { house, rules, report, checkRules }: Change): void {
  const written = importRules(rules, { folder: copy.rules, groups: house.groups, report });
  const verdicts = checkRules(copy);
  for (const [file, { name, notes, runsScript }] of written) {
    const { problem, warnings = 0 } = verdicts.get(file) ?? {};
    const said = [
      ...notes,
      ...(problem === undefined || runsScript ? [] : [`it does not run yet: ${shortened(problem)}`]),
      ...(warnings === 0
        ? []
        : [`\`hub check\` has ${warnings === 1 ? "a warning" : `${warnings} warnings`} about it`]),
    ];
    report.add(
      "rule",
      `${name} (${file})`,
      said.length === 0 ? "moved" : "changed",
      said.length === 0 ? undefined : said.join("; "),
    );
  }
}

const LONGEST_PROBLEM = 160;

/** `hub check` has all of it. */
function shortened(problem: string): string {
  return problem.length > LONGEST_PROBLEM ? `${problem.slice(0, LONGEST_PROBLEM)}…` : problem;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

async function changeHistory(
  { home, work }: { home: Home; work: string },
  { archive, report, edge, dryRun }: Change,
): Promise<void> {
  if (archive?.historyBytes === undefined) return;
  const from = join(work, "homecore-history.db");
  await archive.unpackHistory(from);
  if (dryRun) {
    report.add("history", samples(countHistory(from)), "moved", "those that are not older than this hub keeps them");
    return;
  }
  const now = edge.clock.now();
  const days = retentionDays(home);
  const { added, older, unusable, rows } = importHistory({ from, to: home.historyDb, since: now - days * DAY_MS, now });
  removeIfPossible(from);
  const there = rows - added - older - unusable;
  if (added > 0) report.add("history", samples(added), "moved");
  if (there > 0) report.add("history", samples(there), "there");
  if (older > 0)
    report.add(
      "history",
      samples(older),
      "left",
      `older than ${days} days: set [history] retention_days first, then import again`,
    );
  if (unusable > 0) report.add("history", samples(unusable), "left", "without a time or a value that can be kept here");
}

function samples(count: number): string {
  return `${count} ${count === 1 ? "sample" : "samples"}`;
}

function retentionDays({ hubToml }: Home): number {
  const read = parseToml(textOf(hubToml) ?? "");
  const history = read.ok ? (read.table.history as { retention_days?: unknown } | undefined) : undefined;
  return typeof history?.retention_days === "number" ? history.retention_days : DEFAULT_DAYS;
}

/** Outside of what is swapped: a file that exists stays. Returns the paths that were written. */
function writePluginConfigs(home: Home, configs: ReadonlyMap<string, string>): string[] {
  const written: string[] = [];
  for (const [plugin, text] of configs) {
    const { configToml } = home.plugin(plugin);
    if (existsSync(configToml)) continue;
    mkdirSync(dirname(configToml), { recursive: true });
    writeFileAtomic(configToml, text, 0o600);
    written.push(configToml);
  }
  return written;
}
