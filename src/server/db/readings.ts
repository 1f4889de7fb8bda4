// Readings as they stand in the journal (`data/readings/`), and how they get into the state database: device states are written
// to the journal first, and to their rows when many have come together. So are the runs of rules that wait (run-rows.ts), and how
// often rules fired (firing-notes.ts).
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { foreignSegments, readJournal, type SegmentContent } from "../../kit/files/journal-reader.ts";
import { isObject, type JsonObject, parseJson } from "../../kit/schema/json.ts";
import { checkpointOf, setCheckpoint } from "./checkpoint-mark.ts";
import { checkpointFirings, type FiringNote, isFiringNote } from "./firing-notes.ts";
import { createUnwrittenRuns, isRunNote, openRunRows, RUNS_CHECKPOINT, type RunNote } from "./run-rows.ts";

/** What became known of one device at one time. */
export interface Reading {
  device: string;
  /** Epoch ms. */
  at: number;
  /** Attributes that changed. */
  set?: JsonObject;
  /** Attributes that are gone. */
  gone?: string[];
  available?: boolean;
  /** Nothing of the device was to be in the history then. */
  unrecorded?: true;
  /** From a message kept since before, which is no sign of life. */
  retained?: true;
  /** The device itself is gone. */
  removed?: true;
}

export interface JournalTail {
  /** Of the journal that belongs to the database. */
  id: string;
  /** The last segment whose readings are in the database. */
  checkpointed: number;
  /** The last one that is said to be in the database. */
  last: number;
  /** Everything in the journal, oldest first. */
  segments: (Omit<SegmentContent, "texts"> & { readings: Reading[]; runs: RunNote[]; firings: FiringNote[] })[];
  /** Files that belong to another database. */
  foreign: string[];
}

// Attributes may be nested 32 levels deep; a reading is two around them.
const DEEPEST = 40;

export function readingsFolder(stateDb: string): string {
  return join(dirname(stateDb), "readings");
}

/** The journal beside a state database. A database that was replaced by hand has got another mark: then nothing is its own. */
export function readJournalTail(stateDb: string, db: Database): JournalTail {
  const id = journalIdIn(db);
  const folder = readingsFolder(stateDb);
  const segments = readJournal(folder, id).map(({ texts, ...rest }) => {
    const notes = texts.flatMap(notesIn);
    return {
      ...rest,
      readings: notes.filter(isReading),
      runs: notes.filter(isRunNote),
      firings: notes.filter(isFiringNote),
    };
  });
  const checkpointed = checkpointOf(db, id);
  const last = Math.max(checkpointed, checkpointOf(db, id, RUNS_CHECKPOINT));
  return { id, checkpointed, last, segments, foreign: foreignSegments(folder, id) };
}

/** Checkpoints what the database does not have yet, in one transaction. Returns how many readings. */
export function checkpointReadings(
  db: Database,
  { id, checkpointed, segments }: Pick<JournalTail, "id" | "checkpointed" | "segments">,
): number {
  const missing = segments.filter(({ number }) => number > checkpointed);
  const last = missing.at(-1);
  const readings = missing.flatMap((segment) => segment.readings);
  db.transaction(() => {
    checkpointRuns(db, { id, segments });
    checkpointFirings(
      db,
      segments.flatMap(({ firings }) => firings),
    );
    if (!last) return;
    apply(db, readings);
    setCheckpoint(db, { id, segment: last.number });
  }).immediate();
  return readings.length;
}

/** Runs have a mark of their own: their rows are not written together with those of devices. */
function checkpointRuns(db: Database, { id, segments }: Pick<JournalTail, "id" | "segments">): void {
  if (segments.every(({ runs }) => runs.length === 0)) return;
  const checkpointed = checkpointOf(db, id, RUNS_CHECKPOINT);
  const missing = segments.filter(({ number }) => number > checkpointed);
  const last = missing.at(-1);
  if (!last) return;
  const unwritten = createUnwrittenRuns();
  for (const { runs } of missing) unwritten.add(runs);
  openRunRows(db).write(unwritten.changed.values(), unwritten.over, { id, segment: last.number });
}

