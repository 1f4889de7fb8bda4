// The history over the journal of readings: samples that only the journal has come back once, whoever died.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { checkpointSamplesIntoCopy } from "../../../src/house/history/replay.ts";
import { openReadingJournal, type ReadingJournal } from "../../../src/house/state/reading-journal.ts";
import { segmentPath } from "../../../src/kit/files/journal-reader.ts";
import { NO_TROUBLE } from "../../../src/kit/files/storage-fault.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/wait.ts";
import { type HistoryRig, startHistoryRig } from "./history-rig.ts";

let folder: TemporaryFolder;
const open: AsyncDisposable[] = [];
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const path = (): string => folder.at("history.db");
const inFile = (): number => {
  using db = new Database(path(), { readonly: true });
  return db.query<{ n: number }, []>("SELECT (SELECT count(*) FROM samples) + (SELECT count(*) FROM recent) AS n").get()
    ?.n as number;
};

interface Rig extends HistoryRig {
  journal: ReadingJournal;
  /** Noted in the journal and recorded, as the registry does it. */
  say(value: unknown, device?: string): void;
}

const HUB_CLOCK = { now: () => 0, mono: () => 0, after: () => NO_TIMER, every: () => NO_TIMER };
const NO_TIMER = { name: "", [Symbol.dispose]() {} };

function start(options: { first?: number; worker?: URL; exclude?: string[] } = {}): Rig {
  const journal = openReadingJournal({
    folder: folder.at("readings"),
    id: "house",
    first: options.first ?? 1,
    clock: HUB_CLOCK,
    log: silentLog,
    flushSecs: 5,
    trouble: NO_TROUBLE,
  });
  const rig = startHistoryRig({
    path: path(),
    journal,
    ...(options.worker && { worker: options.worker }),
    ...(options.exclude && { config: { exclude: options.exclude } }),
  });
  open.push(rig);
  return {
    ...rig,
    journal,
    say(value, device = "lamp") {
      journal.note({ device, at: rig.clock.now(), set: { v: value as never } });
      rig.report(device, { v: value });
    },
  };
}

const values = async (rig: Rig): Promise<unknown[]> => (await rig.ask()).map(({ value }) => value);

test("samples are found at once, and are in the file only after checkpointing", async () => {
  const rig = start();
  rig.say(1);
  rig.say("two");
  expect(await values(rig)).toEqual([1, "two"]);
  expect(inFile()).toBe(0);
  await rig.history.flush();
  expect(inFile()).toBe(2);
  expect(await values(rig)).toEqual([1, "two"]);
});

test("what a killed hub had only in its journal is recorded by the next one, once, and kept by the one after it", async () => {
  const killed = start();
  killed.say(1);
  await killed.history.flush();
  killed.say(2);
  killed.say({ deep: [true] });
  expect(killed.journal.journalTail()).toHaveLength(1);

  for (const first of [3, 4]) {
    const next = start({ first });
    expect(await values(next)).toEqual([1, 2, { deep: [true] }]);
    await next.history.flush();
    expect(inFile()).toBe(3);
  }
});

test("a segment that is in the file and was not released is not recorded twice", async () => {
  const killed = start();
  killed.say(1);
  killed.journal.journalTail();
  const segment = segmentPath(folder.at("readings"), "house", 1);
  const bytes = readFileSync(segment);
  await killed.history.flush();
  // The hub was killed between writing the samples and releasing their segment.
  writeFileSync(segment, bytes);
  const next = start({ first: 2 });
  expect(next.journal.journalTail()).toHaveLength(1);
  expect(await values(next)).toEqual([1]);
  await next.history.flush();
  expect(inFile()).toBe(1);
});

test("a worker that dies takes nothing with it that is in the journal", async () => {
  const rig = start({ worker: new URL("./mortal-worker.ts", import.meta.url) });
  rig.say(1);
  await rig.history.flush();
  rig.say(2);
  expect(await values(rig)).toEqual([1, 2]);
  await rig.ask({ deviceId: "fatal" }).catch(() => {});
  rig.say(3);
  await until("there is a worker again", async () => {
    await rig.clock.advance(1000);
    return rig.history.health().recording;
  });
  rig.say(4);
  expect(await values(rig)).toEqual([1, 2, 3, 4]);
  await rig.history.flush();
  expect(inFile()).toBe(4);
  expect(rig.history.health()).toMatchObject({ samplesDropped: 0 });
});

test("what is excluded now is not recorded from an old journal either", async () => {
  const killed = start();
  killed.say(1);
  killed.say(2, "secret");
  killed.journal.journalTail();
  const next = start({ first: 2, exclude: ["secret"] });
  expect(await values(next)).toEqual([1]);
  expect(await next.ask({ deviceId: "secret" })).toEqual([]);
});

test("what came while nothing of the device was recorded is not recorded later, from no journal", async () => {
  const killed = start();
  killed.journal.note({ device: "lamp", at: killed.clock.now(), set: { v: 1 }, unrecorded: true });
  killed.journal.note({ device: "lamp", at: killed.clock.now(), set: { v: 2 } });
  killed.journal.journalTail();
  const next = start({ first: 2 });
  expect(await values(next)).toEqual([2]);
});

test("a copy of the file gets every sample once, also those that were written to the file before it was copied", async () => {
  const rig = start();
  for (const value of [1, 2]) rig.say(value);
  await rig.history.flush();
  rig.say(3);
  rig.say("hidden", "safe");
  const segments = rig.journal
    .journalTail()
    .map(({ segment, readings }) => ({ ...NOWHERE, number: segment, readings, runs: [], firings: [] }));
  const copyNow = (name: string): string => {
    using db = new Database(path());
    db.query("VACUUM INTO ?").run(folder.at(name));
    return folder.at(name);
  };
  const early = copyNow("early.db");
  await rig.history.flush();
  const late = copyNow("late.db");
  const valuesIn = (copy: string): unknown[] => {
    checkpointSamplesIntoCopy(copy, { id: "house", segments }, (device) => device === "safe");
    using db = new Database(copy, { readonly: true });
    return db
      .query<{ value: unknown }, []>("SELECT value FROM history WHERE device_id = 'lamp' ORDER BY time, value")
      .all()
      .map(({ value }) => value);
  };
  expect(valuesIn(early)).toEqual([1, 2, 3]);
  expect(valuesIn(late)).toEqual([1, 2, 3]);
  // Again, as it is there now.
  expect(valuesIn(early)).toEqual([1, 2, 3]);
  using db = new Database(early, { readonly: true });
  expect(db.query("SELECT 1 FROM history WHERE device_id = 'safe'").all()).toEqual([]);
});

const NOWHERE = { path: "", cutAt: undefined };
