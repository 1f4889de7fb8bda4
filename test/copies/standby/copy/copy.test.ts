// A copy follows a house: state, journal, files and history.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, utimesSync } from "node:fs";
import { createTwo, open, samplesIn, startOn, statesIn, sync, syncHistory } from "./copying.ts";

test("the first answers make a whole copy", () => {
  using two = createTwo();
  const { house, home, clock } = two;
  house.addDevice("lamp");
  house.read([{ device: "lamp", at: 1000, set: { power: true } }]);
  for (let n = 0; n < 8; n++) house.putFile(`rules/rule-${n}.ron`, `rule ${n}`);
  house.putFile("config/hub.toml", "[http]\n", 0o600);
  house.putFile("plugins/zigbee/bin/run.sh", "#!/bin/sh\n", 0o755);
  using copy = open(home, clock);
  expect(copy.status()).toMatchObject({ isComplete: false, copiedAt: undefined, devices: undefined });
  const first = copy.apply(house.answer(copy.have()));
  expect(first).toMatchObject({ turn: 1, epoch: 1, version: "1.0.0", more: true, isComplete: false });
  sync(copy, house);
  expect(copy.status()).toMatchObject({ isComplete: true, copiedAt: clock.now(), devices: 1, problem: undefined });
  expect(readFileSync(home.stateDb).equals(house.db.serialize())).toBe(true);
  expect(readFileSync(`${home.rules}/rule-7.ron`, "utf8")).toBe("rule 7");
  expect(statSync(home.hubToml).mode & 0o777).toBe(0o600);
  expect(statSync(`${home.plugins}/zigbee/bin/run.sh`).mode & 0o777).toBe(0o755);
});

test("it follows what changes, and what is gone", async () => {
  using two = createTwo();
  const { house, home } = two;
  using copy = open(home);
  house.putFile("rules/a.ron", "a");
  house.putFile("rules/sub/b.ron", "b");
  sync(copy, house);
  house.putFile("rules/a.ron", "longer", 0o600);
  house.removeFile("rules/sub/b.ron");
  house.addDevice("lamp");
  for (let n = 0; n < 300; n++) house.note(`key-${n}`, "x".repeat(500));
  sync(copy, house);
  expect(readFileSync(home.stateDb).equals(house.db.serialize())).toBe(true);
  house.db.run("DELETE FROM meta WHERE key LIKE 'key-%'");
  house.db.run("VACUUM");
  sync(copy, house);
  expect(readFileSync(home.stateDb).equals(house.db.serialize())).toBe(true);
  expect(readFileSync(`${home.rules}/a.ron`, "utf8")).toBe("longer");
  expect(statSync(`${home.rules}/a.ron`).mode & 0o777).toBe(0o600);
  expect(existsSync(`${home.rules}/sub`)).toBe(false);
  expect(await copy.verify()).toBeUndefined();
});

test("one that is opened again goes on, and finds files that somebody changed meanwhile", () => {
  using two = createTwo();
  const { house, home, clock } = two;
  house.putFile("rules/a.ron", "a");
  {
    using copy = open(home, clock);
    sync(copy, house);
  }
  const noted = `${home.data}/standby-copy.json`;
  utimesSync(noted, 1000, 1000);
  Bun.spawnSync(["sh", "-c", "echo changed > a.ron; echo more > b.ron"], { cwd: home.rules });
  using copy = open(home, clock);
  expect(copy.status()).toMatchObject({ isComplete: true, copiedAt: 1_000_000 });
  sync(copy, house);
  expect(readFileSync(`${home.rules}/a.ron`, "utf8")).toBe("a");
  expect(existsSync(`${home.rules}/b.ron`)).toBe(false);
  expect(copy.status().copiedAt).toBe(clock.now());
});

test("what a hub starts from has each sample once, checkpointed or not", () => {
  using two = createTwo();
  const { house, home } = two;
  house.addDevice("lamp");
  const copy = open(home);
  let at = 1000;
  // Several of one millisecond, and a clock that steps back.
  const read = (): void => {
    at += at % 3 === 0 ? 0 : at % 29 === 0 ? -9 : 1;
    house.read([{ device: "lamp", at, set: { level: at } }]);
  };
  sync(copy, house);
  for (let n = 0; n < 80; n++) {
    read();
    at += n % 2;
    // The history is far behind; the journal is not.
    sync(copy, house);
    if (n % 11 === 0) house.checkpoint();
    if (n % 13 === 0) house.checkpointState();
    if (n % 5 === 0) copy.applyHistory(house.historyAnswer(copy.historyRequest(), 3));
  }
  sync(copy, house);
  copy.prepareStart();
  expect(existsSync(`${home.stateDb}-wal`)).toBe(false);
  startOn(home);
  house.checkpoint();
  expect(samplesIn(home)).toEqual(samplesIn(house.home));
  house.db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(statesIn(home)).toEqual(statesIn(house.home));
});

