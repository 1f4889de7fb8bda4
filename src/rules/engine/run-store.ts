// The rows of runs that wait, in the state database. A run is on disk for good when `write` returns; that it is over may be lost
// with the power, as what it did last may be done twice.
import type { StateDb } from "../../db/state-db.ts";

export interface RunRow {
  id: string;
  rule_id: string;
  /** JSON, see position.ts. */
  position: string;
  /** JSON. */
  begun: string;
  vars: string;
  /** JSON, as it was last stored: see trace-store.ts. */
  trace: string | null;
}

/** What of a run has to be written; undefined: it is on disk as it is. */
export interface RunChange {
  readonly id: string;
  readonly ruleId: string;
  readonly position: string | undefined;
  readonly begun: string | undefined;
  readonly vars: string | undefined;
}

export interface RunStore {
  /** In the order in which they began. */
  read(): RunRow[];
  /** In one transaction. Throws if it cannot be written. */
  write(changed: readonly RunChange[], over: readonly string[]): void;
}

export function openRunStore({ own, behind }: Pick<StateDb, "own" | "behind">): RunStore {
  const statementsOf = (db: StateDb["own"]) => ({
    position: db.query(
      `INSERT INTO rule_runs (id, rule_id, position) VALUES ($id, $rule_id, $position)
        ON CONFLICT (id) DO UPDATE SET position = excluded.position`,
    ),
    begun: db.query("INSERT OR REPLACE INTO rule_run_data (id, begun, vars) VALUES ($id, $begun, $vars)"),
    vars: db.query("UPDATE rule_run_data SET vars = $vars WHERE id = $id"),
    removeRun: db.query("DELETE FROM rule_runs WHERE id = ?"),
    removeData: db.query("DELETE FROM rule_run_data WHERE id = ?"),
  });

  function transactionOn(db: StateDb["own"]) {
    const { position, begun, vars, removeRun, removeData } = statementsOf(db);
    return db.transaction((changed: readonly RunChange[], over: readonly string[]) => {
      for (const id of over) {
        removeRun.run(id);
        removeData.run(id);
      }
      for (const one of changed) {
        const { id } = one;
        if (one.position !== undefined) position.run({ id, rule_id: one.ruleId, position: one.position });
        if (one.begun !== undefined) begun.run({ id, begun: one.begun, vars: one.vars ?? "{}" });
        else if (one.vars !== undefined) vars.run({ id, vars: one.vars });
      }
    }).immediate;
  }

  const writeSynced = transactionOn(own);
  const writeBehind = transactionOn(behind);
  return {
    read: () =>
      own
        .query<RunRow, []>(
          `SELECT rule_runs.id, rule_runs.rule_id, position, begun, vars, trace FROM rule_runs
            LEFT JOIN rule_run_data ON rule_run_data.id = rule_runs.id
            LEFT JOIN rule_traces ON rule_traces.id = rule_runs.id ORDER BY number`,
        )
        .all(),
    write: (changed, over) => (changed.length > 0 ? writeSynced(changed, over) : writeBehind(changed, over)),
  };
}
