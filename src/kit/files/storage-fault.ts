// Faults of the disk: which errors report one, whether there is one now, and what to do about each kind.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { HubError, systemCode } from "../schema/errors.ts";
import type { Clock } from "../time/clock.ts";
import { removeIfPossible } from "./atomic-file.ts";

export type StorageFault = "full" | "read_only" | "failing";

// SQLite's codes have suffixes, such as SQLITE_IOERR_FSYNC.
const FAULTS: readonly (readonly [pattern: RegExp, fault: StorageFault])[] = [
  [/^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)$/, "full"],
  [/^(EROFS$|SQLITE_READONLY)/, "read_only"],
  [/^(EIO$|SQLITE_IOERR)/, "failing"],
];
// These may also come from missing rights or a missing folder: only a probe of the disk can decide.
const POSSIBLE_FAULTS: typeof FAULTS = [
  [/^(EACCES|EPERM)$/, "read_only"],
  [/^SQLITE_CANTOPEN/, "failing"],
];

/** The fault of the disk that an error of the file system or of SQLite may report, also as the cause of a HubError. */
export function storageFaultOf(thrown: unknown): StorageFault | undefined {
  return faultIn(FAULTS, thrown) ?? faultIn(POSSIBLE_FAULTS, thrown);
}

/** Whether an error certainly reports a fault of the disk: full, over quota, read-only or failing. */
export function isStorageFault(thrown: unknown): boolean {
  return faultIn(FAULTS, thrown) !== undefined;
}

function faultIn(faults: typeof FAULTS, thrown: unknown): StorageFault | undefined {
  const code = codeOf(thrown);
  return faults.find(([pattern]) => pattern.test(code))?.[1];
}

function codeOf(thrown: unknown): string {
  return systemCode(thrown instanceof HubError ? thrown.cause : thrown) ?? "";
}

/** What keeps this folder from being written now, found out by writing a small file; undefined if nothing does. */
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

/** Whether the disk can be written, as learnt from the writes that failed. */
export interface StorageTrouble {
  /** Reports that something could not be written. Ignores an error that is no fault of the disk. */
  note(error: unknown): void;
  /** As `note`, where the fault is known. */
  noteFault(fault: StorageFault): void;
  /** What keeps the disk from being written; undefined if nothing is known to. */
  fault(): StorageFault | undefined;
}

export const NO_TROUBLE: StorageTrouble = { note() {}, noteFault() {}, fault: () => undefined };

// A disk that takes a small file may still refuse a database, so a failed write counts for this long.
const REMEMBERED_MS = 30_000;

/** Probes `folder` only after a write has failed: needless probes wear an SD card. */
export function createStorageTrouble(clock: Pick<Clock, "mono">, folder: string): StorageTrouble {
  let last: { fault: StorageFault; at: number } | undefined;
  function noteFault(fault: StorageFault): void {
    last = { fault, at: clock.mono() };
  }
  return {
    note(error) {
      // Missing rights to a single file are no fault of the disk.
      if (["EACCES", "EPERM"].includes(codeOf(error))) return;
      const fault = storageFaultOf(error);
      if (fault !== undefined) noteFault(fault);
    },
    noteFault,
    fault() {
      if (last === undefined) return undefined;
      const found = probeStorage(folder);
      if (found !== undefined) noteFault(found);
      else if (clock.mono() - last.at >= REMEMBERED_MS) last = undefined;
      return last?.fault;
    },
  };
}
