// Variables on disk: at once for what a person set, in batches for what rules set.
import type { Database } from "bun:sqlite";
import type { Json } from "../core/json.ts";
import { jsonIn, numberIn, readEach, textIn } from "../db/rows.ts";
import type { StateDb } from "../db/state-db.ts";

export interface VariableRow {
  name: string;
  value: Json;
  updatedAt: number;
}

export interface VariableStore {
  load(): VariableRow[];
  /** Durable when it returns. */
  save(row: VariableRow): void;
  /** One transaction for all of them; synced at the next checkpoint. */
  saveBehind(rows: Iterable<VariableRow>): void;
  remove(name: string): void;
}

export function createVariableStore({
  durable,
  behind,
  faults,
}: Pick<StateDb, "durable" | "behind" | "faults">): VariableStore {
  const remove = durable.query("DELETE FROM variables WHERE name = ?");
  const saveNow = writer(durable);
  return {
    load() {
      const rows = durable.query<Row, []>("SELECT name, value, updated_at FROM variables");
      return readEach(rows.all(), fromRow, { faults, table: "variables", keyOf: ({ name }) => name });
    },
    save: (row) => saveNow([row]),
    saveBehind: writer(behind),
    remove: (name) => void remove.run(name),
  };
}

interface Row {
  name: string;
  value: string;
  updated_at: number;
}

function fromRow({ name, value, updated_at }: Row): VariableRow {
  return {
    name: textIn(name, "name"),
    value: jsonIn(value, "value") as Json,
    updatedAt: numberIn(updated_at, 0),
  };
}

function writer(db: Database): VariableStore["saveBehind"] {
  const upsert = db.query(
    `INSERT INTO variables (name, value, updated_at) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
  );
  return db.transaction((rows: Iterable<VariableRow>) => {
    for (const { name, value, updatedAt } of rows) upsert.run(name, JSON.stringify(value), updatedAt);
  }).immediate;
}
