// The rows of runs that wait, in the state database, and what the journal of readings says of runs before their rows are written:
// a run that is over within minutes never gets one. What a run holds is left to src/rules/engine/.
import type { Database } from "bun:sqlite";
import { isObject } from "../../kit/schema/json.ts";
import { type CheckpointMark, setCheckpoint } from "./checkpoint-mark.ts";

/** What of a run has to be written; undefined: it is on disk as it is. */
export interface RunChange {
  readonly id: string;
  readonly ruleId: string;
  /** JSON, as the next two. */
  readonly position: string | undefined;
  readonly begun: string | undefined;
  readonly vars: string | undefined;
}

/** A run in the journal: what of it changed, or, without a rule, that it is over. */
export interface RunNote {
  readonly run: string;
  readonly rule?: string;
  readonly position?: string | undefined;
  readonly begun?: string | undefined;
  readonly vars?: string | undefined;
}

/** What is not in the rows yet. */
export interface UnwrittenRuns {
  /** In the order in which they began. */
  readonly changed: ReadonlyMap<string, RunChange>;
  /** Ids. */
  readonly over: ReadonlySet<string>;
  isEmpty(): boolean;
  add(notes: Iterable<RunNote>): void;
  clear(): void;
}

export interface RunRows {
  /** In one transaction, with the mark of the journal up to which they are complete. Throws if it cannot be written. */
  write(changed: Iterable<RunChange>, over: Iterable<string>, mark?: CheckpointMark): void;
}

/** Of the mark in the table `meta`. */
export const RUNS_CHECKPOINT = "runs_folded";

/** Longer data has a row of its own: a page of the database holds 4096 bytes. */
const MAX_CHARS_WITHIN = 2000;

export const noteOf = ({ id, ruleId, position, begun, vars }: RunChange): RunNote => ({
  ...{ run: id, rule: ruleId, position, begun, vars },
});

export function isRunNote(value: unknown): value is RunNote {
  if (!isObject(value) || typeof value.run !== "string") return false;
  return [value.rule, value.position, value.begun, value.vars].every(
    (field) => field === undefined || typeof field === "string",
  );
}

export function createUnwrittenRuns(): UnwrittenRuns {
  const changed = new Map<string, RunChange>();
  const over = new Set<string>();

  function add({ run: id, rule: ruleId, position, begun, vars }: RunNote): void {
    const before = changed.get(id);
    if (ruleId === undefined) {
      changed.delete(id);
      // A run that began since the rows were written has none.
      if (before?.begun === undefined) over.add(id);
    } else {
      changed.set(id, {
        ...{ id, ruleId },
        position: position ?? before?.position,
        begun: begun ?? before?.begun,
        vars: vars ?? before?.vars,
      });
    }
  }

  return {
    changed,
    over,
    isEmpty: () => changed.size === 0 && over.size === 0,
    add(notes) {
      for (const note of notes) add(note);
    },
    clear() {
      changed.clear();
      over.clear();
    },
  };
}

/** The keys of the runs' rows; without an index on their ids, a commit touches a page less. */
export interface RunNumbers {
  numberOf(id: string): number;
  forget(id: string): void;
}

/** `numbers`: shared by all that write to the same database. */
export function openRunRows(db: Database, numbers = createRunNumbers(db)): RunRows {
  const writeAll = transactionOn(db, numbers.numberOf);
  return {
    write(changed, over, mark) {
      const gone = [...over];
      writeAll(changed, gone, mark);
      gone.forEach(numbers.forget);
    },
  };
}

export function createRunNumbers(db: Database): RunNumbers {
  let numbers: Map<string, number> | undefined;
  let last = 0;

  function load(): Map<string, number> {
    const rows = db.query<{ id: string; number: number }, []>("SELECT id, number FROM rule_runs ORDER BY number").all();
    last = rows.at(-1)?.number ?? 0;
    return new Map(rows.map(({ id, number }) => [id, number]));
  }

  return {
    numberOf(id) {
      numbers ??= load();
      const known = numbers.get(id);
      if (known !== undefined) return known;
      numbers.set(id, ++last);
      return last;
    },
    forget(id) {
      numbers?.delete(id);
    },
  };
}

function transactionOn(db: Database, numberOf: (id: string) => number) {
  const put = db.query(
    `INSERT OR REPLACE INTO rule_runs (number, id, rule_id, position, begun, vars)
      VALUES ($number, $id, $rule_id, $position, $begun, $vars)`,
  );
  const putData = db.query(
    "INSERT OR REPLACE INTO rule_run_data (number, begun, vars) VALUES ($number, $begun, $vars)",
  );
  const setPosition = db.query("UPDATE rule_runs SET position = $position WHERE number = $number");
  const setVars = db.query("UPDATE rule_runs SET vars = $vars WHERE number = $number");
  const setDataVars = db.query("UPDATE rule_run_data SET vars = $vars WHERE number = $number");
  const moveOut = [
    db.query("INSERT INTO rule_run_data SELECT number, begun, '' FROM rule_runs WHERE number = $number"),
    db.query("UPDATE rule_runs SET begun = NULL, vars = NULL WHERE number = $number"),
  ];
  const remove = ["rule_runs", "rule_run_data"].map((table) => db.query(`DELETE FROM ${table} WHERE number = $number`));

  function begin(number: number, { id, ruleId, position = "{}", begun = "", vars = "{}" }: RunChange): void {
    const isShort = begun.length + vars.length <= MAX_CHARS_WITHIN;
    const within = isShort ? { begun, vars } : { begun: null, vars: null };
    put.run({ number, id, rule_id: ruleId, position, ...within });
    if (!isShort) putData.run({ number, begun, vars });
  }

  function changeVars(number: number, vars: string): void {
    if (setDataVars.run({ number, vars }).changes > 0) return;
    if (vars.length <= MAX_CHARS_WITHIN) {
      setVars.run({ number, vars });
      return;
    }
    for (const step of moveOut) step.run({ number });
    setDataVars.run({ number, vars });
  }

  return db.transaction((changed: Iterable<RunChange>, over: Iterable<string>, mark?: CheckpointMark) => {
    for (const id of over) for (const step of remove) step.run({ number: numberOf(id) });
    for (const one of changed) {
      const number = numberOf(one.id);
      if (one.begun !== undefined) begin(number, one);
      else {
        if (one.position !== undefined) setPosition.run({ number, position: one.position });
        if (one.vars !== undefined) changeVars(number, one.vars);
      }
    }
    if (mark) setCheckpoint(db, mark, RUNS_CHECKPOINT);
  }).immediate;
}
