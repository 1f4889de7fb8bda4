// Replaces a home's files by renames alone. The renames are written to a journal first, and whoever finds that journal finishes
// them: so the home is wholly the old one before, and wholly the new one after.
import { existsSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { syncFolder, writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { readingsFolder } from "../../../server/db/readings.ts";
import type { Home } from "../../../server/home/paths.ts";
import type { Unit } from "../archive/archive-plan.ts";
import { placesIn } from "../places.ts";
import { nextOldState, noteOldState, readJsonFile, UnitName } from "./old-states.ts";

const Move = Type.Object({ from: Type.String(), to: Type.String() });

/** Paths are below HUB_HOME. */
const Journal = Type.Object({
  version: Type.Literal(1),
  at: Type.String(),
  units: Type.Array(UnitName),
  /** The folder that the old state is kept in. */
  kept: Type.String(),
  /** Removed at the end. */
  spent: Type.String(),
  /** Moves the old state away. A move is done where `to` exists. */
  keep: Type.Array(Move),
  /** Moves the new state in. A move is done where `from` is gone. */
  place: Type.Array(Move),
  /** Whether a hub has yet to prove that it starts with the new state. */
  onTrial: Type.Optional(Type.Boolean()),
});
type Journal = Static<typeof Journal>;
type Move = Static<typeof Move>;

export interface SwapOptions {
  home: Home;
  /** Where the new files are, in the same layout. */
  source: Home;
  /** Removed at the end. */
  spent: string;
  units: readonly Unit[];
  /** Epoch ms. */
  now: number;
  onTrial?: boolean;
  onPlaced: OnPlaced;
}

/** Called when all files are in place, while the journal still exists: after a power cut perhaps a second time. */
export type OnPlaced = (swap: { at: string; onTrial: boolean }) => void;

/** Returns the folder with the old state. The caller holds the home's lock. Throws HubError `storage`, and has then changed nothing. */
export function swap({ onPlaced, ...options }: SwapOptions): string {
  const { home } = options;
  refuseUnmovable(home, options.units);
  const journal = planSwap(options);
  writeFileAtomic(placesIn(home).journal, `${JSON.stringify(journal, null, 2)}\n`, 0o600);
  try {
    moveAll(home, journal);
  } catch (error) {
    moveBack(home, journal, messageOf(error));
    throw new HubError("storage", `the files could not be replaced, and are as they were: ${messageOf(error)}`, {
      cause: error,
    });
  }
  finish(home, journal, onPlaced);
  return join(home.root, journal.kept);
}

/**
 * Finishes an interrupted swap. Must be called with the home locked, before anything in it is opened. Returns whether there was
 * one. Throws HubError `storage`.
 */
export function resumeSwap(home: Home, onPlaced: OnPlaced): boolean {
  const journal = readJournal(home);
  if (!journal) return false;
  moveAll(home, journal);
  finish(home, journal, onPlaced);
  return true;
}

export function hasJournal(home: Home): boolean {
  return existsSync(placesIn(home).journal);
}

function planSwap({ home, source, spent, units, now, onTrial = false }: Omit<SwapOptions, "onPlaced">): Journal {
  const kept = nextOldState(home, now);
  const below = (path: string): string => relative(home.root, path);
  const movesOf = (from: Home, to: string): Move[] =>
    units
      .flatMap((unit) => pathsOf(from, unit).filter(exists))
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

/** When it is called again, it does what is left. */
function moveAll(home: Home, { at, units, kept, keep, place }: Journal): void {
  const folder = join(home.root, kept);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  noteOldState(folder, { at, units });
  move(home, keep, ({ from, to }) => !exists(to) && exists(from));
  // The old files are safe on the disk before their names are used again.
  move(home, place, ({ from }) => exists(from));
}

/** Reverses what was done. Where that fails as well, the next start of the hub finishes the swap. */
function moveBack(home: Home, { kept, keep, place }: Journal, reason: string): void {
  const back = [...keep, ...place].reverse().map(({ from, to }) => ({ from: to, to: from }));
  try {
    move(home, back, ({ from, to }) => exists(from) && !exists(to));
    rmSync(placesIn(home).journal, { force: true });
    syncFolder(home.data);
    rmSync(join(home.root, kept), { recursive: true, force: true });
  } catch (error) {
    throw new HubError(
      "storage",
      `only some of the files could be replaced: ${reason}; mend that, and the next start of the hub finishes it`,
      { cause: error },
    );
  }
}

function finish(home: Home, { at, onTrial = false, spent }: Journal, onPlaced: OnPlaced): void {
  onPlaced({ at, onTrial });
  rmSync(join(home.root, spent), { recursive: true, force: true });
  rmSync(placesIn(home).journal, { force: true });
  syncFolder(home.data);
}

/** Renames those that are due; `isDue` gets absolute paths. They are on the disk when it returns. */
function move(home: Home, moves: readonly Move[], isDue: (move: Move) => boolean): void {
  const folders = new Set<string>();
  for (const one of moves) {
    const [from, to] = [join(home.root, one.from), join(home.root, one.to)];
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
    `${journal} says that a restore was interrupted, but is damaged itself. The old state is in the last ${home.data}/before-restore-… folder`,
  );
}

/** Throws HubError `storage` where the home's files cannot be renamed away, with the reason and what to do. */
export function refuseUnmovable(home: Home, wanted: readonly Unit[]): void {
  const { dev } = statSync(home.data);
  const paths = wanted.flatMap((unit) => pathsOf(home, unit));
  const present = paths.filter(exists);
  for (const path of present) refuseLinkOrOtherDisk(path, dev, home);
  // A rename writes to the parent folder, and to a folder itself when it gets another parent.
  const folders = present.filter((path) => lstatSync(path).isDirectory());
  for (const folder of new Set([home.data, ...paths.map(dirname), ...folders])) refuseUnwritable(folder);
}

/** A database moves with its logs and the note of its mark, and with the journal that holds what it has not got yet. */
function pathsOf({ stateDb, historyDb, config, rules }: Home, unit: Unit): string[] {
  if (unit === "config") return [config];
  if (unit === "rules") return [rules];
  const database = unit === "state" ? stateDb : historyDb;
  const files = ["", "-wal", "-shm", "-journal", ".mark", ".own"].map((suffix) => database + suffix);
  return unit === "state" ? [...files, readingsFolder(stateDb)] : files;
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Renames stay within one file system, and a moved link would lead elsewhere. */
function refuseLinkOrOtherDisk(path: string, dev: number, { data }: Home): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink())
    throw new HubError("storage", `${path} is a link: put the real one in its place, then restore again`);
  if (stat.dev !== dev || statSync(dirname(path)).dev !== dev)
    throw new HubError(
      "storage",
      `${path} lies on another disk than ${data}, and a restore replaces files by renaming: bring them onto one disk`,
    );
}

/** Tried out, because permissions are not enough: file systems are mounted read-only, or become so when they are damaged. */
function refuseUnwritable(folder: string): void {
  try {
    rmdirSync(mkdtempSync(join(folder, ".restore-")));
  } catch (error) {
    throw new HubError(
      "storage",
      `${folder} cannot be written (${messageOf(error)}), so nothing was restored: it must belong to the user who owns this home`,
      { cause: error },
    );
  }
}
