// The state database (`data/state.redb`): one file, two connections. What a person did is on disk when it is
// acknowledged; what devices say is written behind.
import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { probeStorage, type StorageFault, storageFaultOf } from "../core/storage-fault.ts";
import { openInMemory, readWhole } from "./memory-copy.ts";
import { stateMigrations } from "./migrations/index.ts";
import { closeDatabase, connect, openDatabase } from "./open.ts";
import type { RowFaults, Unreadable } from "./rows.ts";

export interface StateDb extends Disposable {
  /** Commits are synced: users, keys, names, settings. */
  readonly durable: Database;
  /** Commits are synced at checkpoints: attributes. */
  readonly behind: Database;
  /** Where a damaged predecessor was moved, if there was one. */
  readonly setAside: string | undefined;
  /** Why this is a copy in memory that takes no changes; undefined where it is the file. */
  readonly unwritable: StorageFault | undefined;
  /** What was found in it since it was opened that cannot be read. */
  readonly faults: Faults;
}

export interface Faults extends RowFaults {
  list(): readonly Unreadable[];
}

/** A database that was written to by something else may be wrong all over: more than these are nothing a person reads. */
const MOST_FAULTS = 100;

function createFaults(): Faults {
  const found: Unreadable[] = [];
  return {
    list: () => found,
    unreadable(one) {
      if (found.length < MOST_FAULTS) found.push(one);
    },
  };
}

/** Throws HubError: `storage` where it can neither be opened nor read, `config` where it is of a newer hub. */
export function openStateDb(path: string, now: () => number): StateDb {
  try {
    const { db: durable, setAside } = openDatabase({ path, migrations: stateMigrations, now });
    const behind = connect(path, "normal");
    return {
      durable,
      behind,
      setAside,
      unwritable: undefined,
      faults: createFaults(),
      [Symbol.dispose]() {
        behind.close();
        closeDatabase(durable);
      },
    };
  } catch (error) {
    const fault = storageFaultOf(error instanceof Error ? (error.cause ?? error) : error);
    if (fault === undefined || !existsSync(dirname(path))) throw error;
    // SQLite calls many things an I/O error; the disk itself says which.
    return openCopy(path, probeStorage(dirname(path)) ?? fault);
  }
}

function openCopy(path: string, unwritable: StorageFault): StateDb {
  const bytes = readWhole(path, stateMigrations);
  const [durable, behind] = [openInMemory(bytes), openInMemory(bytes)];
  return {
    durable,
    behind,
    setAside: undefined,
    unwritable,
    faults: createFaults(),
    [Symbol.dispose]() {
      behind.close();
      durable.close();
    },
  };
}
