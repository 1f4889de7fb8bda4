// The rows of runs that wait: what is read back, what a commit costs, and rows of the layout before.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { openRunStore } from "../../../../src/rules/engine/runs/run-store.ts";
import { stateMigrations } from "../../../../src/server/db/migrations/index.ts";
import type { RunChange } from "../../../../src/server/db/run-rows.ts";
import type { StateDb } from "../../../../src/server/db/state-db.ts";
import { openTestState } from "../../../support/state-db.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";

let folder: TemporaryFolder;
const open: StateDb[] = [];
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(() => {
  for (const db of open.splice(0)) db[Symbol.dispose]();
  folder[Symbol.dispose]();
});

const path = (): string => folder.at("state.redb");
function openDb(): StateDb {
  const db = openTestState(path(), () => 0);
  open.push(db);
  return db;
}
const begins = (id: string, vars = "{}"): RunChange => ({
  id,
  ruleId: "r",
  position: '{"at":0}',
  begun: '{"b":1}',
  vars,
});
const goesOn = (id: string, change: Partial<RunChange>): RunChange => ({
  ...{ id, ruleId: "r", position: undefined, begun: undefined, vars: undefined },
  ...change,
});
const LONG = JSON.stringify({ text: "x".repeat(50_000) });
const OF_A_PAGE = 4120;
/** Pages that `work` wrote to the database's log. */
function pagesOf(work: () => void): number {
  const bytes = (): number => statSync(`${path()}-wal`).size;
  const before = bytes();
  work();
  return (bytes() - before) / OF_A_PAGE;
}

test("runs are read in their order, each as it was written last, also by the next hub", () => {
  const store = openRunStore(openDb());
  store.write([begins("b"), begins("a", LONG), begins("c")], []);
  store.write(
    [goesOn("a", { position: '{"at":1}' }), goesOn("b", { vars: LONG }), goesOn("c", { vars: '{"n":2}' })],
    [],
  );
  store.write([goesOn("b", { vars: '{"n":3}' }), begins("d")], ["c"]);
  for (const one of [store, openRunStore(openDb())]) {
    const rows = one.read().map(({ id, position, begun, vars }) => ({ id, position, begun, vars }));
    expect(rows).toEqual([
      { id: "b", position: '{"at":0}', begun: '{"b":1}', vars: '{"n":3}' },
      { id: "a", position: '{"at":1}', begun: '{"b":1}', vars: LONG },
      { id: "d", position: '{"at":0}', begun: '{"b":1}', vars: "{}" },
    ]);
  }
  const next = openRunStore(openDb());
  next.write([goesOn("a", { position: '{"at":2}' }), begins("e")], ["b", "d"]);
  expect(next.read().map(({ id, position }) => [id, position])).toEqual([
    ["a", '{"at":2}'],
    ["e", '{"at":0}'],
  ]);
  next.write([], ["a", "e"]);
  expect(next.read()).toEqual([]);
  using db = new Database(path(), { readonly: true });
  expect(db.query("SELECT * FROM rule_run_data").all()).toEqual([]);
});

test("a run costs a page when it begins to wait, one when it goes on and one when it is over, whatever it holds", () => {
  const store = openRunStore(openDb());
  store.write([begins("other"), begins("long", LONG)], []);
  expect(pagesOf(() => store.write([begins("a")], []))).toBe(1);
  expect(pagesOf(() => store.write([goesOn("a", { position: '{"at":1}', vars: '{"n":1}' })], []))).toBe(1);
  expect(pagesOf(() => store.write([], ["a"]))).toBe(1);
  expect(pagesOf(() => store.write([goesOn("long", { position: '{"at":1}' })], []))).toBe(1);
});

test("what could not be written is written again as it is then", () => {
  const db = openDb();
  const store = openRunStore(db);
  store.write([begins("a")], []);
  using other = new Database(path());
  db.own.run("PRAGMA busy_timeout = 0");
  other.run("BEGIN IMMEDIATE");
  expect(() => store.write([begins("b")], ["a"])).toThrow();
  other.run("ROLLBACK");
  store.write([begins("b", '{"n":1}')], ["a"]);
  expect(store.read().map(({ id, vars }) => [id, vars])).toEqual([["b", '{"n":1}']]);
});

test("runs of the layout before go on, in their order, and what was damaged stays so", () => {
  {
    using db = new Database(path());
    const before = stateMigrations.findIndex((sql) => sql.includes("old_runs"));
    for (const sql of stateMigrations.slice(0, before)) db.run(sql);
    db.run(`PRAGMA user_version = ${before}`);
    db.run("INSERT INTO rule_runs VALUES ('a', 'r', 'second'), ('b', 'r', 'first'), ('lost', 'r', 'third')");
    db.run("INSERT INTO rule_run_data (id, begun, vars) VALUES ('b', 'B', 'BV'), ('a', 'A', 'AV'), ('gone', '', '')");
  }
  expect(
    openRunStore(openDb())
      .read()
      .map(({ id, position, begun, vars }) => [id, position, begun, vars]),
  ).toEqual([
    ["b", "first", "B", "BV"],
    ["a", "second", "A", "AV"],
    ["lost", "third", null, null],
  ] as never);
});
