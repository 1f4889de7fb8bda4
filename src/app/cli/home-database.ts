// The state database of a home, for commands that change something in it.
import { existsSync } from "node:fs";
import { STORAGE_TEXTS } from "../../kit/files/storage-fault.ts";
import { HubError } from "../../kit/schema/errors.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { rightsProblem } from "../../server/db/rights.ts";
import { openStateDb, type StateDb } from "../../server/db/state-db.ts";
import type { Home } from "../../server/home/paths.ts";

/** Throws HubError `not_found` where there is no hub, and `storage`, with what is so. `change` is what cannot be done then. */
export function openHomeDatabase(home: Home, clock: Pick<Clock, "now">, change: string): StateDb {
  assertHasDatabase(home);
  const db = openStateDb(home.stateDb, clock.now);
  if (db.copy === undefined) return db;
  db[Symbol.dispose]();
  const { what, mend } = STORAGE_TEXTS[db.copy.fault];
  throw new HubError("storage", rightsProblem(home.stateDb) ?? `${what}, so ${change}: ${mend}`);
}

/** Throws HubError: `not_found` where there is no hub, `storage` where a link to its database leads nowhere. */
export function assertHasDatabase(home: Home): void {
  if (existsSync(home.stateDb)) return;
  const problem = rightsProblem(home.stateDb);
  if (problem !== undefined) throw new HubError("storage", problem);
  throw new HubError("not_found", `there is no hub in ${home.root}: name its home with --home, or start it once`);
}
