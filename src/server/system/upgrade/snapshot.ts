// The databases of a stopped hub as they were before another version was tried on them: copies in a folder of the home, which share
// their blocks with the originals where the file system can do that, and the way back by renames that the next start finishes.
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { copyFile, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { syncFolder, writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { RESERVE_BYTES, requireSpace } from "../../../kit/files/free-space.ts";
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { systemCode } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { draftPath } from "../../db/reading-draft.ts";
import { readingsFolder } from "../../db/readings.ts";
import type { Home } from "../../home/paths.ts";

const Note = Type.Object({
  /** The hub whose databases these are. */
  version: Type.String(),
  /** UTC. */
  at: Type.String(),
  files: Type.Array(Type.String()),
  /** They are on their way back: whoever finds this goes on with it. */
  goes_back: Type.Boolean(),
  /** How long the version that followed has been well. */
  well_secs: Type.Number(),
});
type Note = Static<typeof Note>;

export interface Snapshot {
  readonly version: string;
  /** UTC. */
  readonly at: string;
  readonly bytes: number;
  readonly wellSecs: number;
  readonly goesBack: boolean;
  noteWell(secs: number): void;
  /** From here on, a start that finds it finishes `putBack`. */
  beginPutBack(): void;
  /** Replaces what is in the home by it; it is gone then. The hub must be down. May be repeated. */
  putBack(): void;
  /** Keeps it in the place of an older one. */
  keep(): void;
  remove(): void;
}

const NOTE = "note.json";

/** Throws HubError `storage` with the numbers, where there is not enough space for a second copy of the databases. */
export function requireSpaceForSnapshot(home: Home): void {
  if (sharesBlocks(home.data)) return;
  const bytes = filesIn(home).reduce((sum, path) => sum + bytesOf(path), 0);
  requireSpace(home.data, bytes + RESERVE_BYTES, "keeping the databases as they are, to go back to,");
}

/** The hub must be down. Throws HubError `storage`. It is for a trial until `keep`. */
export async function takeSnapshot(home: Home, { version, at }: Pick<Note, "version" | "at">): Promise<Snapshot> {
  const folder = home.beforeTrial;
  rmSync(folder, { recursive: true, force: true });
  requireSpaceForSnapshot(home);
  mkdirSync(folder, { mode: 0o700 });
  try {
    const paths = filesIn(home);
    for (const path of paths) await copy(path, join(folder, basename(path)));
    // Without it, what is in the folder is no snapshot: it comes last.
    writeNote(folder, { version, at, files: paths.map((path) => basename(path)), goes_back: false, well_secs: 0 });
    syncFolder(home.data);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return snapshotIn(home, folder) as Snapshot;
}

/** Of an upgrade that is being tried out, or was interrupted. */
export const snapshotOfTrial = (home: Home): Snapshot | undefined => snapshotIn(home, home.beforeTrial);

/** Of the last upgrade, until the version that followed has been well for a day. */
export const keptSnapshot = (home: Home): Snapshot | undefined => snapshotIn(home, home.beforeUpgrade);

function snapshotIn(home: Home, folder: string): Snapshot | undefined {
  const note = readNote(folder);
  if (note === undefined) return undefined;
  const change = (changes: Partial<Note>): void => writeNote(folder, Object.assign(note, changes));
  return {
    version: note.version,
    at: note.at,
    bytes: note.files.reduce((sum, name) => sum + bytesOf(join(folder, name)), 0),
    wellSecs: note.well_secs,
    goesBack: note.goes_back,
    noteWell: (secs) => change({ well_secs: secs }),
    beginPutBack: () => change({ goes_back: true }),
    putBack() {
      if (!note.goes_back) change({ goes_back: true });
      putBack(home, folder, note.files);
    },
    keep() {
      rmSync(home.beforeUpgrade, { recursive: true, force: true });
      renameSync(folder, home.beforeUpgrade);
      syncFolder(home.data);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A file that is not in the folder any more is in its place already. */
function putBack(home: Home, folder: string, files: readonly string[]): void {
  for (const path of placesIn(home)) {
    const saved = join(folder, basename(path));
    if (!files.includes(basename(path)) || existsSync(saved)) rmSync(realOf(path), { recursive: true, force: true });
    if (existsSync(saved)) moveTo(saved, realOf(path));
  }
  // What was read last by the version that goes.
  rmSync(draftPath(readingsFolder(home.stateDb)) ?? "", { force: true });
  syncFolder(home.data);
  rmSync(folder, { recursive: true, force: true });
}

/** All that belongs to the databases, whether or not it is there. */
function placesIn({ stateDb, historyDb }: Home): string[] {
  const withLogs = [stateDb, historyDb].flatMap((path) =>
    ["", "-wal", "-shm", "-journal", ".mark"].map((suffix) => path + suffix),
  );
  return [...withLogs, readingsFolder(stateDb)];
}

/** What of it is there and has a content of its own. */
function filesIn(home: Home): string[] {
  return placesIn(home).filter((path) => !path.endsWith("-shm") && existsSync(path));
}

/** Of a database that is a link to another disk, the file there. */
function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function moveTo(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error;
    copyFileSync(from, `${to}.back`);
    renameSync(`${to}.back`, to);
    syncFolder(dirname(to));
  }
}

/** A file, or a folder of files. Not in the way of the thread: it may be a gigabyte, and the supervisor asks how the hub is. */
async function copy(from: string, to: string): Promise<void> {
  if (statSync(from).isDirectory()) {
    mkdirSync(to, { mode: 0o700 });
    for (const name of readdirSync(from)) await copy(join(from, name), join(to, name));
    return syncFolder(to);
  }
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const file = await open(to, "r+");
  await file.sync().finally(() => file.close());
}

function bytesOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

/** Whether a copy takes no space until one of the two is changed, as on Btrfs and XFS. */
function sharesBlocks(folder: string): boolean {
  const [one, other] = [join(folder, `.blocks.${process.pid}.tmp`), join(folder, `.shared.${process.pid}.tmp`)];
  try {
    writeFileSync(one, "x".repeat(4096));
    copyFileSync(one, other, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  } finally {
    for (const path of [one, other]) rmSync(path, { force: true });
  }
}

function writeNote(folder: string, note: Note): void {
  writeFileAtomic(join(folder, NOTE), `${JSON.stringify(note)}\n`, 0o600);
}

function readNote(folder: string): Note | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(join(folder, NOTE), "utf8"));
    return Value.Check(Note, found) ? found : undefined;
  } catch {
    return undefined;
  }
}

const LOOK_MS = 10 * 60_000;
const DAY_SECS = 24 * 3600;

interface SnapshotExpiryOptions {
  home: Home;
  clock: Clock;
  log: Log;
  isWell: () => boolean;
}

/** Removes it when the version that followed has been well for a day. Time that the hub is off does not count; being unwell begins the day anew. */
export function startSnapshotExpiry({ home, clock, log, isWell }: SnapshotExpiryOptions): Disposable {
  let last = clock.mono();
  return clock.every(
    "snapshot",
    LOOK_MS,
    guarded(log, "snapshot", () => {
      const now = clock.mono();
      const passed = (now - last) / 1000;
      last = now;
      const kept = keptSnapshot(home);
      if (!kept) return;
      const well = isWell() ? kept.wellSecs + passed : 0;
      if (well < DAY_SECS) return kept.noteWell(Math.round(well));
      kept.remove();
      log.info("this version has been well for a day: the databases from before it are not kept any more", {
        of: kept.version,
      });
    }),
  );
}
