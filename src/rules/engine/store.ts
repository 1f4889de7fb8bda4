// The state of rules on disk: when they fired, pauses, holds, and up to which moment schedules have run. It is written behind
// in batches, except for pauses, and for what must not happen twice.
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import { type DiskBudget, startWriteBehind } from "../../core/write-behind.ts";
import type { StateDb } from "../../db/state-db.ts";

export interface StateRow {
  rule_id: string;
  last_fired_at: number | null;
  fire_count: number;
  paused_at: number | null;
  paused_ms: number | null;
}

export interface HoldRow {
  rule_id: string;
  trigger_key: string;
  device_id: string;
  since: number;
  fired: number;
  /** JSON. */
  context: string;
}

export interface MarkRow {
  id: string;
  at: number;
}

export interface RuleStore extends Disposable {
  states(): StateRow[];
  holds(): HoldRow[];
  marks(): MarkRow[];
  /** Written with the next batch, in the last version of each row. `row` is called at that time. */
  saveState(ruleId: string, row: () => StateRow): void;
  saveHold(row: HoldRow): void;
  dropHold(row: Omit<HoldRow, "since" | "fired" | "context">): void;
  saveMark(row: MarkRow): void;
  dropMark(id: string): void;
  /** Stored durably when it returns. Throws if it cannot be written. */
  saveStateNow(row: StateRow): void;
  /** Writes the next batch as soon as the current work is done. */
  soon(): void;
  /** Writes the pending rows; false if that failed. */
  flush(): boolean;
  /** Deletes the state of unknown rules that have not fired since `before`, in epoch ms. */
  forget(known: (ruleId: string) => boolean, before: number): void;
}

export interface RuleStoreOptions {
  db: Pick<StateDb, "durable" | "behind" | "trouble">;
  clock: Clock;
  log: Log;
  flushMs: number;
  /** See core/write-budget.ts. */
  budget?: DiskBudget;
}

const UPSERT_STATE = `INSERT INTO rule_state (rule_id, last_fired_at, fire_count, paused_at, paused_ms)
  VALUES ($rule_id, $last_fired_at, $fire_count, $paused_at, $paused_ms)
  ON CONFLICT (rule_id) DO UPDATE SET last_fired_at = excluded.last_fired_at, fire_count = excluded.fire_count,
    paused_at = excluded.paused_at, paused_ms = excluded.paused_ms`;
const UPSERT_HOLD = `INSERT INTO rule_holds (rule_id, trigger_key, device_id, since, fired, context)
  VALUES ($rule_id, $trigger_key, $device_id, $since, $fired, $context)
  ON CONFLICT (rule_id, trigger_key, device_id) DO UPDATE
    SET since = excluded.since, fired = excluded.fired, context = excluded.context`;

export function openRuleStore({ db, clock, log, flushMs, budget }: RuleStoreOptions): RuleStore {
  const { durable, behind, trouble } = db;
  const putState = behind.query(UPSERT_STATE);
  const putStateNow = durable.query(UPSERT_STATE);
  const putHold = behind.query(UPSERT_HOLD);
  const removeHold = behind.query(
    "DELETE FROM rule_holds WHERE rule_id = $rule_id AND trigger_key = $trigger_key AND device_id = $device_id",
  );
  const putMark = behind.query(
    "INSERT INTO rule_marks (id, at) VALUES ($id, $at) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
  );
  const removeMark = behind.query("DELETE FROM rule_marks WHERE id = $id");
  const waiting = new Map<string, () => void>();
  const writeAll = behind.transaction((keys: Iterable<string>) => {
    for (const key of keys) waiting.get(key)?.();
  }).immediate;
  const unwritten = startWriteBehind<string>({
    clock,
    log,
    what: "what rules remember",
    periodMs: flushMs,
    write(keys) {
      writeAll(keys);
      waiting.clear();
    },
    ...(budget && { budget }),
    trouble,
  });
  let hurrying: Disposable | undefined;

  function later(key: string, write: () => void): void {
    waiting.set(key, write);
    unwritten.mark(key);
  }

  function flush(): boolean {
    hurrying?.[Symbol.dispose]();
    hurrying = undefined;
    return unwritten.flush();
  }

  // The database may have been edited by others: a time that is not a number would stop clocks.
  const areTimes = (...times: unknown[]): boolean => times.every((time) => time === null || typeof time === "number");
  const states = (): StateRow[] =>
    durable
      .query<StateRow, []>("SELECT * FROM rule_state")
      .all()
      .filter((row) => areTimes(row.last_fired_at, row.fire_count, row.paused_at, row.paused_ms));
  const holdKey = ({ rule_id, trigger_key, device_id }: Omit<HoldRow, "since" | "fired" | "context">): string =>
    `hold/${rule_id}/${trigger_key}/${device_id}`;

  return {
    states,
    holds: () =>
      durable
        .query<HoldRow, []>("SELECT * FROM rule_holds")
        .all()
        .filter(({ since }) => areTimes(since)),
    marks: () =>
      durable
        .query<MarkRow, []>("SELECT * FROM rule_marks")
        .all()
        .filter(({ at }) => areTimes(at)),
    saveState: (ruleId, row) => later(`state/${ruleId}`, () => void putState.run({ ...row() })),
    saveHold: (row) => later(holdKey(row), () => void putHold.run({ ...row })),
    dropHold({ rule_id, trigger_key, device_id }) {
      const key = { rule_id, trigger_key, device_id };
      later(holdKey(key), () => void removeHold.run(key));
    },
    saveMark: (row) => later(`mark/${row.id}`, () => void putMark.run({ ...row })),
    dropMark: (id) => later(`mark/${id}`, () => void removeMark.run({ id })),
    saveStateNow(row) {
      try {
        putStateNow.run({ ...row });
      } catch (error) {
        trouble.note(error);
        throw error;
      }
    },
    soon() {
      hurrying ??= clock.after("rules: write soon", 0, flush);
    },
    flush,
    forget(known, before) {
      const gone = states().filter(({ rule_id, last_fired_at }) => !known(rule_id) && (last_fired_at ?? 0) < before);
      const remove = behind.query("DELETE FROM rule_state WHERE rule_id = ?");
      for (const { rule_id } of gone) later(`state/${rule_id}`, () => void remove.run(rule_id));
    },
    [Symbol.dispose]() {
      hurrying?.[Symbol.dispose]();
      unwritten[Symbol.dispose]();
    },
  };
}
