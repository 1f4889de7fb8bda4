// What a killed process had not written to its journal yet: it is in memory, and becomes a segment, once, for whoever opens the journal next.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { openReadingJournal, type ReadingJournal } from "../../../src/house/state/reading-journal.ts";
import { readJournal } from "../../../src/kit/files/journal-reader.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { openDraft, recoverDraft } from "../../../src/server/db/reading-draft.ts";
import { type Reading, readingsIn } from "../../../src/server/db/readings.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

const ID = "000000ab";
const hasMemory = existsSync("/dev/shm");
let folder: TemporaryFolder;
let clock: VirtualClock;
const journals: ReadingJournal[] = [];
beforeEach(() => {
  folder = createTemporaryFolder();
  clock = createVirtualClock(Date.parse("2026-01-15T12:00:00Z"));
});
afterEach(() => {
  for (const journal of journals.splice(0)) journal[Symbol.dispose]();
  recoverDraft(readings(), ID);
  folder[Symbol.dispose]();
});
const readings = (): string => folder.at("readings");
const drafts = (): string[] => readdirSync("/dev/shm").filter((name) => name.startsWith("hub-readings-"));

function start(first = 1): ReadingJournal {
  const journal = openReadingJournal({
    ...{ folder: readings(), id: ID, first, clock, log: silentLog, flushSecs: 5, trouble: { note() {} } },
    draft: openDraft({ folder: readings(), id: ID, clock, log: silentLog }),
  });
  journals.push(journal);
  return journal;
}

const reading = (at: number): Reading => ({ device: "lamp", at, set: { n: at } });
const written = (): number[] =>
  readJournal(readings(), ID).flatMap(({ texts }) => texts.flatMap(readingsIn).map(({ at }) => at));
/** What the process had in memory is forgotten, and the next one opens the journal. */
const afterKill = (): number[] => {
  recoverDraft(readings(), ID);
  return written();
};

test.if(hasMemory)(
  "a reading outlives a kill that comes right after it, before anybody is answered, also before the first text of the journal",
  () => {
    start().note(reading(1));
    expect(written()).toEqual([]);
    expect(afterKill()).toEqual([1]);
    expect(recoverDraft(readings(), ID)).toBe(0);
  },
);

test.if(hasMemory)("it follows what is written already, and nothing is there twice", async () => {
  const journal = start();
  journal.note(reading(1));
  await clock.advance(5000);
  expect(written()).toEqual([1]);
  journal.note(reading(2));
  journal.write(reading(3), { synced: false });
  journal.note(reading(4));
  expect(afterKill()).toEqual([1, 2, 3, 4]);
});

test.if(hasMemory)("in a flood they come together a millisecond later", async () => {
  const journal = start();
  for (let n = 1; n <= 100; n++) {
    journal.note(reading(n));
  }
  await clock.advance(1);
  expect(afterKill()).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
});

test.if(hasMemory)("a draft from before the journal went on is no news", async () => {
  const draft = openDraft({ folder: readings(), id: ID, clock, log: silentLog });
  draft.add(JSON.stringify(reading(1)), { segment: 1, bytes: 0 });
  const journal = openReadingJournal({
    ...{ folder: readings(), id: ID, first: 1, clock, log: silentLog, flushSecs: 5, trouble: { note() {} } },
  });
  journals.push(journal);
  journal.write(reading(1), { synced: false });
  expect(afterKill()).toEqual([1]);
});

test.if(hasMemory)("that of another database is not this one's", async () => {
  const draft = openDraft({ folder: readings(), id: "0000ffff", clock, log: silentLog });
  draft.add(JSON.stringify(reading(1)), { segment: 1, bytes: 0 });
  expect(afterKill()).toEqual([]);
});

test.if(hasMemory)("a cut line is left out, and a stranger's link is not followed", async () => {
  const before = drafts();
  const journal = start();
  journal.note(reading(1));
  const [name = ""] = drafts().filter((one) => !before.includes(one));
  const path = `/dev/shm/${name}`;
  writeFileSync(path, '{"device":"lamp","at":2,"se', { flag: "a" });
  expect(afterKill()).toEqual([1]);
  const victim = folder.at("victim");
  writeFileSync(victim, "untouched");
  symlinkSync(victim, path);
  expect(recoverDraft(readings(), ID)).toBe(0);
  start(9).note(reading(3));
  expect(await Bun.file(victim).text()).toBe("untouched");
});

test.if(hasMemory)("a hub that ends leaves nothing in memory", async () => {
  const before = drafts();
  const journal = start();
  journal.note(reading(1));
  expect(drafts().length).toBe(before.length + 1);
  journals.splice(0);
  await clock.advance(5000);
  journal[Symbol.dispose]();
  expect(drafts()).toEqual(before);
});

test.if(hasMemory)("nor does one that ends in the turn in which a reading came", async () => {
  const before = drafts();
  const draft = openDraft({ folder: readings(), id: ID, clock, log: silentLog });
  draft.add(JSON.stringify(reading(1)), { segment: 1, bytes: 0 });
  draft[Symbol.dispose]();
  expect(drafts()).toEqual(before);
});
