// Runs that wait, in the journal of readings: what outlives a kill at any moment, when there are rows, and what a backup takes.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { statSync, truncateSync } from "node:fs";
import { openReadings } from "../../../src/app/hub/open-readings.ts";
import type { ReadingJournal } from "../../../src/house/state/reading-journal.ts";
import { listSegments } from "../../../src/kit/files/journal-reader.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { openRunStore, type RunStore } from "../../../src/rules/engine/runs/run-store.ts";
import {
  checkpointIntoCopy,
  journalIdOf,
  readingsFolder,
  readJournalTailBeside,
} from "../../../src/server/db/readings.ts";
import type { RunChange } from "../../../src/server/db/run-rows.ts";
import type { StateDb } from "../../../src/server/db/state-db.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

const HOUR_MS = 3_600_000;
const LONG = JSON.stringify({ text: "x".repeat(400_000) });
let folder: TemporaryFolder;
let clock: VirtualClock;
const open: AsyncDisposableStack[] = [];
beforeEach(() => {
  folder = createTemporaryFolder();
  clock = createVirtualClock(Date.parse("2026-01-15T12:00:00Z"));
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.disposeAsync();
  folder[Symbol.dispose]();
});

interface Hub extends AsyncDisposable {
  db: StateDb;
  journal: ReadingJournal;
  store: RunStore;
}

const stateDb = (): string => folder.at("state.redb");

/** After a kill: what the one before holds in memory is forgotten, and it must not be used any more. */
function start(): Hub {
  const stack = new AsyncDisposableStack();
  const db = stack.use(openTestState(stateDb(), clock.now));
  const journal = openReadings({ db, stateDb: stateDb(), clock, log: silentLog, flushSecs: 5 }, stack);
  if (!journal) throw new Error("the database is a copy");
  const store = stack.use(openRunStore(db, journal));
  open.push(stack);
  return { db, journal, store, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const begins = (id: string, vars = "{}"): RunChange => ({ id, ruleId: "r", position: '{"at":0}', begun: "{}", vars });
const goesOn = (id: string, at: number, vars?: string): RunChange => ({
  ...{ id, ruleId: "r", position: JSON.stringify({ at }), begun: undefined, vars },
});
const kept = ({ store }: Pick<Hub, "store">): string[] =>
  store.read().map(({ id, position, vars }) => `${id} ${position}${vars.length > 2 ? ` ${vars.length}` : ""}`);
const segments = () => listSegments(readingsFolder(stateDb()), journalIdOf(0));

test("a run that waits outlives a kill at once, as it was written last, in the order in which they began", () => {
  const { store } = start();
  store.write([begins("b"), begins("a")], []);
  store.write([goesOn("b", 1)], []);
  store.write([begins("c")], ["a"]);
  expect(kept(start())).toEqual(['b {"at":1}', 'c {"at":0}']);
  const next = start();
  next.store.write([goesOn("c", 4), begins("d")], ["b"]);
  expect(kept(start())).toEqual(['c {"at":4}', 'd {"at":0}']);
});

test("a run that is over before the hour touches no page of the database, and neither is it found again", () => {
  const { store, db } = start();
  const pages = (): number => statSync(`${stateDb()}-wal`).size;
  store.write([begins("a")], []);
  const before = pages();
  for (let n = 0; n < 100; n++) {
    store.write([begins(`${n}`)], []);
    store.write([goesOn(`${n}`, 1)], [], { flushed: true });
    store.write([], [`${n}`]);
  }
  expect(pages()).toBe(before);
  expect(db.own.query("SELECT id FROM rule_runs").all()).toEqual([]);
  expect(kept(start())).toEqual(['a {"at":0}']);
});

test("once an hour what waits goes into its row, and the journal begins anew", async () => {
  const hub = start();
  hub.store.write([begins("a"), begins("b")], []);
  await clock.advance(HOUR_MS + 5000);
  expect(kept(hub)).toEqual(['a {"at":0}', 'b {"at":0}']);
  expect(hub.journal.journalTail()).toEqual([]);
  hub.store.write([goesOn("a", 2)], ["b"]);
  expect(kept(start())).toEqual(['a {"at":2}']);
});

test("where an end of it is torn off, the runs before it are there", () => {
  const { store } = start();
  store.write([begins("a")], []);
  store.write([begins("b")], []);
  const [segment] = segments();
  truncateSync(segment?.path ?? "", statSync(segment?.path ?? "").size - 12);
  expect(kept(start())).toEqual(['a {"at":0}']);
});

test("what is much is a row at once, and what the journal says of it from before does not come back", () => {
  const { store } = start();
  store.write([begins("a")], []);
  store.write([goesOn("a", 1, LONG)], []);
  expect(kept(start())).toEqual([`a {"at":1} ${LONG.length}`]);
});

test("a copy of a killed hub's database takes what only the journal has", () => {
  const { store, db } = start();
  store.write([begins("old"), begins("gone")], []);
  store.checkpoint();
  store.write([begins("new"), goesOn("old", 3)], ["gone"]);
  const journalTail = readJournalTailBeside(stateDb());
  db.own.query("VACUUM INTO ?").run(folder.at("copy"));
  if (journalTail) checkpointIntoCopy(folder.at("copy"), journalTail);
  using copy = new Database(folder.at("copy"), { readonly: true });
  expect(copy.query("SELECT id, position FROM rule_runs ORDER BY number").values()).toEqual([
    ["old", '{"at":3}'],
    ["new", '{"at":0}'],
  ]);
});

test("before a backup all of it is in the rows, and after a clean end there is no journal", async () => {
  const hub = start();
  hub.store.write([begins("a")], []);
  hub.store.checkpoint();
  expect(kept(hub)).toEqual(['a {"at":0}']);
  hub.store.write([goesOn("a", 1)], []);
  await hub[Symbol.asyncDispose]();
  expect(segments()).toEqual([]);
  expect(kept(start())).toEqual(['a {"at":1}']);
});

/** Nothing goes into the database until `work` is over. */
function whileLocked({ db }: Hub, work: () => void): void {
  using other = new Database(stateDb());
  db.own.run("PRAGMA busy_timeout = 0");
  other.run("BEGIN IMMEDIATE");
  work();
  other.run("ROLLBACK");
}

test("rows that cannot be written wait in the journal, also over a kill", () => {
  const hub = start();
  hub.store.write([begins("a")], []);
  whileLocked(hub, () => {
    hub.store.checkpoint();
    hub.store.write([goesOn("a", 1)], []);
  });
  expect(kept(start())).toEqual(['a {"at":1}']);
});

test("what is much and cannot be written is said, and written with the next try", () => {
  const hub = start();
  whileLocked(hub, () => {
    expect(() => hub.store.write([begins("long", LONG)], [])).toThrow();
  });
  hub.store.write([begins("long", LONG)], []);
  expect(kept(hub)).toEqual([`long {"at":0} ${LONG.length}`]);
});
