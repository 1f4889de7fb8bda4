// The exchange of a home's files for others, by renames alone. What is to be renamed is written down first: whoever finds
// that journal goes on with it, so that the home is wholly the old one before, and wholly the new one after.
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { syncFolder, writeFileAtomic } from "../core/atomic-file.ts";
import { isoSeconds } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
import { nextKept, noteKept, readJsonFile, UnitName } from "./kept.ts";
import { isThere, pathsOf, refuseWhatCannotMove } from "./movable.ts";
import { placesIn } from "./places.ts";
import type { Unit } from "./understand.ts";

const Move = Type.Object({ from: Type.String(), to: Type.String() });

/** Paths are below HUB_HOME. */
const Journal = Type.Object({
  version: Type.Literal(1),
  at: Type.String(),
  units: Type.Array(UnitName),
  /** The folder the old state is kept in. */
  kept: Type.String(),
  /** Goes when all is done. */
  spent: Type.String(),
  /** The old state out of the way: done where `to` is there. */
  keep: Type.Array(Move),
  /** The new state into its place: done where `from` is gone. */
  place: Type.Array(Move),
  /** Whether a hub has yet to show that it starts with the new state. */
  onTrial: Type.Optional(Type.Boolean()),
});
type Journal = Static<typeof Journal>;
type Move = Static<typeof Move>;

export interface SwapOptions {
  home: Home;
  /** Where the new files are, in the same layout. */
  source: Home;
  /** Removed when all is done. */
  spent: string;
  units: readonly Unit[];
  /** Epoch ms. */
  now: number;
  onTrial?: boolean;
  placed: Placed;
}

/** Told when everything is in its place, while the journal is still there: perhaps a second time, after a power cut. */
export type Placed = (swap: { at: string; onTrial: boolean }) => void;

/** Answers the folder that holds the old state. Whoever calls has the home's lock. Throws HubError `storage` and has then changed nothing. */
export function swap({ placed, ...options }: SwapOptions): string {
  const { home } = options;
  refuseWhatCannotMove(home, options.units);
  const journal = planSwap(options);
  writeFileAtomic(placesIn(home).journal, `${JSON.stringify(journal, null, 2)}\n`, 0o600);
  try {
    exchange(home, journal);
  } catch (error) {
    takeBack(home, journal, messageOf(error));
    throw new HubError("storage", `the files could not be exchanged, and are as they were: ${messageOf(error)}`, {
      cause: error,
    });
  }
  finish(home, journal, placed);
  return join(home.root, journal.kept);
}

/**
 * Goes on with a swap that was cut short; to be called before anything of the home is opened, by whoever has its lock.
 * Answers whether there was one. Throws HubError `storage`.
 */
export function resumeSwap(home: Home, placed: Placed): boolean {
  const journal = readJournal(home);
  if (!journal) return false;
  exchange(home, journal);
  finish(home, journal, placed);
  return true;
}

export function hasJournal(home: Home): boolean {
  return existsSync(placesIn(home).journal);
}

function planSwap({ home, source, spent, units, now, onTrial = false }: Omit<SwapOptions, "placed">): Journal {
  const kept = nextKept(home, now);
  const below = (path: string): string => relative(home.root, path);
  const movesOf = (from: Home, to: string): Move[] =>
    units
      .flatMap((unit) => pathsOf(from, unit).filter(isThere))
      .map((path) => ({ from: below(path), to: below(join(to, relative(from.root, path))) }));
  return {
    version: 1,
    at: isoSeconds(now),
    units: [...units],
    kept: below(kept),
    spent: below(spent),
    keep: movesOf(home, kept),
    place: movesOf(source, home.root),
    onTrial,
  };
}

/** Done again, it does what is left. */
function exchange(home: Home, { at, units, kept, keep, place }: Journal): void {
  const folder = join(home.root, kept);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  noteKept(folder, { at, units });
  rename(home, keep, ({ from, to }) => !isThere(to) && isThere(from));
  // The old is safe on the disk before its names are taken.
  rename(home, place, ({ from }) => isThere(from));
}

/** What was done of it, the other way round. Where that fails as well, the next start goes on with it. */
function takeBack(home: Home, { kept, keep, place }: Journal, reason: string): void {
  const back = [...keep, ...place].reverse().map(({ from, to }) => ({ from: to, to: from }));
  try {
    rename(home, back, ({ from, to }) => isThere(from) && !isThere(to));
    rmSync(placesIn(home).journal, { force: true });
    syncFolder(home.data);
    rmSync(join(home.root, kept), { recursive: true, force: true });
  } catch (error) {
    throw new HubError(
      "storage",
      `the files could be exchanged only in part: ${reason}; mend that, and the next start of the hub ends it`,
      { cause: error },
    );
  }
}

function finish(home: Home, { at, onTrial = false, spent }: Journal, placed: Placed): void {
  placed({ at, onTrial });
  rmSync(join(home.root, spent), { recursive: true, force: true });
  rmSync(placesIn(home).journal, { force: true });
  syncFolder(home.data);
}

/** Those that are due, asked with whole paths; on the disk when it returns. */
function rename(home: Home, moves: readonly Move[], isDue: (move: Move) => boolean): void {
  const folders = new Set<string>();
  for (const move of moves) {
    const [from, to] = [join(home.root, move.from), join(home.root, move.to)];
    if (!isDue({ from, to })) continue;
    mkdirSync(dirname(to), { recursive: true });
    for (const folder of [dirname(from), dirname(to)]) folders.add(folder);
    renameSync(from, to);
  }
  for (const folder of folders) if (existsSync(folder)) syncFolder(folder);
}

function readJournal(home: Home): Journal | undefined {
  const { journal } = placesIn(home);
  if (!existsSync(journal)) return undefined;
  const read = readJsonFile(journal);
  if (Value.Check(Journal, read)) return read;
  throw new HubError(
    "storage",
    `${journal} says that a restore is under way, but not which: it is damaged. The old state is in the last ${home.data}/before-restore-… folder`,
  );
}
