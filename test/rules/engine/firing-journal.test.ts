// How often rules fired, in the journal of readings: what outlives a kill, and when there are rows.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { openReadings } from "../../../src/app/hub/open-readings.ts";
import type { ReadingJournal } from "../../../src/house/state/reading-journal.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { openRuleStore, type RuleStore } from "../../../src/rules/engine/store.ts";
import { checkpointIntoCopy, readingsFolder, readJournalTailBeside } from "../../../src/server/db/readings.ts";
import type { StateDb } from "../../../src/server/db/state-db.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
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
  store: RuleStore;
  fire(rule: string, count: number): void;
  /** As the database has them. */
  counts(): Record<string, number>;
}

const stateDb = (): string => folder.at("state.redb");

/** After a kill: what the one before holds in memory is forgotten, and it must not be used any more. */
function start(): Hub {
  const stack = new AsyncDisposableStack();
  const db = stack.use(openTestState(stateDb(), clock.now));
  const journal = openReadings({ db, stateDb: stateDb(), clock, log: silentLog, flushSecs: 5 }, stack);
  if (!journal) throw new Error("the database is a copy");
  const store = stack.use(openRuleStore({ db, clock, log: silentLog, flushMs: 5 * SECOND_MS, journal }));
  open.push(stack);
  return {
    ...{ db, journal, store },
    fire: (rule, count) =>
      store.saveState(rule, () => ({
        ...{ rule_id: rule, last_fired_at: clock.now(), fire_count: count },
        ...{ paused_at: null, paused_ms: null },
      })),
    counts: () => Object.fromEntries(store.states().map(({ rule_id, fire_count }) => [rule_id, fire_count])),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const reading = (at: number) => ({ device: "lamp", at, set: { on: true } });

test("a firing is on disk with the next readings, and outlives a kill, without a page of the database", async () => {
  const hub = start();
  const pages = (): number => statSync(`${stateDb()}-wal`).size;
  const before = pages();
  for (let count = 1; count <= 20; count++) {
    hub.fire("r", count);
    hub.journal.note(reading(count));
    await clock.advance(5 * SECOND_MS);
  }
  const last = clock.now() - 5 * SECOND_MS;
  expect(pages()).toBe(before);
  expect(hub.counts()).toEqual({});
  const next = start();
  expect(next.store.states()).toMatchObject([{ rule_id: "r", fire_count: 20, last_fired_at: last, paused_at: null }]);
});

test("where nothing else is written, it is on disk within a minute", async () => {
  const hub = start();
  hub.fire("r", 1);
  await clock.advance(50 * SECOND_MS);
  expect(existsSync(readingsFolder(stateDb()))).toBe(false);
  await clock.advance(15 * SECOND_MS);
  expect(start().counts()).toEqual({ r: 1 });
});

test("once an hour and at the end it goes into the rule's row, and nothing of the journal stays", async () => {
  const hub = start();
  hub.fire("r", 1);
  await clock.advance(MINUTE_MS + HOUR_MS + 10 * SECOND_MS);
  expect(hub.counts()).toEqual({ r: 1 });
  hub.fire("r", 2);
  hub.fire("s", 7);
  await hub[Symbol.asyncDispose]();
  expect(existsSync(readingsFolder(stateDb()))).toBe(false);
  expect(start().counts()).toEqual({ r: 2, s: 7 });
});

test("a note from before the row was written changes nothing: neither the count nor a pause", async () => {
  const hub = start();
  hub.fire("r", 1);
  hub.journal.note(reading(1));
  await clock.advance(5 * SECOND_MS);
  const row = { rule_id: "r", last_fired_at: 42, fire_count: 2, paused_at: 43, paused_ms: 44 };
  hub.store.saveStateNow(row);
  expect(start().store.states()).toEqual([row]);
});

test("a copy of a killed hub's database takes what only the journal has", async () => {
  const hub = start();
  hub.fire("r", 3);
  hub.journal.note(reading(1));
  await clock.advance(5 * SECOND_MS);
  const journalTail = readJournalTailBeside(stateDb());
  if (!journalTail) throw new Error("there is no journal");
  hub.db.own.query("VACUUM INTO ?").run(folder.at("copy.redb"));
  checkpointIntoCopy(folder.at("copy.redb"), journalTail);
  using copy = openTestState(folder.at("copy.redb"), clock.now);
  expect(copy.own.query("SELECT rule_id, fire_count FROM rule_state").all()).toEqual([{ rule_id: "r", fire_count: 3 }]);
});

test("rows that cannot be written wait in the journal, also over a kill", async () => {
  const hub = start();
  hub.fire("r", 5);
  hub.journal.note(reading(1));
  hub.db.own.run("CREATE TRIGGER full BEFORE INSERT ON rule_state BEGIN SELECT raise(ABORT, 'the disk is full'); END");
  await clock.advance(HOUR_MS + 10 * SECOND_MS);
  expect(hub.counts()).toEqual({});
  hub.db.own.run("DROP TRIGGER full");
  expect(start().counts()).toEqual({ r: 5 });
});
