// A database that is replaced while the log of another one lies beside it: what SQLite does, and how the hub prevents it.
// Over 10 s: the disk confirms some hundred writes.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { takeSnapshot } from "../../../../src/copies/backup/database-copies.ts";
import { setAsideStaleWal } from "../../../../src/copies/backup/restore/stale-wal.ts";
import { openDatabase } from "../../../../src/server/db/open.ts";
import { type Home, homeAt } from "../../../../src/server/home/paths.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";

const MIGRATION = ["CREATE TABLE t (id INTEGER PRIMARY KEY, who TEXT, pad TEXT)"];

/** A process that opens the database, writes, and is killed with its log not checkpointed. */
function writeAndDie(path: string, who: string, rows: number): void {
  const script = `const { Database } = require("bun:sqlite");
const db = new Database(${JSON.stringify(path)});
db.run("PRAGMA journal_mode = WAL");
db.run("PRAGMA wal_autocheckpoint = 0");
for (let n = 0; n < ${rows}; n++) db.run("INSERT INTO t (who, pad) VALUES (?, ?)", ["${who}", "x".repeat(500)]);
process.kill(process.pid, "SIGKILL");`;
  Bun.spawnSync([process.execPath, "-e", script]);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
}

function create(path: string, who: string, rows: number): void {
  const { db } = openDatabase({ path, migrations: MIGRATION, now: Date.now });
  for (let n = 0; n < rows; n++) db.run("INSERT INTO t (who, pad) VALUES (?, ?)", [who, "y".repeat(500)]);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
}

function settle(home: Home): string[] {
  const warnings: string[] = [];
  const log = { warn: (message: string) => void warnings.push(message) };
  setAsideStaleWal({
    home,
    schemas: { state: 1, history: 1 },
    random: (bytes) => randomBytes(bytes),
    now: Date.now(),
    log,
  });
  return warnings;
}

function look(path: string): { sound: boolean; who: string[] } {
  using db = new Database(path);
  try {
    const { integrity_check: verdict } = db.query("PRAGMA integrity_check").get() as { integrity_check: string };
    const who = db.query<{ who: string }, []>("SELECT DISTINCT who FROM t ORDER BY who").all();
    return { sound: verdict === "ok", who: who.map((row) => row.who) };
  } catch {
    return { sound: false, who: [] };
  }
}

function place() {
  const folder = createTemporaryFolder();
  const home = homeAt(folder.path);
  mkdirSync(home.data);
  create(home.stateDb, "old", 50);
  create(folder.at("archived"), "new", 2000);
  takeSnapshot(folder.at("archived"), folder.at("backup"));
  return { folder, home, backup: folder.at("backup"), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test("without care the two are mixed: SQLite applies any log beside the file", () => {
  using at = place();
  writeAndDie(at.home.stateDb, "old", 300);
  copyFileSync(at.backup, at.home.stateDb);
  const { sound, who } = look(at.home.stateDb);
  expect(sound && who.join() === "new").toBe(false);
});

const replacing: [string, (from: string, to: string) => void][] = [
  ["copied over it", copyFileSync],
  ["renamed over it", renameSync],
];
for (const [how, replace] of replacing)
  test(`a backup ${how} is read alone`, () => {
    using at = place();
    expect(settle(at.home)).toEqual([]);
    writeAndDie(at.home.stateDb, "old", 300);
    replace(at.backup, at.home.stateDb);
    expect(settle(at.home)).toHaveLength(1);
    expect(look(at.home.stateDb)).toEqual({ sound: true, who: ["new"] });
    // The old log is kept: somebody may miss what is in it.
    expect(readdirSync(at.home.data).filter((name) => name.includes("-wal.stale-"))).toHaveLength(1);
  });

test("a backup of this very home, taken since its start, is recognised, too", () => {
  using at = place();
  settle(at.home);
  takeSnapshot(at.home.stateDb, at.folder.at("own"));
  writeAndDie(at.home.stateDb, "later", 300);
  copyFileSync(at.folder.at("own"), at.home.stateDb);
  expect(settle(at.home)).toHaveLength(1);
  expect(look(at.home.stateDb)).toEqual({ sound: true, who: ["old"] });
});

test("its own log stays, however often it is killed, and also where nothing was noted yet", () => {
  using at = place();
  writeAndDie(at.home.stateDb, "first", 10);
  expect(settle(at.home)).toEqual([]);
  for (let round = 0; round < 3; round++) {
    writeAndDie(at.home.stateDb, `round ${round}`, 10);
    expect(settle(at.home)).toEqual([]);
  }
  expect(look(at.home.stateDb)).toEqual({ sound: true, who: ["first", "old", "round 0", "round 1", "round 2"] });
});

test("killed in the first run, when there was no file to mark", () => {
  using at = place();
  const home = homeAt(at.folder.at("fresh"));
  mkdirSync(home.data, { recursive: true });
  expect(settle(home)).toEqual([]);
  create(home.stateDb, "first", 1);
  writeAndDie(home.stateDb, "first", 300);
  copyFileSync(at.backup, home.stateDb);
  expect(settle(home)).toHaveLength(1);
  expect(look(home.stateDb)).toEqual({ sound: true, who: ["new"] });
});

test("a file of a newer hub is not touched", () => {
  using at = place();
  const newer = new Database(at.home.stateDb);
  newer.run("PRAGMA user_version = 2");
  newer.close();
  const before = readFileSync(at.home.stateDb);
  expect(settle(at.home)).toEqual([]);
  expect(readFileSync(at.home.stateDb).equals(before)).toBe(true);
});

test("after a clean end there is no log to set aside, whatever is put there", () => {
  using at = place();
  settle(at.home);
  expect(existsSync(`${at.home.stateDb}-wal`)).toBe(false);
  copyFileSync(at.backup, at.home.stateDb);
  expect(settle(at.home)).toEqual([]);
  expect(look(at.home.stateDb)).toEqual({ sound: true, who: ["new"] });
});

test("the log of a database that was begun in place of a damaged one belongs to it", () => {
  using at = place();
  const path = at.home.stateDb;
  expect(settle(at.home)).toEqual([]);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, 4096, 8192));
  const { db, setAside } = openDatabase({ path, migrations: MIGRATION, now: Date.now });
  expect(setAside).toBeDefined();
  db.close();
  writeAndDie(path, "since", 10);
  expect(settle(at.home)).toEqual([]);
  expect(look(path)).toEqual({ sound: true, who: ["since"] });
});
