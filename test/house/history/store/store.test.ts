import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { copyAsCut, createStoreRig, seconds, T0 } from "../store-rig.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());
const path = () => folder.at("history.db");

const VALUES = [
  21.5,
  -0.25,
  0,
  2 ** 40,
  2 ** 53,
  1e300,
  5e-324,
  true,
  false,
  "",
  "21.5",
  "grün 💡 \n \u0000 end",
  { a: [1, { b: null }] },
  [],
  null,
];

test.each(["waiting", "written", "compacted", "reopened"])("every value keeps its type and its order: %s", (where) => {
  const rig = createStoreRig({ path: path() });
  VALUES.forEach((value, index) => void rig.record("x", T0 + index, value));
  if (where !== "waiting") rig.flush();
  if (where === "compacted") rig.compact();
  if (where === "reopened") rig.reopen();
  const items = rig.ask();
  expect(items.map(({ value }) => value)).toEqual(VALUES);
  expect(items[0]).toEqual({ timestamp: "2026-01-15T12:00:00.000Z", attribute: "x", value: 21.5 });
  rig.store.close(rig.at);
});

test("compacted, written and waiting samples are one history, even where the clock stepped back", () => {
  const rig = createStoreRig({ path: path() });
  rig.record("a", T0 + 1000, 1);
  rig.record("b", T0 + 2000, "on");
  rig.compact();
  rig.record("a", T0 + 3000, 3);
  rig.flush();
  rig.record("a", T0 + 2500, 2.5);
  rig.record("a", T0 + 1000, "again");
  rig.record("b", T0 + 4000, undefined);
  const all = [
    [1, "a", 1],
    [1, "a", "again"],
    [2, "b", "on"],
    [2.5, "a", 2.5],
    [3, "a", 3],
    [4, "b", null],
  ];
  expect(seconds(rig.ask())).toEqual(all);
  rig.compact();
  rig.reopen();
  expect(seconds(rig.ask())).toEqual(all);
  rig.store.close(rig.at);
});

