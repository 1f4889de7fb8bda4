// Copies in a folder of another disk, which may not be mounted.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NOW } from "../archive/archive-place.ts";
import { HOUSE, openPlace, type Place } from "./place.ts";

const HOUR_MS = 3600_000;
const MARK = ".hub-backup-target";

let place: Place;

beforeEach(() => {
  place = openPlace();
});
afterEach(() => place[Symbol.asyncDispose]());

const target = (directory: string) => ({ type: "folder", name: "stick", directory });

test("a folder of the hub's own disk is refused, until somebody says by hand that it is meant so", async () => {
  const directory = place.at("stick");
  mkdirSync(directory);
  place.putBackup(NOW - HOUR_MS, "backup");
  const remote = place.start(target(directory));
  expect((await place.settle(remote)).state.problem).toContain("on the hub's own disk");
  await expect(remote.test("stick")).rejects.toThrow("on the hub's own disk");
  expect(readdirSync(directory)).toEqual([]);
  writeFileSync(join(directory, MARK), "");
  await remote.test("stick");
  await place.settle(remote);
  const [name = ""] = readdirSync(join(directory, HOUSE));
  expect(await Bun.file(join(directory, HOUSE, name)).text()).toBe("backup");
});

test("an empty mount point is not filled, and another disk is taken only when somebody presses the button", async () => {
  // Where this machine has no other file system, there is nothing to see.
  if (!existsSync("/dev/shm")) return;
  const directory = mkdtempSync("/dev/shm/hub-test-");
  try {
    place.putBackup(NOW - HOUR_MS);
    const remote = place.start(target(directory));
    expect((await place.settle(remote)).state.problem).toBeNull();
    expect(readdirSync(directory).sort()).toEqual([MARK, HOUSE]);
    rmSync(directory, { recursive: true });
    remote.sync();
    expect((await place.settle(remote)).state.problem).toContain("there is no folder");
    mkdirSync(directory);
    remote.sync();
    expect((await place.settle(remote)).state.problem).toContain("is not mounted, or is another one");
    expect(readdirSync(directory)).toEqual([]);
    await remote.test("stick");
    expect((await place.settle(remote)).state).toMatchObject({ problem: null, copies: [expect.anything()] });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
