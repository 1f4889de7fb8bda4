// Files that are complete or absent, also after a power cut: temporary file, fsync, rename, fsync of the folder.
import { dlopen, ptr } from "bun:ffi";
import {
  closeSync,
  fsync,
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
import { systemCode } from "../schema/errors.ts";

/** Replaces `path` with `content`. Throws the system error (`ENOSPC`, `EACCES`, …) and then leaves the old file as it was. */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o644): void {
  write(path, { content, mode }, (temporary) => {
    renameSync(temporary, path);
    return true;
  });
}

export interface Replacement {
  /** The content that was read. */
  expected: string | Uint8Array;
  content: string | Uint8Array;
  mode: number;
}

// A person saves a few times a minute; a program that saves in a loop is given up on.
const MAX_EXCHANGES = 20;

/**
 * As `writeFileAtomic`, but only if the file still has the content that was read. Returns false if somebody saved it
 * meanwhile; their version stays. The new and the old file are exchanged in one step, so the content found at that moment
 * is checked, and exchanged back if it is not the expected one. Not covered: a program that opened the old file before and
 * begins to write into it only when the new one is on disk, and, where files cannot be exchanged, a save between the check and the rename.
 */
export function replaceFile(path: string, { expected, content, mode }: Replacement): boolean {
  return write(path, { content, mode }, (temporary) => {
    if (!hasContent(path, expected)) return false;
    if (!exchangeFiles(temporary, path)) {
      if (!hasContent(path, expected)) return false;
      renameSync(temporary, path);
      return true;
    }
    try {
      const isUnchanged = (): boolean => hasContent(temporary, expected);
      if (isUnchanged()) {
        // Whoever was just opening the old file has begun to write by then.
        syncFolder(dirname(path));
        if (isUnchanged()) return true;
      }
    } catch (error) {
      exchangeFiles(temporary, path);
      throw error;
    }
    restoreOther(temporary, { path, content });
    return false;
  });
}

/** Exchanges back what somebody else saved; repeated if they saved once more in between, until our own content comes out. */
function restoreOther(temporary: string, { path, content }: { path: string; content: string | Uint8Array }): void {
  for (let exchanges = 0; exchanges < MAX_EXCHANGES; exchanges++) {
    if (exchangeFiles(temporary, path)) {
      if (hasContent(temporary, content)) return;
      // Otherwise our file was removed at this very moment.
    } else if (placeNew(temporary, path)) return;
  }
}

/** Creates a file; false if one of that name exists. */
export function createFile(path: string, content: string, mode: number): boolean {
  return write(path, { content, mode }, (temporary) => placeNew(temporary, path));
}

function placeNew(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    // This file system has no hard links; the name was free a moment ago.
    renameSync(temporary, path);
  }
  return true;
}

/** Writes a temporary file beside `path`, lets `place` put it there, and removes what is left of it. */
function write(
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

function hasContent(path: string, content: string | Uint8Array): boolean {
  try {
    return readFileSync(path).equals(typeof content === "string" ? Buffer.from(content) : content);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** For temporary files: failing to remove one must not hide the error that came before. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // `sweepTemporaryFiles` removes it at a later start.
  }
}

const TEMPORARY = /\.([1-9]\d{0,9})\.tmp$/;

/** Removes the temporary files of processes that were killed while writing; those of running processes stay. */
export function sweepTemporaryFiles(folder: string): void {
  for (const name of temporaryFilesIn(folder)) {
    const writer = Number(TEMPORARY.exec(name)?.[1]);
    // Process ids are reused: this process has not written there yet.
    if (writer === process.pid || !isRunning(writer)) removeIfPossible(join(folder, name));
  }
}

function temporaryFilesIn(folder: string): string[] {
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

/** Makes a rename or a new name in the folder durable. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** The same, without waiting; the folder has to be there when it is called. */
export async function syncFolderSoon(path: string): Promise<void> {
  const folder = openSync(path, "r");
  try {
    await new Promise<void>((resolve, reject) => fsync(folder, (error) => (error ? reject(error) : resolve())));
  } finally {
    closeSync(folder);
  }
}

const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const SYMBOLS = { renameat2: { args: ["i32", "ptr", "i32", "ptr", "u32"], returns: "i32" } } as const;

type Exchange = (one: Uint8Array, other: Uint8Array) => number;
/** Null before the first use; undefined where the system has no such call. */
let exchange: Exchange | undefined | null = null;

/**
 * Exchanges two files in one step. Linux only, and not on every file system: false where it is not possible, or where one
 * of the files is missing, and then nothing has changed. Neither Node nor Bun offers it, so libc is called.
 */
export function exchangeFiles(one: string, other: string): boolean {
  if (exchange === null) exchange = loadExchange();
  return exchange?.(cString(one), cString(other)) === 0;
}

function loadExchange(): Exchange | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    // musl answers to glibc's file name too, and has had the function for as long as Bun has needed musl.
    const { renameat2 } = dlopen("libc.so.6", SYMBOLS).symbols;
    return (one, other) => renameat2(AT_FDCWD, ptr(one), AT_FDCWD, ptr(other), RENAME_EXCHANGE);
  } catch {
    return undefined;
  }
}

function cString(text: string): Uint8Array {
  return new TextEncoder().encode(`${text}\0`);
}

/** Their names; none where the folder cannot be read. */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
