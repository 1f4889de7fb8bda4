// Whether the disk takes what is written, as those who write find out. The disk itself is tried only where one of them failed:
// looking for nothing wears a card.
import type { Clock } from "./clock.ts";
import { probeStorage, type StorageFault, storageFaultOf } from "./storage-fault.ts";

export interface StorageTrouble {
  /** Somebody could not write. What is no fault of a disk is left out. */
  note(error: unknown): void;
  /** What keeps the disk from being written; undefined where nothing does, as far as anybody knows. */
  fault(): StorageFault | undefined;
}

// A disk that takes a small file may still refuse a database: whoever failed has the word for so long.
const REMEMBERED_MS = 30_000;

export function createStorageTrouble(clock: Pick<Clock, "mono">, folder: string): StorageTrouble {
  let last: { fault: StorageFault; at: number } | undefined;
  return {
    note(error) {
      const fault = storageFaultOf(error);
      if (fault !== undefined) last = { fault, at: clock.mono() };
    },
    fault() {
      if (last === undefined) return undefined;
      const found = probeStorage(folder);
      if (found !== undefined) last = { fault: found, at: clock.mono() };
      else if (clock.mono() - last.at >= REMEMBERED_MS) last = undefined;
      return last?.fault;
    },
  };
}
