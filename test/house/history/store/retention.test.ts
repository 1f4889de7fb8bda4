import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { usedBytes } from "../../../../src/house/history/store/retention.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { createStoreRig, DAY_MS, type StoreRig, seconds, T0 } from "../store-rig.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * DAY_MS;

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());
const path = () => folder.at("history.db");

function run(rig: StoreRig, hours: number, devices?: string[]): void {
  for (let hour = 0; hour < hours; hour++) {
    rig.at.now += HOUR_MS;
    rig.at.mono += HOUR_MS;
    rig.retain(devices);
  }
}

test("samples older than retention_days are removed, but the last value before them is kept", () => {
  const rig = createStoreRig({ path: path(), retentionDays: 10 });
  for (let day = 0; day < 10; day++) rig.record("daily", T0 + day * DAY_MS, day);
  rig.record("door", T0, "open");
  rig.compact();
  rig.record("door", T0 + 1, "shut");
  rig.flush();
  run(rig, 15 * 24);
  const old = { from: T0 + 4 * DAY_MS, initial: true };
  expect(rig.ask({ ...old, attributes: ["door"] }).map(({ value }) => value)).toEqual(["shut"]);
  // Removed at most a day late; the last one before the cut stays.
  expect(rig.ask({ attributes: ["daily"] }).map(({ value }) => value)).toEqual([4, 5, 6, 7, 8, 9]);
  expect(rig.ask({ attributes: ["door"] })).toHaveLength(1);
  rig.store.close(rig.at);
});

test("of a removed attribute and a removed device nothing is kept beyond retention_days", () => {
  const rig = createStoreRig({ path: path(), retentionDays: 10 });
  rig.record("gone", T0, 1);
  rig.record("gone", T0 + 1, undefined);
  rig.record("level", T0, 1, "old device");
  rig.record("level", T0, 1);
  rig.flush();
  run(rig, 12 * 24, ["lamp"]);
  rig.store.close(rig.at);
  using db = new Database(path(), { readonly: true });
  expect(db.query("SELECT device_id, attribute FROM series").values()).toEqual([["lamp", "level"]]);
  expect(db.query("SELECT count(*) FROM history").values()).toEqual([[1]]);
});

test("a series with many samples is trimmed in steps", () => {
  const rig = createStoreRig({ path: path(), retentionDays: 10 });
  for (let index = 0; index < 9000; index++) rig.record("fast", T0 + index, index);
  rig.compact();
  run(rig, 9 * 24);
  rig.at.now = T0 + 10 * DAY_MS + 600_000;
  let steps = 0;
  for (const _ of rig.store.retain(rig.at, undefined)) steps++;
  expect(steps).toBeGreaterThan(3);
  expect(rig.ask().map(({ value }) => value)).toEqual([8999]);
  rig.store.close(rig.at);
});

test("a clock ten years ahead removes a day each hour, not the whole history, and stops when it comes back", () => {
  const rig = createStoreRig({ path: path(), retentionDays: 30 });
  for (let day = 0; day < 30; day++) rig.record("daily", T0 - (29 - day) * DAY_MS, day);
  rig.compact();
  run(rig, 3);
  expect(rig.ask()).toHaveLength(30);
  rig.at.now += 10 * YEAR_MS;
  rig.record("daily", rig.at.now, "from the future");
  run(rig, 5);
  expect(rig.logged.filter((line) => line.includes("the clock leapt"))).toHaveLength(1);
  const left = rig.ask({ to: rig.at.now + DAY_MS }).length;
  expect(left).toBeGreaterThanOrEqual(26);
  rig.at.now -= 10 * YEAR_MS;
  rig.record("daily", rig.at.now, "home again");
  run(rig, 48);
  const values = rig.ask({ to: T0 + 20 * YEAR_MS }).map(({ value }) => value);
  expect(values).toContain("home again");
  expect(values.at(-1)).toBe("from the future");
  expect(values.length).toBeGreaterThan(25);
  rig.store.close(rig.at);
});

test("a clock ten years ahead from the first hour does not erase a restored history, and one that was behind catches up", () => {
  const rig = createStoreRig({ path: path(), retentionDays: 30 });
  for (let day = 0; day < 30; day++) rig.record("daily", T0 + day * DAY_MS, day);
  rig.record("daily", DAY_MS, "in 1970");
  rig.compact();
  rig.at.now = T0 + 10 * YEAR_MS;
  run(rig, 3);
  expect(rig.ask().length).toBeGreaterThanOrEqual(29);
  rig.at.now = T0 + 40 * DAY_MS;
  run(rig, 24);
  const values = rig.ask().map(({ value }) => value);
  expect(values.at(-1)).toBe(29);
  expect([9, 10]).toContain(Number(values[0]));
  rig.store.close(rig.at);
});

test("a file above its size loses its oldest samples, and stays below", () => {
  const maxBytes = 1_000_000;
  const rig = createStoreRig({ path: path(), maxBytes });
  rig.record("slow", T0 - 5, "lasts");
  const minute = 60_000;
  for (let index = 0; index < 60_000; index++) {
    rig.at.now = T0 + index * minute;
    rig.record(`a${index % 5}`, rig.at.now, Math.sin(index));
    if (index % 5000 === 4999) rig.compact();
  }
  rig.compact();
  const { items } = rig.page({ attributes: ["a1"], from: rig.at.now - 2 * DAY_MS });
  expect(items).toHaveLength(Math.floor((2 * DAY_MS) / minute / 5));
  const [oldest] = seconds(rig.ask({ attributes: ["a0"], from: T0 + 1, limit: 1 }));
  expect(Number(oldest?.[0])).toBeGreaterThan(DAY_MS / 1000);
  expect(rig.ask({ attributes: ["slow"] }).map(({ value }) => value)).toEqual(["lasts"]);
  rig.store.close(rig.at);
  using db = new Database(path(), { readonly: true });
  expect(usedBytes(db)).toBeLessThanOrEqual(maxBytes);
  expect(usedBytes(db)).toBeGreaterThan(maxBytes * 0.5);
});

test("nothing is written where nothing is due", () => {
  const rig = createStoreRig({ path: path(), retentionDays: 10 });
  rig.record("x", T0, 1);
  rig.compact();
  run(rig, 30);
  const log = () => Bun.SHA1.hash(readFileSync(`${path()}-wal`), "hex");
  const before = log();
  run(rig, 10);
  rig.flush();
  expect(log()).toEqual(before);
  rig.store.close(rig.at);
});
