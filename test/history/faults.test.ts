// What befalls the file: damage, full disks, missing rights, newer hubs.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { mountSmallDisk } from "../support/small-disk.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { createStoreRig, type StoreRig, T0 } from "./store-rig.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());
const path = () => folder.at("history.db");

/** A closed file with some thousand samples. */
function prepare(): void {
  const rig = createStoreRig({ path: path() });
  for (let index = 0; index < 5000; index++) rig.say(`a${index % 10}`, T0 + index, index);
  rig.settle();
  rig.store.close(rig.at);
}

function tear(from: number, to: number): void {
  const bytes = readFileSync(path());
  writeFileSync(path(), bytes.fill(0xff, from, to));
}

const values = (rig: StoreRig): unknown[] => rig.ask().map(({ value }) => value);

test.each([
  ["garbage", () => writeFileSync(path(), "no database ".repeat(1000))],
  ["a torn header", () => tear(0, 4096)],
  ["a torn list of series", () => tear(4096, 4 * 4096)],
  ["its end missing", () => truncateSync(path(), 8192)],
])("a file damaged by %s is set aside with a word, and recording goes on in a new one", (_how, damage) => {
  prepare();
  damage();
  const rig = createStoreRig({ path: path() });
  expect(rig.logged).toHaveLength(1);
  expect(rig.logged[0]).toContain("set aside");
  expect([...new Bun.Glob("history.db.damaged-2026-01-15*").scanSync(folder.path)].length).toBeGreaterThan(0);
  rig.say("x", T0, 1);
  expect(rig.flush()).toBe(true);
  expect(values(rig)).toEqual([1]);
  rig.store.close(rig.at);
});

test("an empty file is begun", () => {
  writeFileSync(path(), "");
  const rig = createStoreRig({ path: path() });
  rig.say("x", T0, 1);
  expect(rig.flush()).toBe(true);
  expect(rig.logged).toEqual([]);
  rig.store.close(rig.at);
});

test("damage that shows while running costs what was settled, and nothing of what is in memory", () => {
  prepare();
  const rig = createStoreRig({ path: path() });
  rig.say("x", T0 + 10_000, "written");
  rig.flush();
  rig.say("x", T0 + 10_001, "waiting");
  // The pages of samples, behind those that were read at the start.
  tear(12 * 4096, readFileSync(path()).length);
  expect(() => rig.ask({ attributes: ["a5"] })).toThrow("cannot be read");
  expect(rig.logged.join()).toContain("set aside");
  expect(values(rig)).toEqual(["written", "waiting"]);
  expect(rig.flush()).toBe(true);
  rig.reopen();
  expect(values(rig)).toEqual(["written", "waiting"]);
  rig.store.close(rig.at);
});

test("a file of a newer hub is left alone and recording says why; it is tried again", () => {
  prepare();
  {
    using db = new Database(path());
    db.run("PRAGMA user_version = 99");
  }
  const rig = createStoreRig({ path: path() });
  rig.say("x", T0, 1);
  expect(rig.flush()).toBe(false);
  expect(rig.store.health.problem).toContain("newer hub");
  expect(() => rig.ask()).toThrow("newer hub");
  expect(rig.logged).toHaveLength(1);
  {
    using db = new Database(path());
    expect(db.query("SELECT count(*) AS n FROM samples").get()).toEqual({ n: 5000 });
    db.run("PRAGMA user_version = 1");
  }
  rig.at.mono += 60_000;
  expect(rig.flush()).toBe(true);
  expect(rig.store.health.problem).toBeUndefined();
  expect(values(rig)).toHaveLength(5001);
  rig.store.close(rig.at);
});

