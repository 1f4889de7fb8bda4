// Replaces the executable of a home, and goes back to the old one, with its databases, if the new one does not stay well. Other files
// that come with the new version are laid out when it starts.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Home } from "../../home/paths.ts";
import { type BinFolder, openBinFolder, runnerOf } from "../service/bin-folder.ts";
import {
  assertForThisMachine,
  confirmSwap,
  isSame,
  STAGED_NAME,
  stage,
  swapBack,
  swapIn,
  undoSwap,
  unstage,
  versionOf,
} from "../service/executable.ts";
import { serviceState } from "../service/systemctl.ts";
import { bringDatabasesOf, keepDatabases, startAgain, type TrialOptions, tryService } from "./service-trial.ts";

export interface UpgradeOptions extends TrialOptions {
  isRoot: boolean;
}

/** `running`: it runs now and answers. `placed`: no service runs it yet. `same`: nothing changed. */
export type Upgraded = { outcome: "running" | "placed" | "same"; from: string | undefined; to: string };

/** Throws HubError, and then everything is as it was. */
export async function upgrade(file: string, force: boolean, options: UpgradeOptions): Promise<Upgraded> {
  const { machine, home, report } = options;
  assertForThisMachine(file, machine);
  if (!existsSync(home.executable))
    throw new HubError("not_found", `there is no hub in ${home.root}: name its home with --home`);
  const runs = await assertMayRestart(options);
  using folder = openBin(home);
  const staged = stage(file, folder);
  try {
    const to = await versionIn(options, join(home.bin, STAGED_NAME), file);
    const from = await versionIn(options, home.executable).catch(() => undefined);
    if (from === to && isSame(staged, folder)) return { outcome: "same", from, to };
    assertNewer(from, to, force);
    await keepDatabases(from, { runs }, options);
    try {
      swapIn(staged, folder);
    } catch (error) {
      if (runs) await startAgain(options);
      throw error;
    }
    report(`installed ${to} in ${home.bin}`);
    if (runs) await tryService({ version: to, swapOut: () => undoSwap(folder) }, options);
    confirmSwap(folder);
    return { outcome: runs ? "running" : "placed", from, to };
  } finally {
    unstage(staged, folder);
  }
}

function openBin(home: Home): BinFolder {
  try {
    const folder = openBinFolder(home);
    folder.letEverybodyIn();
    return folder;
  } catch (error) {
    throw new HubError("conflict", `${home.bin} is not a real folder: put one in its place`, {
      cause: error,
    });
  }
}

function versionIn({ machine, home }: UpgradeOptions, program: string, named = program): Promise<string> {
  return versionOf(program, machine, { named, as: runnerOf(home, program) });
}

/** Exchanges the present and the previous executable; `withDatabases`: the databases from before the upgrade come back, too. */
export async function rollBack(withDatabases: boolean, options: UpgradeOptions): Promise<Upgraded> {
  const { home, report } = options;
  if (!existsSync(home.previousExecutable))
    throw new HubError("not_found", `there is no ${home.previousExecutable} to go back to`);
  const runs = await assertMayRestart(options);
  const to = await versionIn(options, home.previousExecutable);
  const from = await versionIn(options, home.executable).catch(() => undefined);
  using folder = openBin(home);
  if (withDatabases) await bringDatabasesOf(to, { from, runs }, options);
  else await keepDatabases(from, { runs }, options);
  swapBack(folder);
  report(`installed ${to} again`);
  if (runs) await tryService({ version: to, swapOut: () => swapBack(folder) }, options);
  return { outcome: runs ? "running" : "placed", from, to };
}

/** Whether the home's hub runs as a service. Throws, before anything is changed, where that service could not be restarted. */
async function assertMayRestart({ machine, home, isRoot, address }: UpgradeOptions): Promise<boolean> {
  const state = await serviceState(machine);
  if (state?.home !== home.root || !["active", "activating", "reloading"].includes(state.active)) return false;
  if (!isRoot)
    throw new HubError("forbidden", "the hub runs as a service, which only root can restart: run it with sudo");
  if (address.port === 0)
    throw new HubError("config", "[server] port = 0: the new hub could not be checked on a random port; set a port");
  return true;
}

function assertNewer(from: string | undefined, to: string, force: boolean): void {
  if (from === undefined || force || Bun.semver.order(to, from) >= 0) return;
  throw new HubError(
    "conflict",
    `${to} is older than ${from}, and may not be able to read the databases of ${from}: --force installs it all the same`,
  );
}
