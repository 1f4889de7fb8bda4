// The steps of an import, in a copy of the home: configuration, database, rules, history. The real home is not touched here.
import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSceneStates } from "../../../house/state/commands/scene-states.ts";
import { createDeviceStore } from "../../../house/state/device-store.ts";
import { removeIfPossible } from "../../../kit/files/atomic-file.ts";
import { megabytes } from "../../../kit/files/free-space.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isValidId } from "../../../kit/schema/ids.ts";
import { parseToml } from "../../../kit/schema/toml.ts";
import { stateMigrations } from "../../../server/db/migrations/index.ts";
import { closeDatabase, openDatabase } from "../../../server/db/open.ts";
import type { Home } from "../../../server/home/paths.ts";
import { cleanName, type Report } from "../report.ts";
import { type StagedCopy, textOf, writeStaged } from "../staged-home.ts";
import { importAreas, RENAMED } from "./areas.ts";
import { mapCalendars, writeCalendars } from "./calendars.ts";
import { importCalendars, importConfig } from "./config.ts";
import { importDevices } from "./devices.ts";
import { importGlue } from "./glue.ts";
import { countHistory, importHistory } from "./history.ts";
import { importModes, oldModes, reportCriteria } from "./modes.ts";
import type { HomecoreImport } from "./options.ts";
import type { OldHouse } from "./read-house.ts";
import { importRules, type OldRuleText } from "./rules.ts";
import type { OldScene } from "./shapes.ts";
import { importUsers, type NewLogin } from "./users.ts";
import { importModeStates, importSwitches, importTimers } from "./virtual.ts";

const MAX_SCENES = 1000;

export interface Change extends HomecoreImport {
  readonly house: OldHouse;
  readonly rules: readonly OldRuleText[];
  readonly report: Report;
}

/** Returns the new accounts. */
export async function changeCopy(copy: Pick<StagedCopy, "home" | "work">, options: Change): Promise<NewLogin[]> {
  const { archive, house, report, platform } = options;
  changeConfig(copy.home, options);
  const { db, setAside } = openDatabase({
    path: copy.home.stateDb,
    migrations: stateMigrations,
    now: platform.clock.now,
  });
  let logins: NewLogin[];
  try {
    if (setAside !== undefined) throw damaged(options.home.stateDb);
    changeState(db, options);
    logins = await importUsers(db, house.users, options);
  } finally {
    closeDatabase(db);
  }
  changeRules(copy.home, options);
  await changeHistory(copy, options);
  for (const plugin of archive?.pluginConfigs.keys() ?? []) {
    const isThere = existsSync(options.home.plugin(plugin).configToml);
    report.add(
      "plugin",
      `configuration of ${plugin}`,
      isThere ? "there" : "changed",
      isThere ? undefined : CHECK_BROKER,
    );
  }
  return logins;
}

function damaged(path: string): HubError {
  return new HubError(
    "storage",
    `${path} is damaged: start the hub once, which sets it aside, or restore a backup first`,
  );
}

const CHECK_BROKER = "if this hub is another machine, change broker_host in it";

function changeConfig(copy: Home, { archive, house, report, untouchedHubToml, dryRun }: Change): void {
  const before = textOf(copy.hubToml) ?? untouchedHubToml;
  const calendarFiles = archive?.calendars ?? new Map();
  const calendars = mapCalendars(house.calendars, calendarFiles);
  const into = { untouched: untouchedHubToml, plugins: archive?.pluginConfigs ?? new Map(), report };
  const configured =
    archive?.homecoreToml === undefined ? before : importConfig(archive.homecoreToml, { ...into, text: before });
  const hubToml = importCalendars(calendars, { ...into, text: configured });
  writeCalendars(copy, calendars, calendarFiles);
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

function changeState(db: Database, { house, report, platform }: Change): void {
  const now = platform.clock.now();
  const tables = { durable: db, faults: { unreadable() {}, list: () => [] } };
  const store = createDeviceStore({ ...tables, relaxed: db });
  db.transaction(() => {
    const areaOf = importAreas(db, house.areas, { report, now });
    const into = { known: new Map(store.load().map((device) => [device.id, device])), store, areaOf, report, now };
    importDevices(house.devices, into);
    importTimers(house.timers, into);
    importSwitches(house.switches, into);
    importModeStates(house.modes, into);
    importGlue(tables, house.glue, into);
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

const MAX_PROBLEM = 160;

/** `hub check` has all of it. */
function shortened(problem: string): string {
  return problem.length > MAX_PROBLEM ? `${problem.slice(0, MAX_PROBLEM)}…` : problem;
}

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

async function changeHistory(
  { home, work }: Pick<StagedCopy, "home" | "work">,
  { archive, report, platform, dryRun, progress }: Change,
): Promise<void> {
  if (archive?.historyBytes === undefined) return;
  progress(`reading ${megabytes(archive.historyBytes)} of history`);
  const from = join(work, "homecore-history.db");
  await archive.unpackHistory(from);
  const days = retentionDays(home);
  if (dryRun) {
    const note = `of these, those of the last ${days} days that are not here yet`;
    report.addMany("history", samples(countHistory(from)), "changed", note);
    return;
  }
  const now = platform.clock.now();
  const { added, older, unusable, rows } = importHistory({ from, to: home.historyDb, since: now - days * DAY_MS, now });
  removeIfPossible(from);
  const there = rows - added - older - unusable;
  if (added > 0) report.addMany("history", samples(added), "moved");
  if (there > 0) report.addMany("history", samples(there), "there");
  if (older > 0)
    report.addMany(
      "history",
      samples(older),
      "left",
      `older than ${days} days: set [history] retention_days first, then import again`,
    );
  if (unusable > 0)
    report.addMany("history", samples(unusable), "left", "without a time or a value that can be kept here");
}

function samples(count: number): { name: string; count: number } {
  return { name: `${count} ${count === 1 ? "sample" : "samples"}`, count };
}

function retentionDays({ hubToml }: Home): number {
  const read = parseToml(textOf(hubToml) ?? "");
  const history = read.ok ? (read.table.history as { retention_days?: unknown } | undefined) : undefined;
  return typeof history?.retention_days === "number" ? history.retention_days : DEFAULT_DAYS;
}

/** Scenes, with the ids they had. */
function importScenes(
  db: Database,
  scenes: readonly OldScene[],
  { report, now }: { report: Report; now: number },
): void {
  const insert = db.query(
    "INSERT INTO scenes (id, name, states, created_at, updated_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const count = db.query<{ n: number }, []>("SELECT count(*) AS n FROM scenes");
  for (const { id, name: given, states } of scenes) {
    const name = cleanName(given) ?? id;
    try {
      if (!isValidId(id)) throw new HubError("invalid", "its id cannot be one here");
      if ((count.get()?.n ?? 0) >= MAX_SCENES)
        throw new HubError("conflict", `there are ${MAX_SCENES} scenes here already`);
      const isNew = insert.run(id, name, JSON.stringify(readSceneStates(states)), now, now).changes > 0;
      const isRenamed = name !== given.trim();
      report.add(
        "scene",
        name,
        isNew ? (isRenamed ? "changed" : "moved") : "there",
        isNew && isRenamed ? RENAMED : undefined,
      );
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      report.add("scene", name, "left", error.message);
    }
  }
}