test("a disk that fills up: told once, kept in memory, written when there is room", () => {
  using disk = mountSmallDisk(4);
  const rig = createStoreRig({ path: `${disk.path}/history.db` });
  rig.say("x", T0, 0);
  rig.flush();
  disk.fill();
  let said = 1;
  for (; rig.flush() && said < 100_000; ) for (let index = 0; index < 1000; index++) rig.say("x", T0 + said, said++);
  expect(rig.store.health.problem).toContain("free some space");
  for (let again = 0; again < 5; again++) {
    rig.say("x", T0 + said, said++);
    expect(rig.flush()).toBe(false);
  }
  expect(rig.logged).toHaveLength(1);
  // What is there is answered all the same.
  expect(rig.ask({ from: T0 + said - 3 }).map(({ value }) => value)).toEqual([said - 3, said - 2, said - 1]);
  disk.free();
  expect(rig.flush()).toBe(true);
  expect(rig.store.health).toMatchObject({ problem: undefined, recorded: said, dropped: 0 });
  expect(rig.logged).toHaveLength(2);
  rig.reopen();
  expect(rig.ask({ from: T0 + said - 3 }).map(({ value }) => value)).toEqual([said - 3, said - 2, said - 1]);
  rig.store.close(rig.at);
});

test("a disk full while settling loses nothing either", () => {
  using disk = mountSmallDisk(4);
  const rig = createStoreRig({ path: `${disk.path}/history.db` });
  const samples = 20_000;
  for (let index = 0; index < samples; index++) rig.say(`a${index % 7}`, T0 + index, index);
  rig.flush();
  disk.fill();
  rig.settle();
  expect(rig.store.health.problem).toContain("free some space");
  disk.free();
  rig.settle();
  expect(rig.store.health.problem).toBeUndefined();
  let found = 0;
  for (let from: number | undefined = 0; from !== undefined; ) {
    const page = rig.page({ from });
    found += page.items.length;
    from = page.next;
  }
  expect(found).toBe(samples);
  rig.store.close(rig.at);
});

test("what cannot be written for long is bounded: the oldest goes, and is counted", () => {
  using disk = mountSmallDisk(1);
  disk.fill();
  const rig = createStoreRig({ path: `${disk.path}/history.db`, limits: { mostWaiting: 1000 } });
  for (let index = 0; index < 5000; index++) rig.say(`a${index % 3}`, T0 + index, index);
  expect(rig.store.health).toMatchObject({ recorded: 0 });
  expect(rig.store.health.waiting).toBeLessThanOrEqual(1000);
  expect(rig.store.health.waiting + rig.store.health.dropped).toBe(5000);
  disk.free();
  rig.at.mono += 60_000;
  expect(rig.flush()).toBe(true);
  const kept = values(rig);
  expect(kept.at(-1)).toBe(4999);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 5000 - kept.length + index));
  rig.store.close(rig.at);
});

test("on a disk that is read-only the history is still read, and written when it may be", () => {
  using disk = mountSmallDisk(4);
  const at = `${disk.path}/history.db`;
  const before = createStoreRig({ path: at });
  for (let index = 0; index < 100; index++) before.say("x", T0 + index, index);
  before.store.close(before.at);
  const remount = (how: string) =>
    expect(Bun.spawnSync(["mount", "-o", `remount,${how}`, disk.path]).stderr.toString()).toBe("");
  remount("ro");
  const rig = createStoreRig({ path: at });
  rig.say("x", T0 + 100, 100);
  expect(rig.flush()).toBe(false);
  expect(rig.store.health.problem).toContain("let the hub write");
  expect(values(rig)).toHaveLength(101);
  remount("rw");
  rig.at.mono += 60_000;
  expect(rig.flush()).toBe(true);
  expect(rig.store.health.problem).toBeUndefined();
  rig.reopen();
  expect(values(rig)).toEqual(Array.from({ length: 101 }, (_, value) => value));
  rig.store.close(rig.at);
});

test("a folder that is not there", () => {
  const rig = createStoreRig({ path: folder.at("nowhere", "history.db") });
  rig.say("x", T0, 1);
  expect(rig.flush()).toBe(false);
  expect(rig.store.health.problem).toContain("cannot open");
  expect(() => rig.ask()).toThrow("cannot open");
  rig.store.close(rig.at);
});
