// What is wrong with the history's file, and with which work on it; each is logged once, and when all are over.
import { isStorageFault, type StorageFault, storageFaultOf } from "../../../kit/files/storage-fault.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";

export type Work = "open" | "write" | "compact" | "rename";

interface Fault {
  problem: string;
  /** Undefined where the file cannot even be opened. */
  storage: StorageFault | undefined;
}

export interface StoreFaults {
  first(): Fault | undefined;
  /** Why the file is not open, for people. */
  notOpen(): string;
  note(work: Work, error: unknown): void;
  mended(work: Work): void;
}

export function createStoreFaults({ path, log }: { path: string; log: Pick<Log, "error" | "info"> }): StoreFaults {
  const faults = new Map<Work, Fault>();
  return {
    first: () => faults.values().next().value,
    notOpen: () => faults.get("open")?.problem ?? "the history is not open",
    note(work, error) {
      const why = isStorageFault(error) ? "the disk is full or cannot be written" : messageOf(error);
      // A file of a newer hub, or one that was exchanged: then `why` says what to do.
      const isOther = error instanceof HubError && ["config", "conflict"].includes(error.code);
      const mend = isOther ? "" : `; free some space, or let the hub write ${path}`;
      const problem = `the history cannot be recorded: ${why}${mend}`;
      if (!faults.has(work)) log.error(problem);
      faults.set(work, { problem, storage: work === "open" ? undefined : storageFaultOf(error) });
    },
    mended(work) {
      if (faults.delete(work) && faults.size === 0) log.info("the history is recorded again");
    },
  };
}
