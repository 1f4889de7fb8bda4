// The weekly plans of schedules on disk.
import { Value } from "@sinclair/typebox/value";
import { jsonIn, readEach, textIn } from "../../../server/db/rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import { WeekPlan } from "./week-plan.ts";

export interface StoredSchedule {
  readonly plan: WeekPlan;
  readonly enabled: boolean;
}

export interface ScheduleStore {
  /** By id. */
  load(): Map<string, StoredSchedule>;
  /** Durable when it returns. */
  save(id: string, schedule: StoredSchedule): void;
  remove(id: string): void;
}

interface Row {
  id: string;
  plan: string;
  enabled: number;
}

export function createScheduleStore({ durable, faults }: Pick<StateDb, "durable" | "faults">): ScheduleStore {
  const upsert = durable.query(
    `INSERT INTO schedules (id, plan, enabled) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET plan = excluded.plan, enabled = excluded.enabled`,
  );
  const remove = durable.query("DELETE FROM schedules WHERE id = ?");
  return {
    load() {
      const rows = durable.query<Row, []>("SELECT id, plan, enabled FROM schedules").all();
      return new Map(readEach(rows, fromRow, { faults, table: "schedules", keyOf: ({ id }) => id }));
    },
    save: (id, { plan, enabled }) => void upsert.run(id, JSON.stringify(plan), enabled ? 1 : 0),
    remove: (id) => void remove.run(id),
  };
}

function fromRow({ id, plan, enabled }: Row): [id: string, schedule: StoredSchedule] {
  const read = jsonIn(plan, "plan");
  if (Value.Check(WeekPlan, read)) return [textIn(id, "id"), { plan: read, enabled: enabled !== 0 }];
  throw new TypeError("plan is not a weekly plan");
}
