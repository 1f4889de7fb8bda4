// Files that are whole or absent, also after a power cut: temporary file, fsync, rename, fsync of the folder.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Replaces `path` with `content`. Throws the system error (`ENOSPC`, `EACCES`, …) and then leaves the old file as it was. */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o644): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, "w", mode);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    removeIfPossible(temporary);
    throw error;
  }
  syncFolder(dirname(path));
}

/** For temporary files, whose cleaning up must hide no other failure: a disk that removes nothing has other troubles. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // What is left is swept away at a later start.
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
