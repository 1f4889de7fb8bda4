// What happens before there is a hub: the home is laid out, and the configuration is read.
import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { isPaired, readMachine } from "../../copies/standby/machine.ts";
import { sweepTemporaryFiles } from "../../kit/files/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../../kit/schema/errors.ts";
import { EVER_MADE } from "../../reach/mqtt/accounts/device-accounts.ts";
import { hasMeta } from "../../server/db/known-ids.ts";
import { type LaidOut, layOutHome } from "../../server/home/layout.ts";
import { borrowHome } from "../../server/home/lock.ts";
import { becomeOwner } from "../../server/home/owner.ts";
import type { Home } from "../../server/home/paths.ts";
import { type Refreshed, refreshAssets } from "../../server/home/refresh.ts";
import { sweepStaged } from "../../server/system/service/executable.ts";
import { settleUpgrade } from "../../server/system/upgrade/apply-upgrade.ts";
import { ON_TRIAL } from "../../server/system/upgrade/trial-start.ts";
import { formatProblem, type LoadedConfig, type LocatedProblem, loadConfig } from "../config/load.ts";
import { onThisMachine } from "../config/on-this-machine.ts";
import type { HubConfig } from "../config/sections.ts";
import { assets, hubToml } from "./assets.ts";
import { findHomeOf, finishRestore, type Invocation, type Io } from "./command.ts";
import { hubVersion } from "./version.ts";

export interface Trouble {
  part: string;
  message: string;
}

export interface Entered {
  home: Home;
  troubles: Trouble[];
  laidOut: LaidOut & Refreshed;
}

/**
 * Prepares the home for `hub serve`. Where a hub has run before, no failure here stops the start: it is logged and is in the
 * status. Throws HubError where a new home cannot be laid out, or a restore is running.
 */
export function enterHome(invocation: Invocation): Entered {
  const { io } = invocation;
  const home = findHomeOf(invocation);
  const troubles: Trouble[] = [];
  // It fails for a home that belongs partly to root and partly to another user. The hub then runs as root, as an earlier one did.
  const isOwner = attempt(() => becomeOwner(home), troubles) !== FAILED;
  finishRestore(home, io, isOwner ? undefined : () => ({ [Symbol.dispose]() {} }));
  attempt(() => settleLastUpgrade(home, io, troubles), troubles);
  return { home, troubles, laidOut: layOutUnlessKnown(home, io, troubles) };
}

/** Not for a hub that is being tried out: the one that tries it knows how it ends. */
function settleLastUpgrade(home: Home, { platform }: Io, troubles: Trouble[]): void {
  if (platform.env[ON_TRIAL] !== undefined || !existsSync(home.data)) return;
  const message = settleUpgrade(home, { version: hubVersion, now: platform.clock.now() });
  if (message !== undefined) troubles.push({ part: "upgrade", message });
  sweepStaged(home);
}

function layOutUnlessKnown(home: Home, io: Io, troubles: Trouble[]): LaidOut & Refreshed {
  if (!existsSync(home.stateDb)) return layOut(home, io);
  const done = attempt(() => layOut(home, io), troubles);
  return done === FAILED ? { fresh: false, created: [], failed: [], renewed: [], kept: [] } : done;
}

const FAILED = Symbol("failed");

function attempt<T>(work: () => T, troubles: Trouble[]): T | typeof FAILED {
  try {
    return work();
  } catch (error) {
    troubles.push({ part: "home", message: messageOf(error) });
    return FAILED;
  }
}

export function layOut(home: Home, { platform, execPath, compiled }: Io): LaidOut & Refreshed {
  const laidOut = layOutHome({
    home,
    executable: compiled ? execPath : undefined,
    hubToml,
    assets,
    random: platform.random,
  });
  const refreshed = refresh(home, compiled ? execPath : undefined);
  const failed = [...laidOut.failed, ...refreshed.failed];
  for (const what of failed) platform.stderr.write(`warning: ${what}\n`);
  return { ...laidOut, ...refreshed, failed };
}

/** Not while a hub runs there: the files of that hub's version stay. */
function refresh(home: Home, executable: string | undefined): Refreshed {
  try {
    using _lock = borrowHome(home);
    const folders = assets.map(({ path }) => dirname(join(home.root, path)));
    for (const folder of new Set([home.data, home.config, ...folders])) sweepTemporaryFiles(folder);
    return refreshAssets(home, assets, executable);
  } catch (error) {
    // Neither keeps an existing home from starting.
    if (error instanceof HubError && ["in_use", "storage"].includes(error.code))
      return { renewed: [], kept: [], failed: [] };
    throw error;
  }
}

/** Prints every warning to stderr, or notes it. Throws HubError: `not_found`, or `config` after printing every problem. */
export function readConfig(
  home: Home,
  { platform }: Io,
  read: (home: Home) => LoadedConfig = loadConfigOf,
  note: (problem: LocatedProblem) => void = (problem) => platform.stderr.write(`${formatProblem(problem)}\n`),
): HubConfig {
  if (isMissing(home.hubToml))
    throw new HubError(
      "not_found",
      `there is no hub in ${home.root}: name its home with --home, or create one with \`hub init\``,
    );
  try {
    const { config, warnings } = read(home);
    warnings.forEach(note);
    return config;
  } catch (error) {
    if (error instanceof HubError) ((error.details.problems ?? []) as LocatedProblem[]).forEach(note);
    throw error;
  }
}

/** As this machine is to use it. Throws HubError: see `loadConfig`. */
export function loadConfigOf(home: Home): LoadedConfig {
  const { hubToml, stateDb } = home;
  const loaded = loadConfig(hubToml, {
    get otherMqttAccounts() {
      // A database that cannot be read must not keep the broker from starting.
      return existsSync(stateDb) && hasMeta(stateDb, EVER_MADE) !== false;
    },
  });
  return isPaired(home) ? onThisMachine(loaded, hubToml, ownAddress(home)) : loaded;
}

/** Where the file is damaged, whoever needs it says so. */
function ownAddress(home: Home): string | undefined {
  try {
    return readMachine(home)?.address;
  } catch {
    return undefined;
  }
}

function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return systemCode(error) === "ENOENT";
  }
}
