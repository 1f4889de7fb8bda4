// A machine that was the hub becomes the standby: what it had is kept once, and the other's takes its place.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { keepOwn } from "../../../../src/copies/standby/copy/keep-own.ts";
import { checkpointSamplesIntoCopy } from "../../../../src/house/history/replay.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import type { JournalTail } from "../../../../src/server/db/readings.ts";
import { homeAt } from "../../../../src/server/home/paths.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { createTwo, open, samplesIn, sync, syncHistory } from "./copying.ts";
import { createHouse } from "./house.ts";

/** A home whose hub has ended, with a sample at each of these times; the last one is in the journal alone. */
function formerHub(folder: TemporaryFolder, times: readonly number[], name = "former") {
  const house = createHouse(folder.at(name));
  house.addDevice("lamp");
  for (const [index, at] of times.entries()) {
    house.read([{ device: "lamp", at, set: { level: at } }]);
    if (index === times.length - 2) house.checkpoint();
  }
  house.note("mine", "1");
  house[Symbol.dispose]();
  return homeAt(folder.at(name));
}

const checkpointHistory = ({ history }: { history: string }, readings: JournalTail): undefined =>
  void checkpointSamplesIntoCopy(history, readings, () => false);
const times = (samples: unknown[]): number[] => samples.map((sample) => (sample as { at: number }).at);

test("its state and journal are kept, and its history gets the other's on top, each sample once", () => {
  using folder = createTemporaryFolder();
  const home = formerHub(folder, [1000, 2000, 3000]);
  // The other one took over from its copy before the last reading, and went on.
  using house = createHouse(folder.at("other"));
  house.addDevice("lamp");
  for (const at of [1000, 2000, 2500, 4000]) house.read([{ device: "lamp", at, set: { level: at } }]);
  house.checkpoint();
  expect(keepOwn(home, silentLog, { checkpointHistory })).toEqual({
    folder: `${home.data}/before-standby`,
    recordedUntil: 3000,
  });
  expect(readdirSync(`${home.data}/before-standby`)).toContain("readings");
  expect(existsSync(home.stateDb)).toBe(false);
  using copy = open(home);
  sync(copy, house);
  syncHistory(copy, house);
  expect(times(samplesIn(home))).toEqual([1000, 2000, 2500, 3000, 4000]);
  using kept = new Database(`${home.data}/before-standby/state.redb`);
  expect(kept.query("SELECT value FROM meta WHERE key = 'mine'").get()).toEqual({ value: "1" });
});

test("without a command, the first answer keeps it too; the next time replaces it", () => {
  using folder = createTemporaryFolder();
  const home = formerHub(folder, [1000, 2000]);
  mkdirSync(`${home.data}/before-standby`);
  writeFileSync(`${home.data}/before-standby/older`, "");
  using house = createHouse(folder.at("other"));
  using copy = open(home);
  expect(copy.have()).toMatchObject({ journals: {} });
  expect(copy.have().state).toBeUndefined();
  sync(copy, house);
  expect(readdirSync(`${home.data}/before-standby`).sort()).toEqual(["leftovers.json", "readings", "state.redb"]);
  expect(readFileSync(home.stateDb).equals(house.db.serialize())).toBe(true);
});

test("half done, it is finished", () => {
  using folder = createTemporaryFolder();
  const home = formerHub(folder, [1000, 2000]);
  mkdirSync(`${home.data}/before-standby.new`);
  renameSync(home.stateDb, `${home.data}/before-standby.new/state.redb`);
  expect(keepOwn(home, silentLog)?.folder).toBe(`${home.data}/before-standby`);
  expect(readdirSync(`${home.data}/before-standby`).sort()).toEqual(["leftovers.json", "readings", "state.redb"]);
  expect(readdirSync(home.data).sort()).toEqual(["before-standby", "history.db"]);
  expect(keepOwn(home, silentLog)).toBeUndefined();
});

test("a copy is not taken for a hub's own, also where a hub was about to start from it", () => {
  using two = createTwo();
  const { house, home } = two;
  const first = open(home);
  sync(first, house);
  expect(keepOwn(home, silentLog)).toBeUndefined();
  first.prepareStart();
  expect(keepOwn(home, silentLog)).toBeUndefined();
  const second = open(home);
  expect(second.status().isComplete).toBe(true);
  house.addDevice("lamp");
  sync(second, house);
  second[Symbol.dispose]();
  expect(keepOwn(home, silentLog)).toBeUndefined();
});

test("a copy that a hub has run on is that hub's own", () => {
  using two = createTwo();
  const { house, home } = two;
  const copy = open(home);
  sync(copy, house);
  copy.prepareStart();
  const state = new Database(home.stateDb);
  state.run("PRAGMA journal_mode = WAL");
  state.run("INSERT INTO meta (key, value) VALUES ('mine', '1')");
  state.close();
  expect(keepOwn(home, silentLog)?.folder).toBe(`${home.data}/before-standby`);
  expect(existsSync(home.stateDb)).toBe(false);
});
