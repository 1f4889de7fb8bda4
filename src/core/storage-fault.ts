// What keeps a disk from taking what is written, and what to do about each.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { removeIfPossible } from "./atomic-file.ts";
import { systemCode } from "./errors.ts";

export type StorageFault = "full" | "read_only" | "failing";

const FULL = ["ENOSPC", "EDQUOT", "EFBIG", "SQLITE_FULL"];
const READ_ONLY = ["EROFS", "EACCES", "EPERM"];

/** What a fault of the file system or of SQLite says; undefined where it is none of the disk. */
export function storageFaultOf(thrown: unknown): StorageFault | undefined {
  const code = systemCode(thrown) ?? "";
  if (FULL.includes(code)) return "full";
  if (READ_ONLY.includes(code) || code.startsWith("SQLITE_READONLY")) return "read_only";
  if (code === "EIO" || code.startsWith("SQLITE_IOERR") || code.startsWith("SQLITE_CANTOPEN")) return "failing";
  return undefined;
}

/** Tries it: what keeps this folder from being written now; undefined where nothing does. */
export function probeStorage(folder: string): StorageFault | undefined {
  const path = join(folder, `.hub-probe.${process.pid}.tmp`);
  try {
    const file = openSync(path, "w", 0o600);
    try {
      // As much as a page of a database.
      writeSync(file, Buffer.alloc(4096));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return undefined;
  } catch (error) {
    return storageFaultOf(error) ?? "failing";
  } finally {
    removeIfPossible(path);
  }
}

export const STORAGE_TEXTS: Readonly<Record<StorageFault, { what: string; mend: string }>> = {
  full: { what: "the disk is full", mend: "free some space: old backups and logs are the first to look at" },
  read_only: {
    what: "the disk is read-only",
    mend: "look at the kernel's log (dmesg): an SD card that turned read-only is worn out, copy it and replace it; if the disk is well, mount it for writing and let the hub's user own HUB_HOME",
  },
  failing: {
    what: "the disk is failing",
    mend: "look at the kernel's log (dmesg), copy the newest backup to another machine, and replace the disk",
  },
};
