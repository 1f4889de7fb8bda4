// The exchange of a home's files for others, by renames alone. What is to be renamed is written down first: whoever finds
// that journal goes on with it, so that the home is wholly the old one before, and wholly the new one after.
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { syncFolder, writeFileAtomic } from "../core/atomic-file.ts";
import { isoSeconds } from "../core/clock.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
import { KEPT_NAME, placesIn, timeInName } from "./places.ts";
import { type Unit, units } from "./understand.ts";

const UnitName = Type.Union(units.map((unit) => Type.Literal(unit)));
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
});
type Journal = Static<typeof Journal>;
type Move = Static<typeof Move>;

const KEPT_NOTE = "kept.json";
const Kept = Type.Object({ at: Type.String(), units: Type.Array(UnitName) });

export interface SwapOptions {
  home: Home;
  /** Where the new files are, in the same layout. */
  source: Home;
  /** Removed when all is done. */
  spent: string;
  units: readonly Unit[];
  /** Epoch ms. */
  now: number;
}

/** Answers the folder that holds the old state. Whoever calls has the home's lock. Throws HubError `storage` and has then changed nothing. */
export function swap(options: SwapOptions): string {
  const { home } = options;
  const journal = planSwap(options);
  refuseWhatCannotMove(home, journal);
  giveToOwner(home, options.source.root);
  writeFileAtomic(placesIn(home).journal, `${JSON.stringify(journal, null, 2)}\n`, 0o600);
  carryOut(home, journal);
  return join(home.root, journal.kept);
}

/**
 * Goes on with a swap that was cut short; to be called before anything of the home is opened, by whoever has its lock.
 * Answers whether there was one. Throws HubError `storage`.
 */
export function resumeSwap(home: Home): boolean {
  const journal = readJournal(home);
  if (!journal) return false;
  carryOut(home, journal);
  return true;
}

export function hasJournal(home: Home): boolean {
  return existsSync(placesIn(home).journal);
}

/** What a restore replaced last, if it is still there. */
export function newestKept(home: Home): { home: string; units: readonly Unit[]; at: string } | undefined {
  for (const name of keptNames(home).reverse()) {
    const folder = placesIn(home).kept(name);
    const note = readJson(join(folder, KEPT_NOTE));
    if (Value.Check(Kept, note)) return { home: folder, units: note.units, at: note.at };
  }
  return undefined;
}

function planSwap({ home, source, spent, units: wanted, now }: SwapOptions): Journal {
  const last = keptNames(home).at(-1);
  const number = Number(KEPT_NAME.exec(last ?? "")?.[1] ?? 0) + 1;
  const kept = placesIn(home).kept(`before-restore-${String(number).padStart(4, "0")}-${timeInName(now)}`);
  const below = (path: string): string => relative(home.root, path);
  const movesOf = (from: Home, to: string): Move[] =>
    wanted.flatMap((unit) =>
      pathsOf(from, unit)
        .filter((path) => lstatSync(path, { throwIfNoEntry: false }))
        .map((path) => ({ from: below(path), to: below(join(to, relative(from.root, path))) })),
    );
  return {
    version: 1,
    at: isoSeconds(now),
    units: [...wanted],
    kept: below(kept),
    spent: below(spent),
    keep: movesOf(home, kept),
    place: movesOf(source, home.root),
  };
}

/** A database goes with its logs: one that stayed would be taken for the new file's. */
function pathsOf({ stateDb, historyDb, config, rules }: Home, unit: Unit): string[] {
  if (unit === "config") return [config];
  if (unit === "rules") return [rules];
  const database = unit === "state" ? stateDb : historyDb;
  return ["", "-wal", "-shm", "-journal"].map((suffix) => database + suffix);
}

function carryOut(home: Home, { at, units: replaced, kept, spent, keep, place }: Journal): void {
  const path = (below: string): string => join(home.root, below);
  const folders = new Set<string>();
  const rename = ({ from, to }: Move): void => {
    mkdirSync(dirname(path(to)), { recursive: true });
    for (const folder of [dirname(path(from)), dirname(path(to))]) folders.add(folder);
    renameSync(path(from), path(to));
  };
  const sync = (): void => {
    for (const folder of folders) if (existsSync(folder)) syncFolder(folder);
  };
  mkdirSync(path(kept), { recursive: true, mode: 0o700 });
  giveToOwner(home, path(kept));
  for (const move of keep) if (!there(path(move.to)) && there(path(move.from))) rename(move);
  // The old is safe on the disk before its names are taken.
  sync();
  for (const move of place) if (there(path(move.from))) rename(move);
  sync();
  writeFileAtomic(join(path(kept), KEPT_NOTE), `${JSON.stringify({ at, units: replaced })}\n`, 0o600);
  rmSync(path(spent), { recursive: true, force: true });
  rmSync(placesIn(home).journal, { force: true });
  syncFolder(home.data);
}

function there(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function readJournal(home: Home): Journal | undefined {
  const { journal } = placesIn(home);
  if (!existsSync(journal)) return undefined;
  const read = readJson(journal);
  if (Value.Check(Journal, read)) return read;
  throw new HubError(
    "storage",
    `${journal} says that a restore is under way, but not which: it is damaged. The old state is in the last ${home.data}/before-restore-… folder`,
  );
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (systemCode(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw new HubError("storage", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

function keptNames(home: Home): string[] {
  if (!existsSync(home.data)) return [];
  const number = (name: string): number => Number(KEPT_NAME.exec(name)?.[1]);
  return readdirSync(home.data)
    .filter((name) => KEPT_NAME.test(name))
    .sort((a, b) => number(a) - number(b));
}

/** Renames stay within one file system, and a link that moved would lead elsewhere. */
function refuseWhatCannotMove(home: Home, { keep }: Journal): void {
  const { dev } = statSync(home.data);
  for (const { from } of keep) {
    const path = join(home.root, from);
    const stat = lstatSync(path);
    if (stat.isSymbolicLink())
      throw new HubError("storage", `${path} is a link: put the real one in its place, then restore again`);
    if (stat.dev !== dev)
      throw new HubError(
        "storage",
        `${path} lies on another disk than ${home.data}, and a restore exchanges them by renaming: bring them onto one`,
      );
  }
}

/** A restore by root for a hub that is not: its user has to be able to write what is new. */
function giveToOwner(home: Home, what: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(existsSync(home.data) ? home.data : home.root);
  if (uid === 0) return;
  const give = (path: string): void => {
    chownSync(path, uid, gid);
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) give(join(path, name));
  };
  give(what);
  for (const path of [home.lock, placesIn(home).turn]) if (existsSync(path)) chownSync(path, uid, gid);
}
