// Samples that another machine recorded for the same house come late: what is there already is not taken twice.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { MergedSeries } from "../../../../src/house/history/store/merge.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { createStoreRig, seconds, T0 } from "../store-rig.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());
const path = () => folder.at("history.db");

/** As the other machine says it: `[seconds after T0, value]`. */
function of(attribute: string, ...samples: [number, number][]): MergedSeries[number] {
  return ["lamp", attribute, ...samples.flatMap(([secs, value]) => [T0 + secs * 1000, 0, value, null])];
}

test.each(["waiting", "written", "compacted", "reopened"])("what is there already is not taken again: %s", (where) => {
  const rig = createStoreRig({ path: path() });
  rig.record("a", T0 + 1000, 1, "lamp");
  rig.record("a", T0 + 2000, 2, "lamp");
  rig.record("a", T0 + 9000, 9, "lamp");
  if (where !== "waiting") rig.flush();
  if (where === "compacted") rig.compact();
  if (where === "reopened") rig.reopen();
  const left = [of("a", [1, 1], [2, 2], [3, 3], [4, 4])];
  expect(rig.store.merge(left, rig.at)).toBe(2);
  expect(rig.store.merge(left, rig.at)).toBe(0);
  const all = [1, 2, 3, 4, 9];
  expect(rig.ask({ deviceId: "lamp" }).map(({ value }) => value)).toEqual(all);
  rig.flush();
  rig.compact();
  expect(rig.ask({ deviceId: "lamp" }).map(({ value }) => value)).toEqual(all);
  rig.reopen();
  expect(seconds(rig.ask({ deviceId: "lamp" }))).toEqual(all.map((at) => [at, "a", at]));
  rig.store.close(rig.at);
});

test("several of one millisecond are distinguished by what they say", () => {
  const rig = createStoreRig({ path: path() });
  rig.record("a", T0, 1, "lamp");
  rig.record("a", T0, 2, "lamp");
  rig.flush();
  expect(rig.store.merge([of("a", [0, 1], [0, 2], [0, 1], [0, 3])], rig.at)).toBe(2);
  expect(
    rig
      .ask({ deviceId: "lamp" })
      .map(({ value }) => value)
      .sort(),
  ).toEqual([1, 1, 2, 3]);
  rig.record("a", T0, 4, "lamp");
  rig.flush();
  rig.compact();
  expect(rig.ask({ deviceId: "lamp" })).toHaveLength(5);
  rig.store.close(rig.at);
});

test("devices that this machine has not seen, and each kind of value", () => {
  const rig = createStoreRig({ path: path() });
  const left: MergedSeries = [
    ["door", "open", T0, 0, 1, 1, T0 + 1, 0, null, 3],
    ["door", "text", T0, 0, "grün", null, T0 + 1, 0, '{"a":1}', 2],
  ];
  expect(rig.store.merge(left, rig.at)).toBe(4);
  rig.record("open", T0 + 5, true, "door");
  rig.flush();
  rig.compact();
  expect(rig.ask({ deviceId: "door" }).map(({ attribute, value }) => [attribute, value])).toEqual([
    ["open", true],
    ["text", "grün"],
    ["open", null],
    ["text", { a: 1 }],
    ["open", true],
  ]);
  rig.store.close(rig.at);
});

test("what was computed of a day before is computed anew", () => {
  const rig = createStoreRig({ path: path() });
  const day = 86_400;
  for (let n = 0; n < day / 60; n++) rig.record("a", T0 + n * 60_000, 1, "lamp");
  rig.compact();
  rig.at.now = T0 + 2 * day * 1000;
  const highest = () =>
    rig.ask({ deviceId: "lamp", from: T0 - day * 500, to: T0 + day * 500, bucketMs: day * 1000, aggregate: "max" });
  expect(highest().map(({ value }) => value)).toEqual([1]);
  rig.store.merge([of("a", [90, 7])], rig.at);
  expect(highest().map(({ value }) => value)).toEqual([7]);
  rig.store.close(rig.at);
});

test.each([
  ["a series without a device", [["", "a", T0, 0, 1, null]]],
  ["a time that is none", [["lamp", "a", "now", 0, 1, null]]],
  ["a cut row", [["lamp", "a", T0, 0, 1]]],
  ["a boolean that is none", [["lamp", "a", T0, 0, 2, 1]]],
  ["an unknown type", [["lamp", "a", T0, 0, 1, 9]]],
  ["a text that is too long", [["lamp", "a", T0, 0, "x".repeat(9000), null]]],
] as [string, MergedSeries][])("%s is refused, and nothing of it is kept", (_what, wrong) => {
  const rig = createStoreRig({ path: path() });
  expect(() => rig.store.merge([of("b", [1, 1]), ...wrong], rig.at)).toThrow("not samples");
  expect(rig.ask({ deviceId: "lamp" })).toEqual([]);
  rig.store.close(rig.at);
  using db = new Database(path());
  expect(db.query("SELECT count(*) AS n FROM series").get()).toEqual({ n: 0 });
});
