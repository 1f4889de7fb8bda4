// The state database (`data/state.redb`): one file, two connections. What a person did is on disk when it is
// acknowledged; what devices say is written behind.
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeIfPossible } from "../core/atomic-file.ts";
import {
  NO_TROUBLE,
  probeStorage,
  type StorageFault,
  type StorageTrouble,
  storageFaultOf,
} from "../core/storage-fault.ts";
import { openMemoryCopy } from "./memory-copy.ts";
import { stateMigrations } from "./migrations/index.ts";
import { closeDatabase, connect, openDatabase } from "./open.ts";
import type { RowFaults, Unreadable } from "./rows.ts";

export interface StateDb extends Disposable {
  /** What people change: commits are synced. */
  readonly durable: Database;
  /** What devices report: commits are synced at checkpoints. */
  readonly behind: Database;
  /** What the hub keeps by itself (messages, the audit log, alerts): synced, but also taken by a copy in memory. */
  readonly own: Database;
  /** Where a damaged predecessor was moved, if there was one. */
  readonly setAside: string | undefined;
  /** The copy in memory that stands in for a file that cannot be written; undefined where this is the file. */
  readonly copy: StateCopy | undefined;
  /** What was found in it since it was opened that cannot be read. */
  readonly faults: Faults;
  /** Everything that writes to it reports here what the disk refused. */
  readonly trouble: Pick<StorageTrouble, "note">;
}

export interface StateCopy {
  /** Why the file cannot be written. */
  readonly fault: StorageFault;
  /** Tables that differ from the file. */
  changedTables(): string[];
  /** Writes all of it into the file. Throws where that is not possible: HubError `conflict` where the file was replaced. */
  writeBack(): void;
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

/**
 * The file, or a copy of it in memory where the disk takes no writes. Throws HubError: `storage` where it can neither be opened
 * nor read, `config` where it is of a newer hub.
 */
export function openStateDb(path: string, now: () => number, trouble: StateDb["trouble"] = NO_TROUBLE): StateDb {
  try {
    return openFile(path, now, trouble);
  } catch (error) {
    const fault = storageFaultOf(error);
    const folder = dirname(path);
    if (fault === undefined || !existsSync(folder)) throw error;
    // SQLite calls many things an I/O error; the disk itself says which.
    return openCopy(path, now, { trouble, fault: probeStorage(folder) ?? probeDatabase(folder) ?? fault });
  }
}

function openFile(path: string, now: () => number, trouble: StateDb["trouble"]): StateDb {
  using opening = new DisposableStack();
  const { db, setAside } = openDatabase({ path, migrations: stateMigrations, now });
  const durable = opening.adopt(db, closeDatabase);
  const behind = opening.use(connect(path, "normal"));
  const connections = opening.move();
  return {
    ...{ durable, behind, own: durable, setAside, copy: undefined, faults: createFaults(), trouble },
    [Symbol.dispose]: () => connections.dispose(),
  };
}

function openCopy(
  path: string,
  now: () => number,
  { fault, trouble }: Pick<StateDb, "trouble"> & { fault: StorageFault },
): StateDb {
  const copy = openMemoryCopy({ path, migrations: stateMigrations, now });
  const { refusing: durable, taking: behind, isDamaged, changedTables, writeBack } = copy;
  return {
    ...{ durable, behind, own: behind, faults: createFaults(), trouble },
    setAside: isDamaged ? path : undefined,
    copy: { fault, changedTables, writeBack },
    [Symbol.dispose]: () => copy[Symbol.dispose](),
  };
}

/** What keeps a database from being written in this folder: SQLite writes otherwise than a program does. */
function probeDatabase(folder: string): StorageFault | undefined {
  const path = join(folder, `.hub-probe.${process.pid}.db.tmp`);
  try {
    using db = new Database(path, { create: true });
    db.run("CREATE TABLE probe (id INTEGER)");
    return undefined;
  } catch (error) {
    return storageFaultOf(error);
  } finally {
    for (const end of ["", "-journal"]) removeIfPossible(path + end);
  }
}
