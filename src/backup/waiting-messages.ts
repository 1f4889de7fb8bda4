// Notifications that waited when a backup was made are the business of the hub they waited in: from a copy of its database
// they would be sent a second time.
import type { Database } from "bun:sqlite";

/** Takes them out of the state database, of whatever version, and answers how many there were. */
export function dropWaitingMessages(db: Database): number {
  const kept = db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'outbox'").get();
  return kept ? db.run("DELETE FROM outbox").changes : 0;
}
