// The state database (`data/state.redb`): one file, two connections. What a person did is on disk when it is
// acknowledged; what devices say is written behind.
import type { Database } from "bun:sqlite";
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

export function openStateDb(path: string, now: () => number): StateDb {
  const { db: durable, setAside } = openDatabase({ path, migrations: stateMigrations, now });
  const behind = connect(path, "normal");
  return {
    durable,
    behind,
    setAside,
    faults: createFaults(),
    [Symbol.dispose]() {
      behind.close();
      closeDatabase(durable);
    },
  };
}
