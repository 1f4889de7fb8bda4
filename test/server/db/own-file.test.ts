// The file of an open database and another one that comes into its place.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { closeDatabase, connect, openDatabase } from "../../../src/server/db/open.ts";
import { ownFile } from "../../../src/server/db/own-file.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";

const MIGRATION = ["CREATE TABLE t (id INTEGER PRIMARY KEY, who TEXT, pad TEXT)"];

function write(db: Database, who: string, rows: number): void {
  const insert = db.query("INSERT INTO t (who, pad) VALUES (?, ?)");
  db.transaction(() => {
    for (let n = 0; n < rows; n++) insert.run(who, "x".repeat(500));
  })();
}

/** One that is open, and another one that is not. */
function rig(folder: TemporaryFolder) {
  const [path, other] = [folder.at("house.db"), folder.at("other.db")];
  const { db: placed } = openDatabase({ path: other, migrations: MIGRATION, now: Date.now });
  write(placed, "placed", 400);
  placed.run("PRAGMA application_id = 7");
  closeDatabase(placed);
  const { db } = openDatabase({ path, migrations: MIGRATION, now: Date.now });
  const file = ownFile(path, () => 0, [db, connect(path, "normal")]);
  write(db, "own", 300);
  return { path, other, db, file };
}

function whoIn(path: string): string[] {
  using db = new Database(path, { readonly: true });
  expect(db.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  return db
    .query<{ who: string }, []>("SELECT DISTINCT who FROM t")
    .all()
    .map(({ who }) => who);
}

test("one that stays in its place is written at its end, and nothing is left beside it", () => {
  using folder = createTemporaryFolder();
  const { path, other, file } = rig(folder);
  rmSync(other);
  expect(file.close()).toBe(true);
  expect(readdirSync(folder.path)).toEqual(["house.db"]);
  expect(whoIn(path)).toEqual(["own"]);
});

test("what another process of the hub writes into it is no exchange", () => {
  using folder = createTemporaryFolder();
  const { path, file } = rig(folder);
  const another = connect(path, "full");
  write(another, "own", 300);
  closeDatabase(another);
  expect(file.exchanged()).toBeUndefined();
  file.close();
});

test("its log goes into it when so much has gathered", () => {
  using folder = createTemporaryFolder();
  const { path, db, file } = rig(folder);
  const before = readFileSync(path).length;
  file.checkpointIfDue();
  expect(readFileSync(path).length).toBe(before);
  write(db, "own", 10_000);
  file.checkpointIfDue();
  expect(readFileSync(path).length).toBeGreaterThan(4_000_000);
  expect(file.exchanged()).toBeUndefined();
  file.close();
});

test("a file that is renamed over it stays as it is, and the former is kept whole, with what is written afterwards", () => {
  using folder = createTemporaryFolder();
  const { path, other, db, file } = rig(folder);
  renameSync(other, path);
  const bytes = readFileSync(path);
  const { keptAs = "", isWrittenOver } = file.exchanged() ?? {};
  expect({ keptAs, isWrittenOver }).toEqual({
    keptAs: `${path}.replaced-1970-01-01T00-00-00-000Z`,
    isWrittenOver: false,
  });
  write(db, "own", 10_000);
  file.checkpointIfDue();
  expect(file.close()).toBe(true);
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(whoIn(path)).toEqual(["placed"]);
  expect(whoIn(keptAs)).toEqual(["own"]);
});

test("a file that is copied over it stays as it is", () => {
  using folder = createTemporaryFolder();
  const { path, other, db, file } = rig(folder);
  copyFileSync(other, path);
  write(db, "own", 10_000);
  file.checkpointIfDue();
  expect(file.close()).toBe(true);
  expect(readFileSync(path).equals(readFileSync(other))).toBe(true);
  expect(whoIn(path)).toEqual(["placed"]);
});

test("one that is still being copied when the hub ends is not touched, and is let go once it is complete", () => {
  using folder = createTemporaryFolder();
  const { path, other, file } = rig(folder);
  const bytes = readFileSync(other);
  writeFileSync(path, bytes.subarray(0, 20_000));
  expect(file.exchanged()).toMatchObject({ isWrittenOver: true });
  expect(file.close()).toBe(false);
  const rest = openSync(path, "r+");
  writeSync(rest, bytes, 20_000, bytes.length - 20_000, 20_000);
  closeSync(rest);
  expect(file.close()).toBe(true);
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test("one that is removed is kept", () => {
  using folder = createTemporaryFolder();
  const { path, file } = rig(folder);
  rmSync(path);
  const { keptAs = "" } = file.exchanged() ?? {};
  file.close();
  expect(whoIn(keptAs)).toEqual(["own"]);
});
