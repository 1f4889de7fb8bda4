// Whether the disk takes what is written, as those who write find out. The disk itself is probed only where one of them failed:
// probing for nothing wears a card.
import type { Clock } from "./clock.ts";
import { HubError, systemCode } from "./errors.ts";
import { probeStorage, type StorageFault, storageFaultOf } from "./storage-fault.ts";

export interface StorageTrouble {
  /** Something could not be written. An error that is no fault of a disk is ignored. */
  note(error: unknown): void;
  /** As `note`, where the fault is known. */
  noteFault(fault: StorageFault): void;
  /** What keeps the disk from being written; undefined where nothing does, as far as is known. */
  fault(): StorageFault | undefined;
}

export const NO_TROUBLE: StorageTrouble = { note() {}, noteFault() {}, fault: () => undefined };

// A disk that takes a small file may still refuse a database: a failed write counts for so long.
const REMEMBERED_MS = 30_000;

export function createStorageTrouble(clock: Pick<Clock, "mono">, folder: string): StorageTrouble {
  let last: { fault: StorageFault; at: number } | undefined;
  function noteFault(fault: StorageFault): void {
    last = { fault, at: clock.mono() };
  }
  return {
    note(error) {
      const fault = faultOf(error);
      if (fault !== undefined) noteFault(fault);
    },
    noteFault,
    fault() {
      if (last === undefined) return undefined;
      const found = probeStorage(folder);
      if (found !== undefined) last = { fault: found, at: clock.mono() };
      else if (clock.mono() - last.at >= REMEMBERED_MS) last = undefined;
      return last?.fault;
    },
  };
}

/** A single file without the right to write it is no fault of the disk. */
function faultOf(error: unknown): StorageFault | undefined {
  const thrown = error instanceof HubError ? error.cause : error;
  return ["EACCES", "EPERM"].includes(systemCode(thrown) ?? "") ? undefined : storageFaultOf(thrown);
}
