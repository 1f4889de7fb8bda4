// Rollups: buckets answered from them are the very same as from samples, whatever happened to the samples since.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { historyMigrations } from "../../../../src/house/history/migrations/index.ts";
import { aggregates } from "../../../../src/house/history/worker-protocol.ts";
import { openDatabase } from "../../../../src/server/db/open.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { createStoreRig, DAY_MS, type StoreRig, T0 } from "../store-rig.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());
const path = () => folder.at("history.db");

function inFile<T>(work: (db: Database) => T, file = path()): T {
  using db = new Database(file);
  return work(db);
}
const keptRollups = (): number =>
  inFile((db) => db.query<{ n: number }, []>("SELECT count(*) AS n FROM rollups").get()?.n ?? 0);

/** A sample a minute, over whole days that are in the table `samples` afterwards. */
function recordMinutes(rig: StoreRig, from: number, minutes: number): void {
  for (let minute = 0; minute < minutes; minute++) rig.record("power", from + minute * MINUTE_MS, (minute * 7) % 100);
  rig.compact();
  rig.at.now = from + minutes * MINUTE_MS + DAY_MS;
}

const value = fc.oneof(
  { weight: 8, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map((x) => x + 0) },
  { weight: 8, arbitrary: fc.integer({ min: 150, max: 250 }).map((x) => x / 10) },
  fc.constantFrom<unknown>(1.7e308, -1.7e308, true, false, "on", { a: 1 }, undefined),
);
const DAYS = 4;
const BEGIN = T0 - 5 * DAY_MS;
const when = fc.integer({ min: 0, max: DAYS * 24 * 60 }).map((minute) => BEGIN + minute * MINUTE_MS);
const step = fc.oneof(
  fc.record({
    kind: fc.constant("burst" as const),
    at: when,
    everyMs: fc.constantFrom(0, 7_000, 60_000, 1_000_000),
    values: fc.array(value, { minLength: 1, maxLength: 9 }),
    count: fc.integer({ min: 1, max: 200 }),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("ask" as const),
      from: when,
      length: fc.integer({ min: 1, max: DAYS * 24 * 60 }).map((minutes) => minutes * MINUTE_MS),
      bucketMs: fc.constantFrom(HOUR_MS, 90 * MINUTE_MS, 6 * HOUR_MS, DAY_MS, 7 * DAY_MS, 20 * MINUTE_MS),
      aggregate: fc.constantFrom(...aggregates),
    }),
  },
  fc.record({ kind: fc.constantFrom("delete" as const, "mend" as const), at: when }),
  fc.record({ kind: fc.constantFrom("flush" as const, "compact" as const, "reopen" as const, "retain" as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A store that keeps rollups, or one whose rollups are removed before each query. */
interface Side {
  rig: StoreRig;
  file: string;
  keeps: boolean;
}

/** Returns the answers. */
function play({ rig, file, keeps }: Side, step: Step): unknown[] {
  switch (step.kind) {
    case "burst":
      for (let index = 0; index < step.count; index++)
        rig.record("a", step.at + index * step.everyMs, step.values[index % step.values.length]);
      return [];
    case "delete":
      inFile((db) => db.query("DELETE FROM samples WHERE at BETWEEN ? AND ?").run(step.at, step.at + HOUR_MS), file);
      return [];
    case "mend":
      inFile((db) => db.query("UPDATE samples SET value = 42.5 WHERE at / 3600000 = ? / 3600000").run(step.at), file);
      return [];
    case "retain":
      rig.at.now += DAY_MS / 2;
      rig.retain();
      return [];
    case "ask": {
      return [step, allDays].map(function ask({ from, length, bucketMs, aggregate }) {
        if (!keeps) inFile((db) => db.run("DELETE FROM rollups"), file);
        return rig.page({ from, to: from + length, bucketMs, aggregate, attributes: ["a"] });
      });
    }
    default:
      rig[step.kind]();
      return [];
  }
}
const allDays = { from: BEGIN - DAY_MS, length: (DAYS + 3) * DAY_MS, bucketMs: DAY_MS, aggregate: "avg" as const };

test.each(["UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe"])(
  "buckets from rollups equal buckets from samples, after late samples, deletions and retention: %s",
  (timezone) => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1 }),
        fc.array(step, { maxLength: 25 }),
        function compare(values, steps) {
          using own = createTemporaryFolder();
          const sides = [true, false].map(function begin(keeps): Side {
            const file = own.at(keeps ? "with.db" : "without.db");
            return { rig: createStoreRig({ path: file, timezone, retentionDays: 6 }), file, keeps };
          });
          const dense: Step = { kind: "burst", at: BEGIN, everyMs: MINUTE_MS, values, count: DAYS * 24 * 60 };
          const compact: Step = { kind: "compact" };
          const wide: Step = { kind: "ask", ...allDays };
          for (const one of [dense, compact, wide, ...steps, wide, compact, wide]) {
            const [answers, expected] = sides.map((side) => play(side, one));
            expect(answers).toEqual(expected);
          }
          for (const { rig } of sides) rig.store.close(rig.at);
        },
      ),
      { numRuns: 12 },
    );
  },
);

