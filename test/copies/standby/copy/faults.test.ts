// What may go wrong with a copy: answers that are cut or lead elsewhere, a full disk, damage.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { gunzipSync, gzipSync, zstdCompressSync } from "node:zlib";
import { openCopy } from "../../../../src/copies/standby/copy/copy.ts";
import { decodeRecords, encodeRecord, type Head } from "../../../../src/copies/standby/protocol.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { homeAt } from "../../../../src/server/home/paths.ts";
import { mountSmallDisk } from "../../../support/small-disk.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { schemas } from "./answers.ts";
import { createTwo, open, samplesIn, sync, syncHistory } from "./copying.ts";
import { createHouse } from "./house.ts";

/** An answer with these files besides what is in it. */
function withFiles(answer: Uint8Array, paths: readonly string[], mode = 0o644): Uint8Array {
  const records = [...decodeRecords(gunzipSync(answer))].map(({ head, content }) => encodeRecord(head, content));
  const end = records.pop() ?? [];
  const content = Buffer.from("from elsewhere");
  const files = paths.map((path) => encodeRecord({ kind: "file", path, mode, bytes: content.length }, content));
  const gone = paths.map((path) => encodeRecord({ kind: "gone", path: `${path}/../x` }));
  return zstdCompressSync(Buffer.concat([...records, ...files, ...gone, end].flat()));
}

test("an answer that is cut anywhere, or is none, changes nothing", () => {
  using two = createTwo();
  const { house, home } = two;
  house.putFile("rules/a.ron", "a");
  using copy = open(home);
  sync(copy, house);
  house.putFile("rules/a.ron", "b");
  house.addDevice("lamp");
  house.read([{ device: "lamp", at: 1000, set: { level: 1 } }]);
  const answer = house.answer(copy.have());
  const whole = gunzipSync(answer);
  for (let bytes = 0; bytes < whole.length; bytes += 1 + Math.floor(bytes / 5))
    expect(() => copy.apply(gzipSync(whole.subarray(0, bytes)))).toThrow("the answer of the other hub");
  expect(() => copy.apply(answer.subarray(0, answer.length - 9))).toThrow("not whole");
  expect(() => copy.apply(new TextEncoder().encode("<html>"))).toThrow("the answer of the other hub");
  expect(() => copy.applyHistory(new TextEncoder().encode("<html>"))).toThrow("the answer of the other hub");
  expect(() => copy.applyHistory(Buffer.from('{"series":[["a","b",1]],"through":1,"cut":0}'))).toThrow("history");
  expect(readFileSync(`${home.rules}/a.ron`, "utf8")).toBe("a");
  expect(copy.status()).toMatchObject({ isComplete: true, devices: 0 });
  copy.apply(answer);
  expect(copy.status().devices).toBe(1);
});

