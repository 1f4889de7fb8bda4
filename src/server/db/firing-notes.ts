// How often rules fired, as the journal of readings says it until their rows are written. Counts only grow, so a note that is read
// twice, or one from before its row was written, changes nothing.
import type { Database } from "bun:sqlite";
import { isObject } from "../../kit/schema/json.ts";

/** The last time that a rule fired. */
export interface FiringNote {
  /** The rule. */
  readonly fired: string;
  /** Epoch ms. */
  readonly at: number;
  /** How often, with this time. */
  readonly count: number;
}

export function isFiringNote(value: unknown): value is FiringNote {
  return (
    isObject(value) &&
    typeof value.fired === "string" &&
    typeof value.at === "number" &&
    Number.isSafeInteger(value.count)
  );
}

/** Within a transaction of the caller. */
export function checkpointFirings(db: Database, notes: readonly FiringNote[]): void {
  if (notes.length === 0) return;
  const last = new Map(notes.map((note) => [note.fired, note]));
  const put = db.query(
    `INSERT INTO rule_state (rule_id, last_fired_at, fire_count) VALUES ($fired, $at, $count)
      ON CONFLICT (rule_id) DO UPDATE SET last_fired_at = excluded.last_fired_at, fire_count = excluded.fire_count
        WHERE excluded.fire_count > fire_count`,
  );
  for (const { fired, at, count } of last.values()) put.run({ fired, at, count });
}