test("the days of a sensor that reports each minute are read once; afterwards their rollups answer", () => {
  const rig = createStoreRig({ path: path() });
  recordMinutes(rig, T0 - 12 * HOUR_MS, 3 * 24 * 60);
  const asked = { from: T0 - 12 * HOUR_MS, to: T0 + 60 * HOUR_MS, bucketMs: DAY_MS };
  const first = rig.ask(asked);
  expect(first.map(({ count }) => count)).toEqual([1440, 1440, 1440]);
  expect(keptRollups()).toBe(3);
  // Samples that are gone without notice are not missed.
  inFile(function removeInSecret(db) {
    db.run("DROP TRIGGER rollup_lost_by_delete");
    db.run("DELETE FROM samples");
  });
  expect(rig.ask(asked)).toEqual(first);
  rig.store.close(rig.at);
});

test("a sensor that reports each ten seconds has its days rolled up before anybody asks", () => {
  const rig = createStoreRig({ path: path() });
  const begin = T0 - 12 * HOUR_MS;
  for (let index = 0; index < 3 * 8640; index++) rig.record("power", begin + index * 10_000, index % 100);
  for (let index = 0; index < 3 * 1440; index++) rig.record("temperature", begin + index * MINUTE_MS, index % 10);
  rig.compact();
  // The third day may get more; the slower sensor waits until somebody asks.
  expect(keptRollups()).toBe(2);
  rig.record("power", begin + 5, 7);
  rig.compact();
  expect(keptRollups()).toBe(1);
  rig.store.close(rig.at);
});

test("a file from before rollups answers at once, and gets them by the first question", () => {
  const { db } = openDatabase({ path: path(), migrations: historyMigrations.slice(0, 1), now: () => T0 });
  db.run("INSERT INTO series (id, device_id, attribute) VALUES (1, 'lamp', 'power')");
  const insert = db.query("INSERT INTO samples (series_id, at, n, value) VALUES (1, ?, 0, ?)");
  for (let minute = 0; minute < 2 * 1440; minute++) insert.run(T0 - 60 * HOUR_MS + minute * MINUTE_MS, minute % 2);
  db.close();
  const rig = createStoreRig({ path: path() });
  const asked = { from: T0 - 60 * HOUR_MS, to: T0 - 12 * HOUR_MS, bucketMs: DAY_MS };
  const first = rig.ask(asked);
  expect(first.map(({ value, count }) => [value, count])).toEqual([
    [0.5, 1440],
    [0.5, 1440],
  ]);
  expect(keptRollups()).toBe(2);
  expect(rig.ask(asked)).toEqual(first);
  rig.store.close(rig.at);
});

test("rollups take less than a twentieth of the samples' place, and sparse series have none", () => {
  const rig = createStoreRig({ path: path() });
  for (let hour = 0; hour < 20 * 24; hour++) rig.record("temperature", T0 - 20 * DAY_MS + hour * HOUR_MS, hour);
  recordMinutes(rig, T0 - 20 * DAY_MS, 20 * 24 * 60);
  rig.ask({ from: T0 - 21 * DAY_MS, to: T0 + DAY_MS, bucketMs: DAY_MS });
  expect(keptRollups()).toBe(21);
  inFile(function weigh(db) {
    const bytes = db.query<{ rollups: number }, []>("SELECT sum(length(hours)) AS rollups FROM rollups").get();
    const samples = db.query<{ n: number }, []>("SELECT count(*) AS n FROM samples").get()?.n ?? 0;
    // A sample takes some 27 bytes.
    expect(bytes?.rollups).toBeLessThan((27 * samples) / 20);
  });
  rig.store.close(rig.at);
});
