// What people wait for goes into a redo file that keeps the pages of many answers: whatever ends the standby, what it confirmed is there.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { decodeRecords, encodeRecord } from "../../../../src/copies/standby/protocol.ts";
import { homeAt } from "../../../../src/server/home/paths.ts";
import { mountSmallDisk } from "../../../support/small-disk.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createTwo, open, sync } from "./copying.ts";
import { createHouse } from "./house.ts";

/** As a hub answers whose people wait for the standby. */
const held = (answer: Uint8Array): Uint8Array => {
  const records = [...decodeRecords(gunzipSync(answer))].map(({ head, content }) =>
    encodeRecord(head.kind === "begin" ? { ...head, holds: true } : head, content),
  );
  return Buffer.concat(records.flat());
};

/** Bytes of the first pages of a file, in place of what is there. */
function spoil(path: string): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4096, 7), 0, 4096, 4096);
  closeSync(file);
}

test("what was confirmed outlives a power cut of the standby, in its redo file where the database lacks it", () => {
  using two = createTwo();
  const { house, home } = two;
  const first = open(home);
  house.note("key", "before".repeat(1000));
  sync(first, house);
  const redo = `${home.data}/standby-redo`;
  let reported: Buffer | undefined;
  for (let count = 0; count < 5; count++) {
    house.note(`key-${count}`, "after".repeat(2000));
    const applied = first.apply(held(house.answer(first.have())));
    expect(applied).toMatchObject({ isConfirmed: true, holds: true });
    expect(readFileSync(home.stateDb).equals(house.db.serialize())).toBe(true);
    reported = readFileSync(redo);
  }
  // The cut comes while one more is written, of which nobody was notified.
  house.note("key-6", "later".repeat(2000));
  first.apply(held(house.answer(first.have())));
  const whole = readFileSync(redo);
  writeFileSync(redo, whole.fill(0, (reported?.length ?? 0) + 5000));
  first[Symbol.dispose]();
  spoil(home.stateDb);
  using copy = open(home);
  copy.have();
  expect(existsSync(redo)).toBe(false);
  using state = new Database(home.stateDb, { readonly: true });
  const values = state.query<{ value: string }, []>("SELECT value FROM meta WHERE key LIKE 'key-_'").all();
  expect(values.map(({ value }) => value.slice(0, 5))).toEqual(Array(5).fill("after"));
  expect(copy.verifyState()).toBeUndefined();
});

test("a hub starts without a redo file, which is checkpointed when it is large, and when nobody waits any more", () => {
  using two = createTwo();
  const { house, home } = two;
  const redo = `${home.data}/standby-redo`;
  using copy = open(home);
  sync(copy, house);
  let largest = 0;
  for (let count = 0; count < 40; count++) {
    house.note("large", "x".repeat(400_000 + count));
    copy.apply(held(house.answer(copy.have())));
    largest = Math.max(largest, existsSync(redo) ? lstatSync(redo).size : 0);
  }
  expect(largest).toBeGreaterThan(1_000_000);
  expect(largest).toBeLessThan(6_000_000);
  house.note("key", "a");
  copy.apply(held(house.answer(copy.have())));
  expect(existsSync(redo)).toBe(true);
  house.note("key", "b");
  sync(copy, house);
  expect(existsSync(redo)).toBe(false);
  house.note("key", "c");
  copy.apply(held(house.answer(copy.have())));
  copy.prepareStart();
  expect(existsSync(redo)).toBe(false);
  expect(readFileSync(home.stateDb).equals(house.db.serialize())).toBe(true);
});

test("a full disk loses nothing of what was confirmed, and confirms nothing more", () => {
  using disk = mountSmallDisk(8);
  using folder = createTemporaryFolder();
  using house = createHouse(folder.at("house"));
  const home = homeAt(`${disk.path}/copy`);
  mkdirSync(home.data, { recursive: true });
  using copy = open(home);
  sync(copy, house);
  house.note("key", "confirmed");
  copy.apply(held(house.answer(copy.have())));
  const before = readFileSync(home.stateDb);
  disk.fill();
  for (let n = 0; n < 200; n++) house.note(`key-${n}`, "x".repeat(900));
  expect(() => copy.apply(held(house.answer(copy.have())))).toThrow("the disk is full");
  expect(readFileSync(home.stateDb).equals(before)).toBe(true);
  disk.free();
  // The hub may have to ask which pages are there.
  copy.apply(held(house.answer(copy.have())));
  expect(copy.apply(held(house.answer(copy.have())))).toMatchObject({ isConfirmed: true });
  expect(readFileSync(home.stateDb).equals(house.db.serialize())).toBe(true);
});
