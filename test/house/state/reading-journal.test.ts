// Devices' states over a journal: what outlives a kill at any moment, and when rows are written.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { openReadingJournal, type ReadingJournal } from "../../../src/house/state/reading-journal.ts";
import { openRegistry, type Registry } from "../../../src/house/state/registry.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { checkpointReadings, readingsFolder, readJournalTail } from "../../../src/server/db/readings.ts";
import type { StateDb } from "../../../src/server/db/state-db.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

const HOUR_MS = 3_600_000;
let folder: TemporaryFolder;
let clock: VirtualClock;
const open: Disposable[] = [];
beforeEach(() => {
  folder = createTemporaryFolder();
  clock = createVirtualClock(Date.parse("2026-01-15T12:00:00Z"));
});
afterEach(() => {
  for (const one of open.splice(0).reverse()) one[Symbol.dispose]();
  folder[Symbol.dispose]();
});

interface House {
  db: StateDb;
  journal: ReadingJournal;
  registry: Registry;
  say(n: number, durable?: "written" | "synced"): void;
  row(): unknown;
}

const stateDb = (): string => folder.at("state.redb");

function start(allows = (_waitedMs: number) => true): House {
  const db = openTestState(stateDb(), clock.now);
  const journalTail = readJournalTail(stateDb(), db.durable);
  checkpointReadings(db.durable, journalTail);
  const last = Math.max(journalTail.checkpointed, ...journalTail.segments.map(({ number }) => number));
  const common = { clock, log: silentLog, flushSecs: 5, trouble: db.trouble };
  const budget = { allows, enlist: () => ({ [Symbol.dispose]() {} }) };
  const journal = openReadingJournal({
    ...common,
    budget,
    folder: readingsFolder(stateDb()),
    id: journalTail.id,
    first: last + 1,
  });
  const registry = openRegistry({ ...common, db, journal, emit() {} });
  open.push(db, journal, registry);
  return {
    db,
    journal,
    registry,
    say: (n, durable) => registry.state("lamp", { n }, { pluginId: "p", partial: true, ...(durable && { durable }) }),
    row: () =>
      db.durable.query<{ attributes: string }, []>("SELECT attributes FROM device_state").get()?.attributes ?? null,
  };
}

/** The next start after a kill: what the first one holds in memory is forgotten, and it must not be used any more. */
const stateAfterKill = (): unknown => start().registry.find("lamp")?.attributes.n;

test("a reading outlives a kill after flush_secs, and the next start has it in its row", async () => {
  start().say(1);
  await clock.advance(5000);
  const next = start();
  expect(next.registry.find("lamp")?.attributes.n).toBe(1);
  expect(next.row()).toBe('{"n":1}');
});

test("before that it does not, and neither does it harm", () => {
  start().say(1);
  expect(stateAfterKill()).toBeUndefined();
});

test.each(["written", "synced"] as const)("what is %s outlives a kill at once, with all before it", (durable) => {
  const house = start();
  house.say(1);
  house.registry.state("lamp", { m: 1 }, { pluginId: "p", partial: true, durable });
  expect(start().registry.find("lamp")?.attributes).toEqual({ n: 1, m: 1 });
});

test("a person's command after a rule's is what is left, and the other way round", () => {
  const house = start();
  house.say(1, "written");
  house.say(2, "synced");
  const next = start();
  expect(next.registry.find("lamp")?.attributes.n).toBe(2);
  next.say(3, "written");
  expect(stateAfterKill()).toBe(3);
});

test("rows are written once an hour, and the journal begins anew", async () => {
  const house = start();
  for (let minute = 0; minute < 59; minute++) {
    house.say(minute);
    await clock.advance(60_000);
  }
  expect(house.row()).toBeNull();
  await clock.advance(HOUR_MS);
  expect(house.row()).toBe('{"n":58}');
  expect(house.journal.journalTail()).toEqual([]);
  expect(stateAfterKill()).toBe(58);
});

test("much at once goes into the rows with the next batch, without the journal", async () => {
  const house = start();
  for (let index = 0; index < 40_000; index++) house.say(index);
  expect(house.row()).toBeNull();
  await clock.advance(5000);
  expect(house.row()).toBe('{"n":39999}');
  house.say(-1);
  await clock.advance(5000);
  expect(stateAfterKill()).toBe(-1);
});

test("a used up allowance delays readings, and not what a person or a rule commands", async () => {
  const house = start((waitedMs) => waitedMs >= 600_000);
  house.say(1);
  await clock.advance(590_000);
  expect(existsSync(readingsFolder(stateDb()))).toBe(false);
  await clock.advance(15_000);
  expect(house.journal.journalTail().flatMap(({ readings }) => readings)).toHaveLength(1);
  house.say(2, "written");
  expect(stateAfterKill()).toBe(2);
});

test("a clean end leaves everything in the rows, and no journal", async () => {
  const house = start();
  house.say(1);
  await clock.advance(5000);
  house.say(2);
  house.registry[Symbol.dispose]();
  house.journal[Symbol.dispose]();
  expect(house.row()).toBe('{"n":2}');
  expect(existsSync(readingsFolder(stateDb()))).toBe(false);
});

test("a reading says that nothing of its device is recorded", () => {
  const house = start();
  house.say(1);
  house.registry.edit("lamp", { history: false });
  house.say(2);
  const readings = house.journal.journalTail().flatMap((segment) => segment.readings);
  expect(readings.map(({ set, unrecorded }) => [set, unrecorded])).toEqual([
    [{ n: 1 }, undefined],
    [{ n: 2 }, true],
  ]);
});
