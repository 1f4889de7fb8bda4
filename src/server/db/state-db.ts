// The state database (`data/state.redb`): one file, two connections. What a person did is on disk before it is acknowledged;
// what devices report is written behind.
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeIfPossible } from "../../kit/files/atomic-file.ts";
import {
  NO_TROUBLE,
  probeStorage,
  type StorageFault,
  type StorageTrouble,
  storageFaultOf,
} from "../../kit/files/storage-fault.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { openMemoryCopy } from "./memory-copy.ts";
import { stateMigrations } from "./migrations/index.ts";
import { connect, openDatabase } from "./open.ts";
import { type OwnFile, ownFile } from "./own-file.ts";
import { rightsProblem } from "./rights.ts";
import type { RowFaults, Unreadable } from "./rows.ts";

export interface StateDb extends Disposable {
  /** For what people change: commits are synced. */
  readonly durable: Database;
  /** For what devices report: commits are synced at checkpoints. */
  readonly relaxed: Database;
  /** For what the hub itself keeps (notifications, the audit log, alerts): synced; a copy in memory accepts it too. */
  readonly own: Database;
  /** Where a damaged file was moved, if there was one. */
  readonly setAside: string | undefined;
  /** The copy in memory that replaces a file that cannot be written; undefined if the file is used. */
  readonly copy: StateCopy | undefined;
  /** Undefined for a copy in memory. */
  readonly file: OwnFile | undefined;
  /** The rows found unreadable since it was opened. */
  readonly faults: Faults;
  /** Everything that writes to the database reports failed writes here. */
  readonly trouble: Pick<StorageTrouble, "note">;
}

export interface StateCopy {
  /** Why the file cannot be written. */
  readonly fault: StorageFault;
  /** Tables that differ from the file. */
  changedTables(): string[];
  /** Writes all of it into the file. Throws if that is not possible: HubError `conflict` if the file was replaced. */
  writeBack(): void;
}

export interface Faults extends RowFaults {
  list(): readonly Unreadable[];
}

// A database that another program has written to may have any number of them; nobody reads more than these.
const MAX_FAULTS = 100;

function createFaults(): Faults {
  const found: Unreadable[] = [];
  return {
    list: () => found,
    unreadable(one) {
      if (found.length < MAX_FAULTS) found.push(one);
    },
  };
}

/**
 * The file, or a copy of it in memory if the disk cannot be written. Throws HubError: `storage` if it can neither be opened
 * nor read, `config` if a newer hub wrote it.
 */
export function openStateDb(path: string, now: () => number, trouble: StateDb["trouble"] = NO_TROUBLE): StateDb {
  try {
    return openFile(path, now, trouble);
  } catch (error) {
    const fault = storageFaultOf(error);
    const folder = dirname(path);
    if (fault === undefined || !existsSync(folder)) throw error;
    // SQLite reports many faults as an I/O error; probing the disk finds out which it is.
    const rights = rightsProblem(path);
    const found = probeStorage(folder) ?? probeDatabase(folder) ?? (rights === undefined ? fault : "read_only");
    try {
      return openCopy(path, now, { trouble, fault: found });
    } catch (unread) {
      throw rights === undefined ? unread : new HubError("storage", rights, { cause: unread });
    }
  }
}

function openFile(path: string, now: () => number, trouble: StateDb["trouble"]): StateDb {
  using opening = new DisposableStack();
  const { db, setAside } = openDatabase({ path, migrations: stateMigrations, now });
  const durable = opening.use(db);
  const relaxed = opening.use(connect(path, "normal"));
  const file = ownFile(path, now, [durable, relaxed]);
  opening.move();
  return {
    ...{ durable, relaxed, own: durable, setAside, copy: undefined, file, faults: createFaults(), trouble },
    [Symbol.dispose]: () => void file.close(),
  };
}

function openCopy(
  path: string,
  now: () => number,
  { fault, trouble }: Pick<StateDb, "trouble"> & { fault: StorageFault },
): StateDb {
  const copy = openMemoryCopy({ path, migrations: stateMigrations, now });
  const { refusing: durable, accepting: relaxed, isDamaged, changedTables, writeBack } = copy;
  return {
    ...{ durable, relaxed, own: relaxed, faults: createFaults(), trouble },
    setAside: isDamaged ? path : undefined,
    copy: { fault, changedTables, writeBack },
    file: undefined,
    [Symbol.dispose]: () => copy[Symbol.dispose](),
  };
}

/** What keeps SQLite from writing in this folder: it uses other system calls than `probeStorage`. */
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
