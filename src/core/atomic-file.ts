// Files that are whole or absent, also after a power cut: temporary file, fsync, rename, fsync of the folder.
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "./errors.ts";
import { exchangeFiles } from "./exchange-files.ts";

/** Replaces `path` with `content`. Throws the system error (`ENOSPC`, `EACCES`, …) and then leaves the old file as it was. */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o644): void {
  put(path, { content, mode }, (temporary) => {
    renameSync(temporary, path);
    return true;
  });
}

export interface Replacement {
  /** What was read. */
  expected: string | Uint8Array;
  content: string | Uint8Array;
  mode: number;
}

// A person saves a few times a minute; a program that saves without end is not waited for.
const MOST_EXCHANGES = 20;

/**
 * As `writeFileAtomic`, but only where the file still has what was read: false where somebody has saved it meanwhile, and
 * then theirs stays. The two files change places, so whatever was there at that moment is seen, and put back if it is not
 * what was expected. What is left: a program that had opened the old file before, and writes into it only afterwards. Where
 * files cannot be exchanged, it is a moment between the comparison and the rename.
 */
export function replaceFile(path: string, { expected, content, mode }: Replacement): boolean {
  return put(path, { content, mode }, (temporary) => {
    if (!holds(path, expected)) return false;
    if (!exchangeFiles(temporary, path)) {
      if (!holds(path, expected)) return false;
      renameSync(temporary, path);
      return true;
    }
    try {
      if (holds(temporary, expected)) return true;
    } catch (error) {
      exchangeFiles(temporary, path);
      throw error;
    }
    putBack(temporary, { path, content });
    return false;
  });
}

/** What was saved goes back, and again if something newer was saved in between: until what comes out is ours. */
function putBack(temporary: string, { path, content }: { path: string; content: string | Uint8Array }): void {
  for (let exchanges = 0; exchanges < MOST_EXCHANGES; exchanges++) {
    if (exchangeFiles(temporary, path)) {
      if (holds(temporary, content)) return;
      // Ours was taken away at this very moment.
    } else if (placeNew(temporary, path)) return;
  }
}

/** A file that was not there: false where there is one by now. */
export function createFile(path: string, content: string, mode: number): boolean {
  return put(path, { content, mode }, (temporary) => placeNew(temporary, path));
}

function placeNew(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    // No links here: the name was free a moment ago.
    renameSync(temporary, path);
  }
  return true;
}

/** Writes a temporary file beside it, has it placed, and takes away what is left. */
function put(
  path: string,
  { content, mode }: { content: string | Uint8Array; mode: number },
  place: (temporary: string) => boolean,
): boolean {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, "w", mode);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (!place(temporary)) return false;
  } finally {
    removeIfPossible(temporary);
  }
  syncFolder(dirname(path));
  return true;
}

function holds(path: string, content: string | Uint8Array): boolean {
  try {
    return readFileSync(path).equals(typeof content === "string" ? Buffer.from(content) : content);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** For temporary files, whose cleaning up must hide no other failure: a disk that removes nothing has other troubles. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // What is left is swept away at a later start.
  }
}

const TEMPORARY = /\.([1-9]\d{0,9})\.tmp$/;

/** Takes away temporary files of processes that were killed while writing; those of others that run stay. */
export function sweepTemporaryFiles(folder: string): void {
  for (const name of namesIn(folder)) {
    const writer = Number(TEMPORARY.exec(name)?.[1]);
    // Numbers are given anew: this very process has not written there yet.
    if (writer === process.pid || !isRunning(writer)) removeIfPossible(join(folder, name));
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => TEMPORARY.test(name));
  } catch {
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}

/** Makes a rename or a new name in the folder last. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
