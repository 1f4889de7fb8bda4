// Runs that wait, on disk: what changes of them goes into the journal of readings, and into their rows when the journal is checkpointed,
// once an hour or when much has come together; a run that is over before has never been a row. Where there is no journal, rows
// are written at once.

import type { CheckpointMark } from "../../../server/db/checkpoint-mark.ts";
import type { FiringNote } from "../../../server/db/firing-notes.ts";
import {
  createRunNumbers,
  createUnwrittenRuns,
  noteOf,
  openRunRows,
  type RunChange,
  type RunNote,
  type RunRows,
} from "../../../server/db/run-rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";

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

export interface RunStore extends Disposable {
  /** In the order in which they began. Before the first `write`. */
  read(): RunRow[];
  /**
   * All of it or nothing, and written when it returns, so that it outlives the process. `flushed`: a power cut, too; otherwise one
   * may take what was written within the last 20 s where rules act all the time, and that a run is over. Throws.
   */
  write(changed: readonly RunChange[], over: readonly string[], how?: { flushed: boolean }): void;
  /** Puts all of it into the rows, before a copy of the database is made. */
  checkpoint(): void;
}

/** The journal of readings: see house/state/reading-journal.ts. */
export interface RunJournal {
  readonly through: number;
  writeRuns(notes: readonly RunNote[], synced: "now" | "soon" | "later"): void;
  noteFiring(note: FiringNote): void;
  enlist(
    name: string,
    target: { through: number; checkpoint(mark: CheckpointMark): void },
  ): Disposable & { checkpointed(segment: number): void; checkpointNow(): void; again(): void };
}

/** More at once is written into the rows: it would end the segment. */
const MAX_NOTE_CHARS = 262_144;

type Db = Pick<StateDb, "own" | "relaxed" | "trouble">;

export function openRunStore(db: Db, journal?: RunJournal): RunStore {
  const numbers = createRunNumbers(db.own);
  const rows = openRunRows(db.own, numbers);
  const read = (): RunRow[] => readRows(db.own);
  if (journal) return { read, ...writeToJournal(rows, journal, db.trouble) };
  const relaxed = openRunRows(db.relaxed, numbers);
  return {
    read,
    write: (changed, over) => (changed.length > 0 ? rows : relaxed).write(changed, over),
    checkpoint() {},
    [Symbol.dispose]() {},
  };
}

function writeToJournal(rows: RunRows, journal: RunJournal, trouble: Db["trouble"]): Omit<RunStore, "read"> {
  const unwritten = createUnwrittenRuns();
  let marked = journal.through;
  let fault: unknown;

  const checkpointing = journal.enlist("runs of rules", {
    through: journal.through,
    checkpoint(mark) {
      try {
        if (mark.segment !== marked || !unwritten.isEmpty())
          rows.write(unwritten.changed.values(), unwritten.over, mark);
        unwritten.clear();
        marked = mark.segment;
        checkpointing.checkpointed(marked);
      } catch (error) {
        fault = error;
        trouble.note(error);
        checkpointing.again();
      }
    },
  });

  return {
    write(changed, over, { flushed } = { flushed: false }) {
      const notes = [...over.map((run): RunNote => ({ run })), ...changed.map(noteOf)];
      if (charsOf(changed) <= MAX_NOTE_CHARS) {
        journal.writeRuns(notes, flushed ? "now" : changed.length > 0 ? "soon" : "later");
        unwritten.add(notes);
        return;
      }
      unwritten.add(notes);
      checkpointing.checkpointNow();
      if (!unwritten.isEmpty()) throw fault;
    },
    checkpoint: checkpointing.checkpointNow,
    [Symbol.dispose]() {
      checkpointing.checkpointNow();
      if (unwritten.isEmpty()) checkpointing[Symbol.dispose]();
    },
  };
}

const charsOf = (changed: readonly RunChange[]): number =>
  changed.reduce(
    (sum, { begun = "", vars = "", position = "" }) => sum + begun.length + vars.length + position.length,
    0,
  );

const readRows = (db: StateDb["own"]): RunRow[] =>
  db
    .query<RunRow, []>(
      `SELECT rule_runs.id, rule_runs.rule_id, position, coalesce(rule_runs.begun, rule_run_data.begun) AS begun,
        coalesce(rule_runs.vars, rule_run_data.vars) AS vars, trace FROM rule_runs
        LEFT JOIN rule_run_data ON rule_run_data.number = rule_runs.number
        LEFT JOIN rule_traces ON rule_traces.id = rule_runs.id ORDER BY rule_runs.number`,
    )
    .all();
