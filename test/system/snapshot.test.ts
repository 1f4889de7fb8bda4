// The databases as they were before an upgrade: all of them go back, also after a kill in the middle, and they are kept for a day.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../src/kit/lifecycle/log.ts";
import { homeAt } from "../../src/server/home/paths.ts";
import { readLastUpgrade, settleUpgrade } from "../../src/server/system/upgrade/apply-upgrade.ts";
import {
  keptSnapshot,
  snapshotOfTrial,
  startSnapshotExpiry,
  takeSnapshot,
} from "../../src/server/system/upgrade/snapshot.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const BEFORE: Readonly<Record<string, string>> = {
  "history.db": "the history",
  "history.db.mark": "its mark",
  "readings/1": "the readings",
  "state.redb": "the state",
  "state.redb-wal": "its log",
};
const OF_OLD = { version: "1.0.0", at: "2026-01-15T12:00:00Z" };
const HOUR_MS = 3_600_000;

function rig() {
  const folder = createTemporaryFolder();
  const home = homeAt(folder.at("home"));
  mkdirSync(join(home.data, "readings"), { recursive: true });
  for (const [name, text] of Object.entries(BEFORE)) writeFileSync(join(home.data, name), text);
  writeFileSync(home.assetManifest, "{}");
  const found = () =>
    Object.fromEntries(
      [...readdirSync(home.data), ...readdirSync(join(home.data, "readings")).map((name) => `readings/${name}`)]
        .filter((name) => /^(history|state|readings\/)/.test(name))
        .sort()
        .map((name) => [name, readFileSync(join(home.data, name), "utf8")]),
    );
  return { home, found, [Symbol.dispose]: folder[Symbol.dispose] };
}

/** Another version has changed some files, removed others, and made new ones. */
function damage(data: string): void {
  for (const name of ["state.redb", "state.redb-shm", "history.db-wal", "readings/1", "readings/2"])
    writeFileSync(join(data, name), "of another version");
  renameSync(join(data, "history.db"), join(data, "gone"));
}

test("all that belongs to the databases goes back, and nothing of the other version stays", async () => {
  using one = rig();
  const snapshot = await takeSnapshot(one.home, OF_OLD);
  damage(one.home.data);
  snapshot.putBack();
  expect(one.found()).toEqual(BEFORE);
  expect(existsSync(one.home.beforeTrial)).toBe(false);
});

for (const moved of [0, 1, 2, 3])
  test(`a way back that was killed behind ${moved} files is finished by the next start`, async () => {
    using one = rig();
    const { home } = one;
    writeFileSync(
      home.lastUpgrade,
      JSON.stringify({ at: OF_OLD.at, from: "1.0.0", to: "1.1.0", ok: null, error: null }),
    );
    (await takeSnapshot(home, OF_OLD)).beginPutBack();
    damage(home.data);
    for (const name of ["state.redb", "state.redb-wal", "history.db"].slice(0, moved))
      renameSync(join(home.beforeTrial, name), join(home.data, name));
    const said = settleUpgrade(home, { version: "1.0.0", now: Date.UTC(2026, 0, 15, 13) });
    expect(said).toContain("from then until 2026-01-15T13:00:00Z is not in them");
    expect(readLastUpgrade(home)).toMatchObject({ ok: false, error: said });
    expect(one.found()).toEqual(BEFORE);
    expect(settleUpgrade(home, { version: "1.0.0", now: 0 })).toBeUndefined();
  });

test("a trial that was cut off keeps the databases of before, and a copy that was not finished is swept", async () => {
  using one = rig();
  const { home } = one;
  writeFileSync(home.lastUpgrade, JSON.stringify({ at: OF_OLD.at, from: "1.0.0", to: "1.1.0", ok: null, error: null }));
  await takeSnapshot(home, OF_OLD);
  damage(home.data);
  expect(settleUpgrade(home, { version: "1.1.0", now: 0 })).toBeUndefined();
  expect(readLastUpgrade(home)).toMatchObject({ ok: true });
  expect(keptSnapshot(home)).toMatchObject(OF_OLD);
  expect(readFileSync(home.stateDb, "utf8")).toBe("of another version");

  mkdirSync(home.beforeTrial);
  writeFileSync(join(home.beforeTrial, "state.redb"), "the sta");
  expect(snapshotOfTrial(home)).toBeUndefined();
  settleUpgrade(home, { version: "1.1.0", now: 0 });
  expect(existsSync(home.beforeTrial)).toBe(false);
  expect(keptSnapshot(home)).toMatchObject(OF_OLD);
});

test("without space for a second copy, it says how much is missing, and nothing is left", async () => {
  using disk = mountSmallDisk(30);
  const home = homeAt(disk.path);
  mkdirSync(home.data);
  writeFileSync(home.stateDb, Buffer.alloc(12_000_000, 1));
  await expect(takeSnapshot(home, OF_OLD)).rejects.toThrow(
    /to go back to, needs 29 MB of free space in .*, but only \d+ MB are free: free/,
  );
  expect(readdirSync(home.data)).toEqual(["state.redb"]);
});

test("they are kept until the new version has been well for a day, whatever the restarts", async () => {
  using one = rig();
  const { home } = one;
  (await takeSnapshot(home, OF_OLD)).keep();
  const clock = createVirtualClock();
  let isWell = true;
  const start = () => startSnapshotExpiry({ home, clock, log: silentLog, isWell: () => isWell });
  const first = start();
  await clock.advance(20 * HOUR_MS);
  isWell = false;
  await clock.advance(HOUR_MS);
  isWell = true;
  await clock.advance(14 * HOUR_MS);
  first[Symbol.dispose]();
  using _second = start();
  await clock.advance(9 * HOUR_MS);
  expect(keptSnapshot(home)).toMatchObject(OF_OLD);
  await clock.advance(2 * HOUR_MS);
  expect(existsSync(home.beforeUpgrade)).toBe(false);
});
