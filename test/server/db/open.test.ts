import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createMeta } from "../../../src/server/db/meta.ts";
import { openStateDb } from "../../../src/server/db/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/wait.ts";

const now = () => Date.UTC(2026, 0, 15);

test("what was written can be read after a restart, and the log is checkpointed", () => {
  using folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  {
    using db = openStateDb(path, now);
    createMeta(db).set("a", "1");
  }
  expect(existsSync(`${path}-wal`)).toBe(false);
  using again = openStateDb(path, now);
  expect(createMeta(again).get("a")).toBe("1");
});

test.each([
  ["garbage", (path: string) => writeFileSync(path, "this is no database ".repeat(500))],
  [
    "a torn page",
    (path: string) => {
      const bytes = readFileSync(path);
      bytes.fill(0xff, 4096, 8192);
      writeFileSync(path, bytes);
    },
  ],
])("a file damaged by %s is set aside, not deleted, and a new one begun", (_name, damage) => {
  using folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  openStateDb(path, now)[Symbol.dispose]();
  damage(path);
  const damaged = readFileSync(path);
  using db = openStateDb(path, now);
  expect(db.setAside).toContain("state.redb.damaged-2026-01-15");
  expect(readFileSync(db.setAside ?? "")).toEqual(damaged);
  expect(createMeta(db).get("a")).toBeUndefined();
});

test("a file of a newer hub is refused and left alone", () => {
  using folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  openStateDb(path, now)[Symbol.dispose]();
  const db = new Database(path);
  db.run("PRAGMA user_version = 99");
  db.close();
  expect(() => openStateDb(path, now)).toThrow("newer hub");
});

test("a missing folder is a clear error", () => {
  expect(() => openStateDb("/nowhere/state.redb", now)).toThrow("cannot open /nowhere/state.redb");
});

test("a new file opened by several at once gets its tables once", async () => {
  for (let round = 0; round < 5; round++) {
    using folder = createTemporaryFolder();
    const workers = Array.from({ length: 4 }, () => new Worker(new URL("./opening-worker.ts", import.meta.url)));
    const verdicts = workers.map(async (worker) => {
      const verdict = Promise.withResolvers<unknown>();
      worker.onmessage = ({ data }) => (data === "ready" ? ready.push(worker) : verdict.resolve(data));
      return verdict.promise;
    });
    const ready: Worker[] = [];
    await until("all are there", () => ready.length === workers.length);
    for (const worker of workers) worker.postMessage(folder.at("history.db"));
    expect(await Promise.all(verdicts)).toEqual(workers.map(() => "open"));
    for (const worker of workers) worker.terminate();
  }
});
