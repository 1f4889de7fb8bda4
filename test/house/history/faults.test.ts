// Faults of the file: damage, full disks, missing rights, newer hubs.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { historyMigrations } from "../../../src/house/history/migrations/index.ts";
import { mountSmallDisk } from "../../support/small-disk.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
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
  for (let index = 0; index < 5000; index++) rig.record(`a${index % 10}`, T0 + index, index);
  rig.compact();
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
])("a file damaged by %s is set aside with a log line, and recording continues in a new one", (_how, damage) => {
  prepare();
  damage();
  const rig = createStoreRig({ path: path() });
  expect(rig.logged).toHaveLength(1);
  expect(rig.logged[0]).toContain("set aside");
  expect([...new Bun.Glob("history.db.damaged-2026-01-15*").scanSync(folder.path)].length).toBeGreaterThan(0);
  rig.record("x", T0, 1);
  expect(rig.flush()).toBe(true);
  expect(values(rig)).toEqual([1]);
  rig.store.close(rig.at);
});

test("an empty file is a new history", () => {
  writeFileSync(path(), "");
  const rig = createStoreRig({ path: path() });
  rig.record("x", T0, 1);
  expect(rig.flush()).toBe(true);
  expect(rig.logged).toEqual([]);
  rig.store.close(rig.at);
});

test("damage found while running loses the compacted samples, and none that are in memory", () => {
  prepare();
  const rig = createStoreRig({ path: path() });
  rig.record("x", T0 + 10_000, "written");
  rig.flush();
  rig.record("x", T0 + 10_001, "waiting");
  // The pages of samples, after those that were read at the start.
  tear(12 * 4096, readFileSync(path()).length);
  expect(() => rig.ask({ attributes: ["a5"] })).toThrow("cannot be read");
  expect(rig.logged.join()).toContain("set aside");
  expect(values(rig)).toEqual(["written", "waiting"]);
  expect(rig.flush()).toBe(true);
  rig.reopen();
  expect(values(rig)).toEqual(["written", "waiting"]);
  rig.store.close(rig.at);
});

test("a file of a newer hub is not touched, health says why, and it is tried again", () => {
  prepare();
  {
    using db = new Database(path());
    db.run("PRAGMA user_version = 99");
  }
  const rig = createStoreRig({ path: path() });
  rig.record("x", T0, 1);
  expect(rig.flush()).toBe(false);
  expect(rig.store.health.problem).toContain("newer hub");
  expect(() => rig.ask()).toThrow("newer hub");
  expect(rig.logged).toHaveLength(1);
  {
    using db = new Database(path());
    expect(db.query("SELECT count(*) AS n FROM samples").get()).toEqual({ n: 5000 });
    db.run(`PRAGMA user_version = ${historyMigrations.length}`);
  }
  rig.at.mono += 60_000;
  expect(rig.flush()).toBe(true);
  expect(rig.store.health.problem).toBeUndefined();
  expect(values(rig)).toHaveLength(5001);
  rig.store.close(rig.at);
});

test("a full disk: logged once, samples stay in memory and are written when there is space", () => {
  using disk = mountSmallDisk(4);
  const rig = createStoreRig({ path: `${disk.path}/history.db` });
  rig.record("x", T0, 0);
  rig.flush();
  disk.fill();
  let said = 1;
  for (; rig.flush() && said < 100_000; ) for (let index = 0; index < 1000; index++) rig.record("x", T0 + said, said++);
  expect(rig.store.health.problem).toContain("free some space");
  for (let again = 0; again < 5; again++) {
    rig.record("x", T0 + said, said++);
    expect(rig.flush()).toBe(false);
  }
  expect(rig.logged).toHaveLength(1);
  // Queries still work.
  expect(rig.ask({ from: T0 + said - 3 }).map(({ value }) => value)).toEqual([said - 3, said - 2, said - 1]);
  disk.free();
  expect(rig.flush()).toBe(true);
  expect(rig.store.health).toMatchObject({ problem: undefined, recorded: said, dropped: 0 });
  expect(rig.logged).toHaveLength(2);
  rig.reopen();
  expect(rig.ask({ from: T0 + said - 3 }).map(({ value }) => value)).toEqual([said - 3, said - 2, said - 1]);
  rig.store.close(rig.at);
});

test("a disk that is full during compaction loses nothing either", () => {
  using disk = mountSmallDisk(4);
  const rig = createStoreRig({ path: `${disk.path}/history.db` });
  const samples = 20_000;
  for (let index = 0; index < samples; index++) rig.record(`a${index % 7}`, T0 + index, index);
  rig.flush();
  disk.fill();
  rig.compact();
  expect(rig.store.health.problem).toContain("free some space");
  disk.free();
  rig.compact();
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

test("samples that cannot be written for long are limited: the oldest are dropped and counted", () => {
  using disk = mountSmallDisk(1);
  disk.fill();
  const rig = createStoreRig({ path: `${disk.path}/history.db`, limits: { maxWaiting: 1000 } });
  for (let index = 0; index < 5000; index++) rig.record(`a${index % 3}`, T0 + index, index);
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

test("on a read-only disk the history is still read, and written when it can be", () => {
  using disk = mountSmallDisk(4);
  const at = `${disk.path}/history.db`;
  const before = createStoreRig({ path: at });
  for (let index = 0; index < 100; index++) before.record("x", T0 + index, index);
  before.store.close(before.at);
  const remount = (how: string) =>
    expect(Bun.spawnSync(["mount", "-o", `remount,${how}`, disk.path]).stderr.toString()).toBe("");
  remount("ro");
  const rig = createStoreRig({ path: at });
  rig.record("x", T0 + 100, 100);
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

test("a missing folder", () => {
  const rig = createStoreRig({ path: folder.at("nowhere", "history.db") });
  rig.record("x", T0, 1);
  expect(rig.flush()).toBe(false);
  expect(rig.store.health.problem).toContain("cannot open");
  expect(() => rig.ask()).toThrow("cannot open");
  rig.store.close(rig.at);
});