/** As `readJournalTail`, of a database that is not open here; undefined where there is no journal beside it. */
export function readJournalTailBeside(stateDb: string): JournalTail | undefined {
  if (!existsSync(readingsFolder(stateDb))) return undefined;
  using db = new Database(stateDb, { readonly: true });
  return readJournalTail(stateDb, db);
}

/** Checkpoints into a copy of the database what was read before the copy was made. */
export function checkpointIntoCopy(copy: string, journalTail: JournalTail): void {
  using db = new Database(copy);
  db.run("PRAGMA synchronous = OFF");
  db.run("PRAGMA journal_mode = MEMORY");
  checkpointReadings(db, { ...journalTail, checkpointed: checkpointOf(db, journalTail.id) });
}

/** Of the journal that belongs to the database with this `application_id`. */
export function journalIdOf(mark: number): string {
  return (mark >>> 0).toString(16).padStart(8, "0");
}

export function journalIdIn(db: Database): string {
  return journalIdOf(db.query<{ application_id: number }, []>("PRAGMA application_id").get()?.application_id ?? 0);
}

/** Of one text of the journal. */
export const readingsIn = (text: string): Reading[] => notesIn(text).filter(isReading);

function notesIn(text: string): unknown[] {
  const parsed = parseJson(text, DEEPEST);
  return parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
}

function isReading(value: unknown): value is Reading {
  return isObject(value) && typeof value.device === "string" && typeof value.at === "number";
}

interface StateRow {
  available: number | null;
  attributes: string | null;
  last_changed: string | null;
  last_seen: number | null;
}

interface Checkpointing {
  available: boolean;
  attributes: JsonObject;
  lastChanged: JsonObject;
  lastSeen: number | null;
}

function apply(db: Database, readings: readonly Reading[]): void {
  // Only devices that still are.
  const find = db.query<StateRow, [string]>(
    `SELECT available, attributes, last_changed, last_seen
     FROM devices LEFT JOIN device_state ON device_id = id WHERE id = ?`,
  );
  const states = new Map<string, Checkpointing | undefined>();
  for (const reading of readings) {
    const { device } = reading;
    if (!states.has(device)) states.set(device, stateOf(find.get(device)));
    const state = states.get(device);
    if (!state) continue;
    if (reading.removed)
      states.set(device, stateOf({ available: null, attributes: null, last_changed: null, last_seen: null }));
    else applyOne(state, reading);
  }
  const write = db.query(
    `INSERT INTO device_state (device_id, available, attributes, last_changed, last_seen) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (device_id) DO UPDATE SET available = excluded.available, attributes = excluded.attributes,
       last_changed = excluded.last_changed, last_seen = excluded.last_seen`,
  );
  for (const [id, state] of states) {
    if (!state) continue;
    const { available, attributes, lastChanged, lastSeen } = state;
    write.run(id, Number(available), JSON.stringify(attributes), JSON.stringify(lastChanged), lastSeen);
  }
}

function applyOne(state: Checkpointing, { at, set = {}, gone = [], available, retained }: Reading): void {
  for (const [name, value] of Object.entries(set)) {
    state.attributes[name] = value;
    state.lastChanged[name] = at;
  }
  for (const name of gone) {
    delete state.attributes[name];
    delete state.lastChanged[name];
  }
  if (available !== undefined) state.available = available;
  if (!retained) state.lastSeen = at;
}

function stateOf(row: StateRow | null): Checkpointing | undefined {
  if (!row) return undefined;
  return {
    available: row.available !== 0,
    attributes: objectIn(row.attributes),
    lastChanged: objectIn(row.last_changed),
    lastSeen: row.last_seen,
  };
}

function objectIn(json: string | null): JsonObject {
  const parsed = json === null ? undefined : parseJson(json);
  return parsed?.ok && isObject(parsed.value) ? parsed.value : {};
}