test("nothing is written outside the house's files, or through a link", () => {
  using two = createTwo();
  const { house, home, folder } = two;
  mkdirSync(folder.at("elsewhere"));
  mkdirSync(home.config);
  writeFileSync(`${home.data}/hub.lock`, "mine");
  symlinkSync(folder.at("elsewhere"), home.rules);
  symlinkSync(folder.at("elsewhere"), `${home.config}/profiles`);
  symlinkSync(folder.at("elsewhere/target"), `${home.config}/hub.toml`);
  writeFileSync(folder.at("elsewhere/target"), "before");
  const paths = [
    "../x",
    "/etc/x",
    "config/../../x",
    "config//x",
    "config/./x",
    "data/standby.json",
    "data/hub.lock",
    "logs/hub.log",
  ];
  const more = [
    "data/state.redb",
    "data/state.redb-wal",
    "data/history.db",
    "data/readings/x",
    "bin/hub",
    "config",
    "data",
    "",
  ];
  const linked = [
    "rules/a.ron",
    "config/profiles/a.toml",
    "plugins/p/logs/p.log",
    "data/standby-copy.json",
    "config/a\0b",
  ];
  using copy = open(home);
  const [hubToml] = ["config/hub.toml"];
  copy.apply(withFiles(house.answer(copy.have()), [...paths, ...more, ...linked, hubToml], 0o4755));
  expect(readFileSync(folder.at("elsewhere/target"), "utf8")).toBe("before");
  expect(readdirSync(folder.at("elsewhere"))).toEqual(["target"]);
  expect(readdirSync(folder.path).sort()).toEqual(["copy", "elsewhere", "house"]);
  expect(readFileSync(`${home.data}/hub.lock`, "utf8")).toBe("mine");
  expect(readdirSync(home.data).sort()).toEqual(["hub.lock", "standby-copy.json", "state.redb"]);
  expect(readdirSync(home.root).sort()).toEqual(["config", "data", "rules"]);
  // A link in a file's own place is replaced, and a file never gets more than permission bits.
  expect(lstatSync(`${home.config}/hub.toml`).isSymbolicLink()).toBe(false);
  expect(lstatSync(`${home.config}/hub.toml`).mode & 0o7777).toBe(0o755);
  expect(copy.status().problem).toContain("none of a house");
});

test("says that a link is in the way, and goes on with the rest", () => {
  using two = createTwo();
  const { house, home, folder } = two;
  mkdirSync(folder.at("elsewhere"));
  symlinkSync(folder.at("elsewhere"), home.rules);
  house.putFile("rules/a.ron", "a");
  house.addDevice("lamp");
  using copy = open(home);
  sync(copy, house);
  expect(copy.status()).toMatchObject({ devices: 1, isComplete: true, problem: expect.stringContaining("is a link") });
  expect(readdirSync(folder.at("elsewhere"))).toEqual([]);
});

test("pages that do not fit, and journals that are none, are refused", () => {
  using two = createTwo();
  const { house, home } = two;
  using copy = open(home);
  sync(copy, house);
  const [begin] = decodeRecords(gunzipSync(house.answer(copy.have())));
  const answerOf = (head: Head, content: Uint8Array): Uint8Array =>
    Buffer.concat([
      ...encodeRecord(begin?.head as Head),
      ...encodeRecord(head, content),
      ...encodeRecord({ kind: "end", state: undefined, files: undefined, more: false }),
    ]);
  const before = readFileSync(home.stateDb);
  const page = Buffer.alloc(4096);
  const pages = { kind: "pages" as const, pageSize: 4096, count: before.length / 4096, numbers: [1], bytes: 4096 };
  for (const wrong of [
    { numbers: [0] },
    { numbers: [-1] },
    { numbers: [1.5] },
    { pageSize: 8192, bytes: 4096 },
    { pageSize: 1000 },
    { count: 1_000_000 },
    { numbers: [1, 1], bytes: 4096 },
    { numbers: [pages.count] },
  ])
    expect(() => copy.apply(answerOf({ ...pages, ...wrong }, page))).toThrow("do not fit");
  for (const path of ["data/readings/../state.redb", "data/x.1.journal", "data/readings/x.journal", "x"])
    expect(() => copy.apply(answerOf({ kind: "journal", path, from: 0, bytes: 4096 }, page))).toThrow("journal");
  expect(readFileSync(home.stateDb).equals(before)).toBe(true);
});

test("a redo file is applied again, however far it was", () => {
  using two = createTwo();
  const { house, home } = two;
  const first = open(home);
  house.note("key", "before".repeat(1000));
  sync(first, house);
  house.note("key", "after".repeat(2000));
  const answer = house.answer(first.have());
  const record = [...decodeRecords(gunzipSync(answer))].find(({ head }) => head.kind === "pages");
  first[Symbol.dispose]();
  writeFileSync(`${home.data}/standby-redo`, Buffer.concat(encodeRecord(record?.head as Head, record?.content)));
  // A power cut left some of the pages.
  const file = openSync(home.stateDb, "r+");
  writeSync(file, Buffer.alloc(4096, 7), 0, 4096, 4096);
  closeSync(file);
  using copy = open(home);
  copy.have();
  expect(existsSync(`${home.data}/standby-redo`)).toBe(false);
  expect(readFileSync(home.stateDb).equals(house.db.serialize())).toBe(true);
});