test("the journal stays until this machine's own history has what is in it", () => {
  using two = createTwo();
  const { house, home } = two;
  house.addDevice("lamp");
  using copy = open(home);
  for (const at of [1000, 2000]) {
    house.read([{ device: "lamp", at, set: { level: 1 } }]);
    sync(copy, house);
    house.checkpoint();
  }
  sync(copy, house);
  // Checkpointed and removed at the other hub, not yet fetched.
  const segments = (): string[] => Object.keys(copy.have().journals).map((path) => path.split(".")[1] ?? "");
  expect(segments().sort()).toEqual(["1", "2"]);
  syncHistory(copy, house);
  sync(copy, house);
  // A released segment is kept for the next one.
  expect(segments()).toEqual(["2"]);
  expect(samplesIn(home)).toHaveLength(2);
});

test("says until when the history is complete, with the journal", () => {
  using two = createTwo();
  const { house, home } = two;
  house.addDevice("lamp");
  using copy = open(home);
  house.read([{ device: "lamp", at: 1000, set: { level: 1 } }]);
  house.checkpoint();
  house.read([{ device: "lamp", at: 5000, set: { level: 2 } }]);
  sync(copy, house);
  expect(copy.status()).toMatchObject({ historyThrough: 0, isHistoryWhole: false });
  syncHistory(copy, house);
  expect(copy.status()).toMatchObject({ historyThrough: 5000, isHistoryWhole: true });
});

test("the other hub's retention is followed, but for the last value of each attribute", () => {
  using two = createTwo();
  const { house, home } = two;
  house.addDevice("lamp");
  using copy = open(home);
  for (let at = 1000; at < 1100; at++)
    house.read([{ device: "lamp", at, set: { level: at, ...(at === 1020 && { old: 1 }) } }]);
  house.checkpoint();
  sync(copy, house);
  syncHistory(copy, house, 10);
  expect(samplesIn(home)).toHaveLength(101);
  house.cut(1050);
  house.read([{ device: "lamp", at: 2000, set: { level: 1 } }]);
  house.checkpoint();
  sync(copy, house);
  syncHistory(copy, house);
  // From 1050 on, the last one of `level` before, that of `old`, and the new one.
  expect(samplesIn(home)).toHaveLength(53);
  using history = new Database(home.historyDb);
  expect(history.query("SELECT value FROM meta WHERE key = 'age_cut'").get()).toEqual({ value: 1050 });
});

test("a quiet house costs no write", () => {
  using two = createTwo();
  const { house, home } = two;
  house.addDevice("lamp");
  house.read([{ device: "lamp", at: 1000, set: { level: 1 } }]);
  house.checkpoint();
  using copy = open(home);
  sync(copy, house);
  syncHistory(copy, house);
  const filesOf = (): string[] => {
    const all = [...new Bun.Glob("**/*").scanSync({ cwd: home.root, dot: true })].sort();
    return all.map((path) => `${path} ${statSync(`${home.root}/${path}`).ctimeMs}`);
  };
  const before = filesOf();
  for (let n = 0; n < 5; n++) {
    sync(copy, house);
    syncHistory(copy, house);
  }
  expect(filesOf()).toEqual(before);
});

test("where the other hub's clock steps back, nothing is missed", () => {
  using two = createTwo();
  const { house, home } = two;
  house.addDevice("lamp");
  using copy = open(home);
  const read = (at: number): void => house.read([{ device: "lamp", at, set: { level: at } }]);
  for (const at of [5000, 6000]) read(at);
  house.checkpoint();
  sync(copy, house);
  syncHistory(copy, house);
  read(1000);
  sync(copy, house);
  house.checkpoint();
  sync(copy, house);
  syncHistory(copy, house);
  expect(samplesIn(home)).toEqual(samplesIn(house.home));
  for (const at of [7000, 8000, 9000]) read(at);
  sync(copy, house);
  house.checkpoint();
  // In the midst of a run.
  copy.applyHistory(house.historyAnswer(copy.historyRequest(), 1));
  copy.applyHistory(house.historyAnswer(copy.historyRequest(), 1));
  read(2000);
  sync(copy, house);
  house.checkpoint();
  sync(copy, house);
  syncHistory(copy, house);
  expect(samplesIn(home)).toEqual(samplesIn(house.home));
  expect(samplesIn(home)).toHaveLength(7);
});

test("the copy goes on while its databases are read, and is the hub's at once", async () => {
  using two = createTwo();
  const { house, home } = two;
  house.addDevice("lamp");
  house.read([{ device: "lamp", at: 1000, set: { level: 1 } }]);
  house.checkpoint();
  const copy = open(home);
  sync(copy, house);
  syncHistory(copy, house);
  let turns = 0;
  const goOn = (): void => {
    turns++;
    house.note("turn", String(turns));
    sync(copy, house);
  };
  const checked = copy.verify();
  goOn();
  const turning = setInterval(goOn);
  expect(await checked).toBeUndefined();
  clearInterval(turning);
  goOn();
  const ended = new AbortController();
  const verifying = copy.verify(ended.signal);
  ended.abort();
  expect(await verifying).toBeUndefined();
  copy.prepareStart();
  // As after a clean end, so that the hub does not read all of it before it records.
  expect(existsSync(`${home.historyDb}-wal`)).toBe(false);
});
