// The history of homeCore, row by row: every value and time it may hold, and nothing twice.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { countHistory, importHistory } from "../../../../src/app/import/homecore/history.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const DAY = 86_400_000;
let folder: TemporaryFolder;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

type Row = [device: string, attribute: string, value: string, recordedAt: string | number];

function oldHistory(rows: Row[], name = "old.db"): string {
  using db = new Database(folder.at(name), { create: true });
  db.run(
    "CREATE TABLE state_history (id INTEGER PRIMARY KEY, device_id TEXT, attribute TEXT, value TEXT, recorded_at TEXT)",
  );
  for (const row of rows)
    db.query("INSERT INTO state_history (device_id, attribute, value, recorded_at) VALUES (?, ?, ?, ?)").run(...row);
  return folder.at(name);
}

const run = (from: string) => importHistory({ from, to: folder.at("history.db"), since: NOW - 30 * DAY, now: NOW });

function samples(): unknown[] {
  using db = new Database(folder.at("history.db"));
  return db
    .query(
      "SELECT device_id, attribute, at, n, value, type FROM samples JOIN series ON id = series_id ORDER BY 1, 2, 3, 4",
    )
    .values();
}

const AT = "2026-11-20T10:00:00.123456789+00:00";
const MS = Date.parse("2026-11-20T10:00:00.123Z");

test("values keep their types, and those of one millisecond their order", () => {
  const rows: Row[] = [
    ["lamp", "on", "true", AT],
    ["lamp", "on", "false", AT],
    ["lamp", "level", "21.5", AT],
    ["lamp", "mode", '"auto"', AT],
    ["lamp", "color", '{"x":1}', AT],
    ["lamp", "gone", "null", AT],
  ];
  expect(run(oldHistory(rows))).toEqual({ rows: 6, added: 6, older: 0, unusable: 0 });
  expect(samples()).toEqual([
    ["lamp", "color", MS, 0, '{"x":1}', 2],
    ["lamp", "gone", MS, 0, null, 3],
    ["lamp", "level", MS, 0, 21.5, null],
    ["lamp", "mode", MS, 0, "auto", null],
    ["lamp", "on", MS, 0, 1, 1],
    ["lamp", "on", MS, 1, 0, 1],
  ]);
});

test("what cannot be kept is counted, and keeps nothing else out", () => {
  const rows: Row[] = [
    ["lamp", "on", "true", "2026-09-01T00:00:00+00:00"],
    ["lamp", "on", "no json", AT],
    ["lamp", "on", "true", "yesterday"],
    ["lamp", "on", "true", "2036-01-01T00:00:00+00:00"],
    ["bad/id", "on", "true", AT],
    ["lamp", "", "true", AT],
    ["lamp", "text", JSON.stringify("x".repeat(9000)), AT],
    ["lamp", "deep", `${"[".repeat(100)}${"]".repeat(100)}`, AT],
    ["lamp", "huge", "1e999", AT],
    ["lamp", "on", "true", AT],
  ];
  expect(run(oldHistory(rows))).toEqual({ rows: 10, added: 1, older: 1, unusable: 8 });
});

test("a second time nothing is added; with more rows, only those", () => {
  const rows: Row[] = [
    ["lamp", "on", "true", AT],
    ["lamp", "on", "false", AT],
  ];
  run(oldHistory(rows));
  expect(run(folder.at("old.db")).added).toBe(0);
  rows.push(["lamp", "on", "true", "2026-11-21T10:00:00+00:00"]);
  expect(run(oldHistory(rows, "older.db")).added).toBe(1);
  expect(samples()).toHaveLength(3);
});

test("another database, a damaged one and a view in the table's place are refused", async () => {
  using db = new Database(folder.at("view.db"), { create: true });
  db.run("CREATE VIEW state_history AS SELECT 'a' AS device_id, load_extension('x') AS value");
  await Bun.write(folder.at("text.db"), "no database at all, but some text that is long enough");
  for (const name of ["view.db", "text.db"]) {
    expect(() => countHistory(folder.at(name))).toThrow("is not one of homeCore");
    expect(() => run(folder.at(name))).toThrow("is not one of homeCore");
  }
});
