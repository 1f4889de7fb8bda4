// The state database (`data/state.redb`): one file, two connections. What a person did is on disk when it is
// acknowledged; what devices say is written behind.
import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { probeStorage, type StorageFault, storageFaultOf } from "../core/storage-fault.ts";
import { openInMemory, readWhole } from "./memory-copy.ts";
import { stateMigrations } from "./migrations/index.ts";
import { closeDatabase, connect, openDatabase } from "./open.ts";

export interface StateDb extends Disposable {
  /** Commits are synced: users, keys, names, settings. */
  readonly durable: Database;
  /** Commits are synced at checkpoints: attributes. */
  readonly behind: Database;
  /** Where a damaged predecessor was moved, if there was one. */
  readonly setAside: string | undefined;
  /** Why this is a copy in memory that takes no changes; undefined where it is the file. */
  readonly unwritable: StorageFault | undefined;
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
    [Symbol.dispose]() {
      behind.close();
      durable.close();
    },
  };
}
