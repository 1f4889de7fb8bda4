import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { openMemoryCopy } from "../../../src/server/db/memory-copy.ts";
import { stateMigrations } from "../../../src/server/db/migrations/index.ts";
import { openStateDb } from "../../../src/server/db/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const now = () => Date.UTC(2026, 0, 15, 12);

/** A home with a device and its state, closed. */
function place() {
  const folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  {
    using db = openStateDb(path, now);
    db.durable.run("INSERT INTO devices (id, plugin_id, name, created_at) VALUES ('door', 'p', 'Door', 1)");
    db.relaxed.run("INSERT INTO device_state VALUES ('door', 1, '{\"open\":false}', '{}', 5)");
    db.durable.run("INSERT INTO meta VALUES ('a', 'one')");
  }
  const copy = () => openMemoryCopy({ path, migrations: stateMigrations, now });
  return { path, copy, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

const devices = (db: Database) => db.query("SELECT id, name FROM devices ORDER BY id").values();

test("one connection refuses changes, what the other accepts is read by both and written back completely", () => {
  using home = place();
  {
    using copy = home.copy();
    expect(devices(copy.refusing)).toEqual([["door", "Door"]]);
    expect(() => copy.refusing.run("UPDATE devices SET name = 'x'")).toThrow("readonly");
    expect(copy.changedTables()).toEqual([]);
    copy.accepting.run("INSERT INTO devices (id, plugin_id, name, created_at) VALUES ('lamp', 'p', 'Lamp', 2)");
    copy.accepting.run("DELETE FROM meta");
    copy.accepting.run("UPDATE device_state SET attributes = '{\"open\":true}'");
    expect(devices(copy.refusing)).toEqual([
      ["door", "Door"],
      ["lamp", "Lamp"],
    ]);
    expect(copy.changedTables()).toEqual(["device_state", "devices", "meta"]);
    copy.writeBack();
    expect(copy.changedTables()).toEqual([]);
    copy.accepting.run("INSERT INTO meta VALUES ('b', 'two')");
    copy.writeBack();
  }
  using again = openStateDb(home.path, now);
  expect(devices(again.durable)).toHaveLength(2);
  expect(again.durable.query("SELECT attributes FROM device_state").values()).toEqual([['{"open":true}']]);
  expect(again.durable.query("SELECT key FROM meta").values()).toEqual([["b"]]);
  expect(again.durable.query("PRAGMA foreign_key_check").values()).toEqual([]);
});

test("a file that was replaced meanwhile is not overwritten", () => {
  using home = place();
  using copy = home.copy();
  copy.accepting.run("DELETE FROM devices");
  {
    using other = new Database(home.path);
    other.run("UPDATE devices SET name = 'Restored'");
  }
  expect(() => copy.writeBack()).toThrow("replaced");
  using db = new Database(home.path);
  expect(devices(db)).toEqual([["door", "Restored"]]);
});

test("a damaged file is not taken for an empty one, and stays where it is until the disk can be written", () => {
  using home = place();
  const damaged = readFileSync(home.path).fill(0x55, 100);
  writeFileSync(home.path, damaged);
  using copy = home.copy();
  expect(copy.isDamaged).toBe(true);
  expect(devices(copy.refusing)).toEqual([]);
  expect(readFileSync(home.path).equals(damaged)).toBe(true);
  copy.accepting.run("INSERT INTO meta VALUES ('b', 'two')");
  copy.writeBack();
  expect(existsSync(`${home.path}.damaged-2026-01-15T12-00-00-000Z`)).toBe(true);
});

test("without a file the copy is empty, and writing back makes the file", () => {
  using folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  using copy = openMemoryCopy({ path, migrations: stateMigrations, now });
  expect(copy.isDamaged).toBe(false);
  copy.accepting.run("INSERT INTO meta VALUES ('b', 'two')");
  copy.writeBack();
  using db = openStateDb(path, now);
  expect(db.durable.query("SELECT key FROM meta").values()).toEqual([["b"]]);
});
