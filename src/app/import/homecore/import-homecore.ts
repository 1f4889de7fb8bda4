// Moves a whole homeCore house into a home whose hub is stopped. All is read first, then a copy of the home is changed, then the
// copy is swapped in; so it is done wholly or not at all, can be undone as a restore can, and can be run again.
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setAsideStaleWal } from "../../../copies/backup/restore/stale-wal.ts";
import { hasJournal } from "../../../copies/backup/restore/swap.ts";
import { inLockedHome, swapInStaged } from "../../../copies/backup/restore/swap-in.ts";
import { historyMigrations } from "../../../house/history/migrations/index.ts";
import { removeIfPossible, writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import type { Platform } from "../../../kit/lifecycle/platform.ts";
import { stateMigrations } from "../../../server/db/migrations/index.ts";
import { borrowHome } from "../../../server/home/lock.ts";
import type { Home } from "../../../server/home/paths.ts";
import { createReport, type Report, type ReportEntry } from "../report.ts";
import { copyHome, explain, STAGED_UNITS, syncStaged } from "../staged-home.ts";
import { changeCopy } from "./change-copy.ts";
import { createHomecoreClient } from "./client.ts";
import type { HomecoreImport } from "./options.ts";
import { readHouse } from "./read-house.ts";
import { readRuleTexts } from "./rules.ts";
import type { NewLogin } from "./users.ts";

export interface Imported {
  readonly entries: readonly ReportEntry[];
  /** New accounts, whose passwords are shown once. */
  readonly logins: readonly NewLogin[];
  /** The folder with the old state; undefined in a dry run, and where nothing was changed. */
  readonly kept: string | undefined;
}

/** Throws HubError with nothing changed; `in_use` while a hub runs there. */
export async function importHomecore(options: HomecoreImport): Promise<Imported> {
  const { home, archive, dryRun, platform, url, token, progress } = options;
  refuseWhileRunning(home);
  const report = createReport();
  const client = createHomecoreClient({ url, token, fetch: platform.fetch });
  progress(`reading the house from ${client.origin}`);
  const house = await readHouse(client, report);
  const rules = await readRuleTexts(client, { rules: house.rules, files: archive?.rules ?? [], report });
  for (const { kind, name, why } of archive?.leftOut ?? []) report.add(kind, name, "left", why);
  options.prepareHome();
  return inLockedHome(home, async () => {
    if (!dryRun) checkLogs(home, platform, report);
    using copy = copyHome(home, { historyBytes: archive?.historyBytes ?? 0 });
    try {
      const logins = await changeCopy(copy, { ...options, house, rules, report });
      const { entries } = report;
      const isNew = entries.some(({ outcome }) => outcome === "moved" || outcome === "changed");
      if (dryRun || !isNew) return { entries, logins: [], kept: undefined };
      return { entries, logins, kept: swapIn(copy.home, options) };
    } catch (error) {
      throw explain(error);
    }
  });
}

/** Before anything is asked of homeCore. */
function refuseWhileRunning(home: Home): void {
  if (existsSync(home.data)) borrowHome(home)[Symbol.dispose]();
}

/** After a crash there are logs, and somebody may have put another database beside them since. */
function checkLogs(home: Home, { random, clock }: Platform, report: Report): void {
  if (![home.stateDb, home.historyDb].some((path) => existsSync(`${path}-wal`))) return;
  setAsideStaleWal({
    home,
    random,
    now: clock.now(),
    log: { warn: (message) => report.add("other", "the database here", "there", message) },
    schemas: { state: stateMigrations.length, history: historyMigrations.length },
  });
}

/** Returns the folder with the old state. */
function swapIn(copy: Home, { home, archive, platform }: HomecoreImport): string {
  syncStaged(copy);
  const written = writePluginConfigs(home, archive?.pluginConfigs ?? new Map());
  const units = STAGED_UNITS.filter((unit) => unit !== "history" || existsSync(copy.historyDb));
  try {
    return swapInStaged(home, { units }, { now: platform.clock.now() }).kept;
  } catch (error) {
    if (!hasJournal(home)) for (const path of written) removeIfPossible(path);
    throw error;
  }
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