test("many changes within one millisecond all stay, in their order", () => {
  const rig = createStoreRig({ path: path() });
  for (let value = 0; value < 10; value++) {
    rig.record("x", T0, value);
    if (value % 3 === 0) rig.flush();
    if (value % 4 === 0) rig.compact();
    if (value % 5 === 0) rig.reopen();
  }
  expect(rig.ask().map(({ value }) => value)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  rig.store.close(rig.at);
});

test("cut off at any step of compaction, nothing is lost or doubled", () => {
  const rig = createStoreRig({ path: path() });
  const samples = 7000;
  for (let index = 0; index < samples; index++) rig.record(`a${index % 3}`, T0 + index, index);
  rig.flush();
  const cuts: string[] = [];
  const cut = () => {
    const to = folder.at(`cut-${cuts.length}.db`);
    copyAsCut(path(), to);
    cuts.push(to);
  };
  cut();
  for (const _ of rig.store.compact(rig.at)) {
    cut();
    rig.record("a0", T0 + samples + cuts.length, "meanwhile");
    rig.flush();
  }
  cut();
  expect(cuts.length).toBeGreaterThan(4);
  for (const [index, at] of cuts.entries()) {
    // The view for people agrees.
    const byHand = new Database(at);
    const rows = () => byHand.query<{ n: number }, []>("SELECT count(*) AS n FROM history").get()?.n;
    const expected = samples + Math.max(0, Math.min(index - 1, cuts.length - 2));
    expect(rows()).toBe(expected);
    byHand.close();
    const again = createStoreRig({ path: at });
    expect(again.ask()).toHaveLength(expected);
    again.compact();
    const values = again.ask({ limit: 10_000 }).map(({ value }) => value);
    expect(values.slice(0, samples)).toEqual(Array.from({ length: samples }, (_, value) => value));
    expect(values).toHaveLength(expected);
    again.store.close(again.at);
  }
  rig.store.close(rig.at);
});

test("the view for people has device, attribute, UTC time and value", () => {
  const rig = createStoreRig({ path: path() });
  rig.record("on", T0 + 7, true);
  rig.record("on", T0 + 1007, undefined);
  rig.compact();
  rig.record("level", T0 + 2000, 0.5);
  rig.store.close(rig.at);
  using db = new Database(path(), { readonly: true });
  expect(db.query("SELECT * FROM history ORDER BY time").values()).toEqual([
    ["lamp", "on", "2026-01-15T12:00:00.007Z", "true"],
    ["lamp", "on", "2026-01-15T12:00:01.007Z", null],
    ["lamp", "level", "2026-01-15T12:00:02.000Z", 0.5],
  ]);
  expect(db.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
});

test("ten thousand attributes of one device are kept, found and paged", () => {
  const rig = createStoreRig({ path: path() });
  for (let index = 0; index < 10_000; index++) rig.record(`attribute_${index}`, T0, index);
  rig.compact();
  expect(rig.ask({ limit: 1 })).toHaveLength(10_000);
  expect(rig.ask({ from: T0 + 1, initial: true })).toHaveLength(10_000);
  expect(rig.ask({ attributes: ["attribute_7", "nobody"] }).map(({ value }) => value)).toEqual([7]);
  rig.store.close(rig.at);
});

test("new series above the limit are refused and logged once; known ones continue", () => {
  const rig = createStoreRig({ path: path(), limits: { maxSeries: 3 } });
  for (let index = 0; index < 6; index++) rig.record(`a${index}`, T0 + index, index);
  rig.record("a0", T0 + 10, 10);
  expect(rig.store.health.dropped).toBe(3);
  expect(rig.logged).toHaveLength(1);
  expect(rig.ask().map(({ value }) => value)).toEqual([0, 1, 2, 10]);
  rig.store.close(rig.at);
});

test("a page of long texts ends early, and the next one continues", () => {
  const rig = createStoreRig({ path: path() });
  for (let index = 0; index < 1000; index++) rig.record("text", T0 + index, `${index} ${"x".repeat(8000)}`);
  const { items, next } = rig.page();
  expect(items.length).toBeLessThan(600);
  expect(next).toBe(T0 + items.length);
  rig.store.close(rig.at);
});

test("waiting texts are limited in bytes: the oldest are dropped, the newest are recorded", () => {
  const rig = createStoreRig({ path: path(), limits: { maxTextBytes: 1_000_000 } });
  for (let index = 0; index < 500; index++) rig.record("text", T0 + index, `${index} ${"x".repeat(8000)}`);
  const { waiting, dropped } = rig.store.health;
  expect(waiting).toBeLessThan(125);
  expect(waiting + dropped).toBe(500);
  expect(rig.ask({ from: T0 + 499 }).map(({ value }) => String(value).slice(0, 4))).toEqual(["499 "]);
  // Numbers are not affected.
  for (let index = 0; index < 1000; index++) rig.record("number", T0 + index, index);
  expect(rig.store.health.waiting).toBe(waiting + 1000);
  rig.store.close(rig.at);
});

test("written texts are compacted by their bytes, and then leave the memory", () => {
  const rig = createStoreRig({ path: path(), limits: { maxTextBytes: 1_000_000 } });
  for (let round = 0; round < 30; round++) {
    for (let index = 0; index < 50; index++)
      rig.record("text", T0 + round * 100 + index, `${round} ${index} ${"x".repeat(8000)}`);
    expect(rig.flush()).toBe(true);
    if (rig.store.compactionDue) rig.compact();
  }
  expect(rig.store.health).toMatchObject({ waiting: 0, dropped: 0, recorded: 1500 });
  expect(rig.ask({ from: T0 + 2949 }).map(({ value }) => String(value).slice(0, 5))).toEqual(["29 49"]);
  rig.store.close(rig.at);
});
