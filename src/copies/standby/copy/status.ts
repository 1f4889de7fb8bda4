// What the copy says of itself, and what keeps it from being made.
import { STORAGE_TEXTS, storageFaultOf } from "../../../kit/files/storage-fault.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";

export interface CopyStatus {
  /** Everything but the history was here once, and is as the other hub said since. */
  readonly isComplete: boolean;
  /** Epoch ms, this machine's clock: when the last whole answer came. */
  readonly copiedAt: number | undefined;
  /** Epoch ms, the other machine's clock: the history is complete before, with the journal; 0 where it was never whole. */
  readonly historyThrough: number;
  readonly isHistoryWhole: boolean;
  /** How many the other hub has; undefined where there is no copy. */
  readonly devices: number | undefined;
  /** Of the databases, on this machine's disk. */
  readonly bytes: number;
  /** For people, with what to do. */
  readonly problem: string | undefined;
}

/** `disk` is that of the state and the files. */
type Kind = "disk" | "history disk" | "version" | "damage" | "state" | "history" | "files";

export interface Problems {
  set(kind: Kind, problem: string | undefined): void;
  first(): string | undefined;
  /** Throws HubError `storage` where the disk refuses, and says so until it was `mended`. */
  guard<T>(work: () => T, kind?: "disk" | "history disk"): T;
  mended(kind: "disk" | "history disk"): void;
}

export function createProblems(log: Pick<Log, "warn" | "info">): Problems {
  const present = new Map<Kind, string>();

  function set(kind: Kind, problem: string | undefined): void {
    const before = present.get(kind);
    if (problem === before) return;
    if (problem === undefined) present.delete(kind);
    else present.set(kind, problem);
    if (problem !== undefined) log.warn(problem);
    else log.info("the copy goes on", { was: before });
  }

  return {
    set,
    first: () => present.values().next().value,
    guard(work, kind = "disk") {
      try {
        return work();
      } catch (error) {
        const fault = storageFaultOf(error);
        if (fault === undefined) throw error;
        const { what, mend } = STORAGE_TEXTS[fault];
        const problem = `the copy of the other hub cannot be written: ${what}; ${mend}`;
        set(kind, problem);
        throw new HubError("storage", `${problem} (${messageOf(error)})`, { cause: error });
      }
    },
    mended: (kind) => set(kind, undefined),
  };
}
