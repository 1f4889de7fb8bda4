// The file of a database that is open here, distinguished from one that somebody puts in its place meanwhile. SQLite would write the pages
// of the former into it. So the file is written at checkpoints alone, each only after a look; once it was exchanged, the former is
// set aside with its log, and the new one stays as it is until the next start.
import type { Database } from "bun:sqlite";
import {
  closeSync,
  copyFileSync,
  constants as fs,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { isComplete, readHeader } from "./file-header.ts";

/** A database that was exchanged while it was open. */
export interface Exchanged {
  /** Where the former was set aside; undefined where nothing is left of it. */
  readonly keptAs: string | undefined;
  /** It was copied over: only its log is kept. */
  readonly isWrittenOver: boolean;
}

export interface OwnFile {
  /** What became of it; undefined while it is in its place. Looks at the disk, which is cheap. */
  exchanged(): Exchanged | undefined;
  /** Whether the file that is there now is complete, and as it was when this was asked before. */
  isQuiet(): boolean;
  /** Writes what has gathered in the log into the file; nothing while there is little, or after an exchange. */
  checkpointIfDue(): void;
  /**
   * Closes all its connections, and leaves no log beside it. After an exchange the new file stays as it is: false where it is still being
   * copied, so that they have to stay open.
   */
  close(): boolean;
}

/** As many bytes as SQLite lets gather by itself. */
const CHECKPOINT_BYTES = 4_096_000;
/** Connections that must not be closed: not even when nobody uses them any more. */
const left = new Set<readonly Database[]>();

/** The second name of a file in use: a file that another one was renamed over would have none. */
export const secondName = (path: string): string => `${path}.own`;

/** `connections`: all of this thread, open; the first one does the checkpoints. `now`: epoch ms, for the names of what is set aside. */
export function ownFile(path: string, now: () => number, connections: readonly [Database, ...Database[]]): OwnFile {
  const [first] = connections;
  for (const db of connections) db.run("PRAGMA wal_autocheckpoint = 0");
  const own = identityOf(path);
  let seen = own;
  let found: Exchanged | undefined;
  nameTwice(path);

  function exchanged(): Exchanged | undefined {
    if (found) return found;
    const present = statOf(path);
    if (present?.stat === seen.stat) return undefined;
    const read = identityOf(path);
    if (read.file === own.file && read.mark === own.mark) seen = read;
    else found = { isWrittenOver: read.file === own.file, keptAs: setFormerAside(path, now()) };
    return found;
  }

  function checkpoint(how: "PASSIVE" | "TRUNCATE"): void {
    if (exchanged()) return;
    first.run(`PRAGMA wal_checkpoint(${how})`);
    seen = identityOf(path);
  }

  return {
    exchanged,
    isQuiet() {
      const before = seen.stat;
      seen = identityOf(path);
      return seen.stat === before && isComplete(path);
    },
    checkpointIfDue() {
      if ((statOf(`${path}-wal`)?.size ?? 0) >= CHECKPOINT_BYTES) checkpoint("PASSIVE");
    },
    close() {
      try {
        checkpoint("TRUNCATE");
      } catch {
        // The log stays beside the file and is read at the next start.
      }
      // SQLite writes the log into the file when it is closed, unless it has another place by then.
      if (found && statOf(path)?.file === own.file && !giveOwnPlace(path)) {
        left.add(connections);
        return false;
      }
      left.delete(connections);
      for (const db of connections.toReversed()) db.close();
      if (!found) rmSync(secondName(path), { force: true });
      return true;
    },
  };
}

/**
 * Renames what a process left of a file that was exchanged while it was in use: returns its new name; undefined where there is nothing,
 * or it is in its place still.
 */
export function setFormerAside(path: string, now: number): string | undefined {
  const second = secondName(path);
  const [former, present] = [statOf(second), statOf(path)];
  const kept = `${path}.replaced-${new Date(now).toISOString().replace(/[:.]/g, "-")}`;
  const hasFormer = former !== undefined && former.file !== present?.file;
  if (hasFormer) renameSync(second, kept);
  else rmSync(second, { force: true });
  const hasLog = (statOf(`${path}-wal`)?.size ?? 0) > 0;
  if (hasLog) renameSync(`${path}-wal`, `${kept}-wal`);
  else rmSync(`${path}-wal`, { force: true });
  rmSync(`${path}-shm`, { force: true });
  if (hasFormer) return kept;
  return hasLog ? `${kept}-wal` : undefined;
}

interface Stat {
  /** The same for all names of a file. */
  file: string;
  size: number;
  /** Another one after each write. */
  stat: string;
}

function statOf(path: string): Stat | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  if (!found) return undefined;
  const file = `${found.dev}:${found.ino}`;
  return { file, size: Number(found.size), stat: `${file}:${found.size}:${found.mtimeNs}` };
}

interface Identity {
  file: string | undefined;
  stat: string | undefined;
  /** See copies/backup/restore/stale-wal.ts; undefined where the file is no database, as one that is being copied. */
  mark: number | undefined;
}

function identityOf(path: string): Identity {
  const found = statOf(path);
  return { file: found?.file, stat: found?.stat, mark: readHeader(path)?.mark };
}

function nameTwice(path: string): void {
  const second = secondName(path);
  try {
    rmSync(second, { force: true });
    linkSync(path, second);
  } catch {
    // A file system without a second name for a file: then a former that was renamed over is lost.
  }
}

/** Makes what was copied over the own file a file of its own. False while it is still being copied, or there is no space. */
function giveOwnPlace(path: string): boolean {
  if (!isComplete(path)) return false;
  const copy = `${path}.placed.tmp`;
  try {
    copyFileSync(path, copy, fs.COPYFILE_FICLONE);
    syncFile(copy);
    renameSync(copy, path);
    return true;
  } catch {
    rmSync(copy, { force: true });
    return false;
  }
}

function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
