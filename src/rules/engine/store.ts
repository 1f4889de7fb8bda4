// The state of rules on disk: when they fired, pauses, holds, and up to which moment schedules have run. It is written behind
// in batches, except for pauses, and for what must not happen twice. How often a rule fired is for people: it is noted in the journal
// of readings and written when that is checkpointed; without a journal once a minute, as each batch costs whole pages.
import { type DiskBudget, startWriteBehind } from "../../kit/files/write-behind.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import type { RunJournal } from "./runs/run-store.ts";

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
  /** On disk within a minute: in the journal, or in the last version of each row. `row` is called at once and when it is written. */
  saveState(ruleId: string, row: () => StateRow): void;
  /** Written as soon as the current work is done. */
  saveStateSoon(ruleId: string, row: () => StateRow): void;
  /** Written with the next batch. */
  saveHold(row: HoldRow): void;
  dropHold(row: Omit<HoldRow, "since" | "fired" | "context">): void;
  saveMark(row: MarkRow): void;
  dropMark(id: string): void;
  /** Stored durably when it returns. Throws if it cannot be written. */
  saveStateNow(row: StateRow): void;
  /** Writes the pending rows; false if that failed. */
  flush(): boolean;
  /** Deletes the state of unknown rules that have not fired since `before`, in epoch ms. */
  forget(known: (ruleId: string) => boolean, before: number): void;
}

export interface RuleStoreOptions {
  db: Pick<StateDb, "durable" | "relaxed" | "trouble">;
  clock: Clock;
  log: Log;
  flushMs: number;
  /** Where firings, and runs that wait, are noted; without it, each is a row at once. */
  journal?: RunJournal | undefined;
  /** See kit/files/write-budget.ts. */
  budget?: DiskBudget;
}

const COUNTS_MS = 60_000;
const UPSERT_STATE = `INSERT INTO rule_state (rule_id, last_fired_at, fire_count, paused_at, paused_ms)
  VALUES ($rule_id, $last_fired_at, $fire_count, $paused_at, $paused_ms)
  ON CONFLICT (rule_id) DO UPDATE SET last_fired_at = excluded.last_fired_at, fire_count = excluded.fire_count,
    paused_at = excluded.paused_at, paused_ms = excluded.paused_ms`;
const UPSERT_HOLD = `INSERT INTO rule_holds (rule_id, trigger_key, device_id, since, fired, context)
  VALUES ($rule_id, $trigger_key, $device_id, $since, $fired, $context)
  ON CONFLICT (rule_id, trigger_key, device_id) DO UPDATE
    SET since = excluded.since, fired = excluded.fired, context = excluded.context`;

export function openRuleStore({ db, clock, log, flushMs, journal, budget }: RuleStoreOptions): RuleStore {
  const { durable, relaxed, trouble } = db;
  const putState = relaxed.query(UPSERT_STATE);
  const putStateNow = durable.query(UPSERT_STATE);
  const putHold = relaxed.query(UPSERT_HOLD);
  const removeHold = relaxed.query(
    "DELETE FROM rule_holds WHERE rule_id = $rule_id AND trigger_key = $trigger_key AND device_id = $device_id",
  );
  const putMark = relaxed.query(
    "INSERT INTO rule_marks (id, at) VALUES ($id, $at) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
  );
  const removeMark = relaxed.query("DELETE FROM rule_marks WHERE id = $id");
  const unwritten = startRowWriter("what rules remember", flushMs);
  const counts = startRowWriter("how often rules fired", journal ? undefined : COUNTS_MS);
  const checkpointing = journal?.enlist("how often rules fired", {
    through: journal.through,
    checkpoint({ segment }) {
      if (counts.flush()) checkpointing?.checkpointed(segment);
      else checkpointing?.again();
    },
  });
  /** When each rule fired last, by the monotonic clock: what fires all the time is written once a minute. */
  const savedAt = new Map<string, number>();
  let hurrying: Disposable | undefined;

  function startRowWriter(what: string, periodMs: number | undefined) {
    const waiting = new Map<string, () => void>();
    const writeAll = relaxed.transaction((keys: Iterable<string>) => {
      for (const key of keys) waiting.get(key)?.();
    }).immediate;
    const rows = startWriteBehind<string>({
      ...{ clock, log, trouble, what },
      ...(periodMs !== undefined && { periodMs }),
      write(keys) {
        writeAll(keys);
        waiting.clear();
      },
      ...(budget && { budget }),
    });
    return {
      later(key: string, write: () => void): void {
        waiting.set(key, write);
        rows.mark(key);
      },
      flush: rows.flush,
      [Symbol.dispose]: rows[Symbol.dispose],
    };
  }

  const { later } = unwritten;
  const stateWriter = (row: () => StateRow) => () => void putState.run({ ...row() });

  function flush(): boolean {
    hurrying?.[Symbol.dispose]();
    hurrying = undefined;
    const areRowsWritten = unwritten.flush();
    return counts.flush() && areRowsWritten;
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
    saveState(ruleId, row) {
      if (journal) {
        const { last_fired_at, fire_count } = row();
        journal.noteFiring({ fired: ruleId, at: last_fired_at ?? clock.now(), count: fire_count });
        counts.later(ruleId, stateWriter(row));
        return;
      }
      const now = clock.mono();
      const isRare = now - (savedAt.get(ruleId) ?? Number.NEGATIVE_INFINITY) >= COUNTS_MS;
      savedAt.set(ruleId, now);
      if (isRare) later(`state/${ruleId}`, stateWriter(row));
      else counts.later(ruleId, stateWriter(row));
    },
    saveStateSoon(ruleId, row) {
      counts.later(ruleId, stateWriter(row));
      hurrying ??= clock.after("rules: write soon", 0, () => {
        hurrying = undefined;
        counts.flush();
      });
    },
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
    flush,
    forget(known, before) {
      const gone = states().filter(({ rule_id, last_fired_at }) => !known(rule_id) && (last_fired_at ?? 0) < before);
      const remove = relaxed.query("DELETE FROM rule_state WHERE rule_id = ?");
      for (const { rule_id } of gone) {
        savedAt.delete(rule_id);
        counts.later(rule_id, () => void remove.run(rule_id));
      }
    },
    [Symbol.dispose]() {
      hurrying?.[Symbol.dispose]();
      checkpointing?.checkpointNow();
      // Where they could not be written, the journal keeps what it has of them.
      if (counts.flush()) checkpointing?.[Symbol.dispose]();
      for (const rows of [unwritten, counts]) rows[Symbol.dispose]();
    },
  };
}
