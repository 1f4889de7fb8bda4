// The state database (`data/state.redb`): one file, two connections. What a person did is on disk when it is
// acknowledged; what devices say is written behind.
import type { Database } from "bun:sqlite";
import { stateMigrations } from "./migrations/index.ts";
import { closeDatabase, connect, openDatabase } from "./open.ts";

export interface StateDb extends Disposable {
  /** Commits are synced: users, keys, names, settings. */
  readonly durable: Database;
  /** Commits are synced at checkpoints: attributes. */
  readonly behind: Database;
  /** Where a damaged predecessor was moved, if there was one. */
  readonly setAside: string | undefined;
}

export function openStateDb(path: string, now: () => number): StateDb {
  const { db: durable, setAside } = openDatabase({ path, migrations: stateMigrations, now });
  const behind = connect(path, "normal");
  return {
    durable,
    behind,
    setAside,
    [Symbol.dispose]() {
      behind.close();
      closeDatabase(durable);
    },
  };
}