test("a damaged state is found, and all its pages are compared", async () => {
  using two = createTwo();
  const { house, home } = two;
  house.addDevice("lamp");
  for (let n = 0; n < 100; n++) house.note(`key-${n}`, "x".repeat(500));
  {
    using copy = open(home);
    sync(copy, house);
  }
  const { size } = lstatSync(home.stateDb);
  const file = openSync(home.stateDb, "r+");
  writeSync(file, Buffer.alloc(8192, 7), 0, 8192, size - 8192);
  closeSync(file);
  using copy = open(home);
  expect(copy.verifyState()).toContain("the state");
  expect(copy.status()).toMatchObject({ isComplete: false, problem: expect.stringContaining("damaged") });
  sync(copy, house);
  expect(await copy.verify()).toBeUndefined();
  expect(copy.status()).toMatchObject({ isComplete: true, problem: undefined });
  expect(readFileSync(home.stateDb).equals(house.db.serialize())).toBe(true);
});

test("a state that is never what the other hub says is not complete, and is not asked for without end", () => {
  using two = createTwo();
  const { house, home } = two;
  using copy = open(home);
  sync(copy, house);
  const lie = (heads: Head[]): void => {
    for (const head of heads) if (head.kind === "end") head.state = "0123456789abcdef";
  };
  expect(copy.apply(house.answer(copy.have(), lie))).toMatchObject({ asked: true, isComplete: false });
  expect(copy.have().pages).toBeDefined();
  expect(copy.apply(house.answer(copy.have(), lie))).toMatchObject({ asked: false, isComplete: false });
  expect(copy.status().problem).toContain("differs");
  sync(copy, house);
  expect(copy.status()).toMatchObject({ isComplete: true, problem: undefined });
});

test("a damaged history is set aside, and fetched anew", async () => {
  using two = createTwo();
  const { house, home } = two;
  house.addDevice("lamp");
  for (let at = 1; at < 3000; at++) house.read([{ device: "lamp", at, set: { level: at } }]);
  house.checkpoint();
  {
    using copy = open(home);
    sync(copy, house);
    syncHistory(copy, house);
  }
  const file = openSync(home.historyDb, "r+");
  writeSync(file, Buffer.alloc(8192, 7), 0, 8192, 40_960);
  closeSync(file);
  using copy = open(home);
  expect(await copy.verify()).toContain("the history");
  sync(copy, house);
  syncHistory(copy, house);
  sync(copy, house);
  expect(copy.status().problem).toBeUndefined();
  expect(await copy.verify()).toBeUndefined();
  expect(samplesIn(home)).toHaveLength(2999);
  expect(readdirSync(home.data).filter((name) => name.includes("damaged")).length).toBeGreaterThan(0);
});

test("a history whose damage shows while it is written is set aside as well", () => {
  using two = createTwo();
  const { house, home } = two;
  house.addDevice("lamp");
  const record = (from: number): void => {
    for (let at = from; at < from + 3000; at++) house.read([{ device: "lamp", at, set: { level: at } }]);
    house.checkpoint();
  };
  record(1);
  {
    using copy = open(home);
    sync(copy, house);
    syncHistory(copy, house);
  }
  const { size } = lstatSync(home.historyDb);
  const file = openSync(home.historyDb, "r+");
  writeSync(file, Buffer.alloc(size - 4096, 7), 0, size - 4096, 4096);
  closeSync(file);
  using copy = open(home);
  record(5000);
  sync(copy, house);
  expect(() => syncHistory(copy, house)).toThrow("malformed");
  syncHistory(copy, house);
  sync(copy, house);
  expect(samplesIn(home)).toEqual(samplesIn(house.home));
});

