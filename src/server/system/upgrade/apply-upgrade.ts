// Exchanges the executable of a hub that is down, tries the new one on the home, and replaces this process by it; or puts everything
// back: the executable, and the databases as they were.
import { accessSync, constants, existsSync, readFileSync, rmSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { type Clock, isoSeconds } from "../../../kit/time/clock.ts";
import { borrowHome } from "../../home/lock.ts";
import type { Home } from "../../home/paths.ts";
import { type BinFolder, openBinFolder } from "../service/bin-folder.ts";
import type { HealthAddress } from "./ask-health.ts";
import { houseIn, lossesSince } from "./losses.ts";
import { keptSnapshot, type Snapshot, snapshotOfTrial, takeSnapshot } from "./snapshot.ts";
import { tryStart } from "./trial-start.ts";

/** The process that the hub runs in. */
export interface OwnProcess {
  /** Settles when it is ordered to end. */
  readonly stopped: Promise<unknown>;
  /** Replaces it by this executable, with the same arguments and environment. Throws where the system refuses. */
  replace(executable: string): Promise<never>;
}

/** How the executables of the home change, and back. */
export interface Swap {
  in(folder: BinFolder): void;
  out(folder: BinFolder): void;
  /** There is no way back by itself any more. */
  confirm(folder: BinFolder): void;
}

/** How the last upgrade over the API went; in `data/last-upgrade.json`. */
export const LastUpgrade = Type.Object({
  at: Type.String({ description: "UTC" }),
  from: Type.String(),
  to: Type.String(),
  ok: Type.Union([Type.Boolean(), Type.Null()], { description: "null until it is known" }),
  error: Type.Union([Type.String(), Type.Null()], { description: "Why `from` runs again" }),
});
export type LastUpgrade = Static<typeof LastUpgrade>;

export interface ApplyOptions {
  home: Home;
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string | undefined>>;
  address: HealthAddress;
  own: OwnProcess;
  swap: Swap;
  from: string;
  to: string;
  /** Of `[upgrade]`. */
  watchSecs: number;
  /** The databases that the other version left behind come back, too. */
  withDatabases: boolean;
}

/** Only comes back to throw HubError, with everything as it was: the hub can start again. */
export async function applyUpgrade(options: ApplyOptions): Promise<void> {
  const { home, clock, log, own, from, to } = options;
  const note = (ok: boolean | null, error: string | null): void =>
    noteLast(home, { at: isoSeconds(clock.now()), from, to, ok, error });
  try {
    note(null, null);
    await tryOut(options, await snapshotOf(options));
    note(true, null);
  } catch (error) {
    log.error("the other version does not work here", { version: to, error: messageOf(error) });
    note(false, messageOf(error));
    throw error;
  }
  log.info("the new version answers and takes over", { from, to });
  await own.replace(home.executable);
}

/** No other hub starts meanwhile. */
async function snapshotOf({ home, clock, from }: ApplyOptions): Promise<Snapshot> {
  using _lock = borrowHome(home, { waits: true });
  return await takeSnapshot(home, { version: from, at: isoSeconds(clock.now()) });
}

async function tryOut(options: ApplyOptions, snapshot: Snapshot): Promise<void> {
  const { home, clock, own, swap, from, to } = options;
  const before = houseIn(home);
  using folder = openBinFolder(home);
  try {
    swap.in(folder);
  } catch (error) {
    snapshot.remove();
    throw error;
  }
  // Where the system cannot even start it, it goes out again as well.
  const trouble = await bringAndStart({ ...options, stopped: own.stopped, version: to }).catch(messageOf);
  const why = trouble ?? (options.withDatabases ? undefined : lossesSince(before, home));
  if (why === undefined) {
    swap.confirm(folder);
    snapshot.keep();
    return;
  }
  snapshot.beginPutBack();
  swap.out(folder);
  snapshot.putBack();
  throw new HubError(
    "upstream_failed",
    `${why}; the log has its last words. ${wentBack({ version: from, at: snapshot.at, now: clock.now() })}`,
  );
}

async function bringAndStart(options: ApplyOptions & Parameters<typeof tryStart>[0]): Promise<string | undefined> {
  const { home, log, withDatabases } = options;
  const kept = withDatabases ? keptSnapshot(home) : undefined;
  if (kept) {
    log.warn("the databases go back, too: what came since then is not in them", { of: kept.version, at: kept.at });
    kept.putBack();
  }
  return tryStart(options);
}

/** What a person has to know of a way back: which time is lost. */
export function wentBack({ version, at, now }: { version: string; at: string; now: number }): string {
  return `${version} runs again, with its databases as they were at ${at}: what devices sent and what anybody changed from then until ${isoSeconds(now)} is not in them`;
}

/**
 * Finishes what a power cut or a kill has interrupted. To be called at each start, before anything opens a database. Returns what
 * to say of it. Throws HubError `in_use` while another hub runs there.
 */
export function settleUpgrade(home: Home, { version, now }: { version: string; now: number }): string | undefined {
  const [trial, kept] = [snapshotOfTrial(home), keptSnapshot(home)];
  const last = readLastUpgrade(home);
  if (last?.ok !== null && !existsSync(home.beforeTrial) && !kept?.goesBack) return undefined;
  using _lock = borrowHome(home, { waits: true });
  // Going back by hand was under way: the databases of the version to go back to come first.
  if (kept?.goesBack) kept.putBack();
  const isBack = trial?.goesBack ?? false;
  if (isBack) trial?.putBack();
  else trial?.keep();
  rmSync(home.beforeTrial, { recursive: true, force: true });
  if (last?.ok !== null) return undefined;
  const ok = last.to === version && !isBack;
  const back = trial && isBack ? `. ${wentBack({ version, at: trial.at, now })}` : "";
  const error = ok ? null : `the machine or the hub ended during the trial of ${last.to}${back}`;
  noteLast(home, { ...last, at: isoSeconds(now), ok, error });
  return error ?? undefined;
}

function noteLast({ lastUpgrade }: Home, last: LastUpgrade): void {
  writeFileAtomic(lastUpgrade, `${JSON.stringify(last)}\n`, 0o600);
}

export function readLastUpgrade({ lastUpgrade }: Home): LastUpgrade | null {
  try {
    const found: unknown = JSON.parse(readFileSync(lastUpgrade, "utf8"));
    return Value.Check(LastUpgrade, found) ? found : null;
  } catch {
    return null;
  }
}

/** Why the hub's user cannot replace the executables of the home; undefined if it can. */
export function whyNotWritable({ bin }: Home): string | undefined {
  try {
    accessSync(bin, constants.W_OK);
    return undefined;
  } catch {
    return `only root may change ${bin}: use \`hub upgrade\` there, or install the service with --page-upgrades`;
  }
}