test("a full disk loses nothing, says so, and the copy goes on when there is room", () => {
  using disk = mountSmallDisk(8);
  using folder = createTemporaryFolder();
  using house = createHouse(folder.at("house"));
  const home = homeAt(`${disk.path}/copy`);
  mkdirSync(home.data, { recursive: true });
  using copy = openCopy({ home, clock: createVirtualClock(), log: silentLog, schemas });
  house.addDevice("lamp");
  sync(copy, house);
  const before = readFileSync(home.stateDb);
  disk.fill();
  house.read([{ device: "lamp", at: 1000, set: { level: 1 } }]);
  for (let n = 0; n < 200; n++) house.note(`key-${n}`, "x".repeat(900));
  house.putFile("rules/a.ron", "a".repeat(20_000));
  expect(() => copy.apply(house.answer(copy.have()))).toThrow("the disk is full");
  expect(copy.status()).toMatchObject({ problem: expect.stringContaining("free some space") });
  expect(readFileSync(home.stateDb).equals(before)).toBe(true);
  disk.free();
  sync(copy, house);
  expect(copy.status()).toMatchObject({ isComplete: true, problem: undefined });
  expect(readFileSync(home.stateDb).equals(house.db.serialize())).toBe(true);
  for (let at = 0; at < 2000; at++) house.read([{ device: "lamp", at, set: { level: `${at}`.repeat(50) } }]);
  house.checkpoint();
  disk.fill();
  expect(() => syncHistory(copy, house)).toThrow("the disk is full");
  disk.free();
  sync(copy, house);
  syncHistory(copy, house);
  expect(samplesIn(home)).toHaveLength(2001);
  expect(copy.status().problem).toBeUndefined();
});

test("a segment that a kill tore ends as a journal does, for the hub that starts", () => {
  using two = createTwo();
  const { house, home } = two;
  house.addDevice("lamp");
  house.read([{ device: "lamp", at: 1000, set: { level: 1 } }]);
  const copy = open(home);
  sync(copy, house);
  const path = `${home.data}/readings/${readdirSync(`${home.data}/readings`)[0]}`;
  const whole = readFileSync(path);
  writeFileSync(
    path,
    Buffer.concat([whole.subarray(0, whole.length - 8), Buffer.from("torn, and longer than a header")]),
  );
  chmodSync(path, 0o600);
  copy.prepareStart();
  expect(readFileSync(path).equals(whole)).toBe(true);
  using history = new Database(home.historyDb);
  expect(history.query("SELECT key FROM meta").all()).toEqual([]);
});

test("what a killed process left beside a file is removed", () => {
  using two = createTwo();
  const { house, home } = two;
  house.putFile("rules/a.ron", "a");
  {
    using copy = open(home);
    sync(copy, house);
  }
  writeFileSync(`${home.rules}/a.ron.4711.tmp`, "half");
  using copy = open(home);
  sync(copy, house);
  expect(readdirSync(home.rules)).toEqual(["a.ron"]);
});

test("a full disk does not keep a hub from starting", () => {
  using disk = mountSmallDisk(8);
  using folder = createTemporaryFolder();
  using house = createHouse(folder.at("house"));
  house.addDevice("lamp");
  house.read([{ device: "lamp", at: 1000, set: { level: 1 } }]);
  house.checkpoint();
  const home = homeAt(`${disk.path}/copy`);
  mkdirSync(home.data, { recursive: true });
  const copy = open(home);
  sync(copy, house);
  syncHistory(copy, house);
  disk.fill();
  copy.prepareStart();
  disk.free();
  using state = new Database(home.stateDb);
  expect(state.query("SELECT id FROM devices").all()).toEqual([{ id: "lamp" }]);
  expect(samplesIn(home)).toHaveLength(1);
});
