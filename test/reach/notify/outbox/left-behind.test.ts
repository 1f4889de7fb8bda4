// Reading what waits in the database of a hub that is gone: all of it, and without a trace.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { messageKeys, readLeftMessages } from "../../../../src/reach/notify/outbox/left-behind.ts";
import type { LeftMessage } from "../../../../src/reach/notify/outbox/left-message.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { type OutboxRig, openOutboxRig, push } from "./rig.ts";

const all = (): boolean => true;

/** The state of a hub as a power cut leaves it, in another folder. */
function stateOf(rig: OutboxRig, folder: TemporaryFolder): string {
  const state = folder.at("state.redb");
  for (const suffix of ["", "-wal"])
    if (existsSync(rig.db.own.filename + suffix)) copyFileSync(rig.db.own.filename + suffix, state + suffix);
  return state;
}

async function rigWith(...texts: string[]): Promise<OutboxRig> {
  const rig = await openOutboxRig([push("phone"), push("tablet")]);
  for (const name of ["phone", "tablet"]) rig.react(name, "down");
  for (const text of texts) await rig.say("phone", text);
  return rig;
}

/** Every file of a folder with what is in it, and when that was written. */
function traceOf(path: string): unknown {
  const folder = dirname(path);
  return readdirSync(folder)
    .sort()
    .map((name) => [name, statSync(`${folder}/${name}`).mtimeMs, Bun.hash(readFileSync(`${folder}/${name}`))]);
}

function keysIn(path: string): string[] {
  using db = new Database(path);
  const rows = db.query<{ key: string }, []>("SELECT channel || ' ' || message_id AS key FROM outbox ORDER BY id");
  return rows.all().map(({ key }) => key);
}

const textsOf = (messages: readonly LeftMessage[]) => messages.map(({ message }) => message);

for (const how of ["was killed", "ended"]) {
  test(`of a hub that ${how}: all is read, and nothing changes`, async () => {
    using folder = createTemporaryFolder();
    await using rig = await rigWith("1", "2");
    await rig.say("all", "3");
    if (how === "ended") rig.db.durable.run("PRAGMA wal_checkpoint(TRUNCATE)");
    const state = stateOf(rig, folder);
    expect(statSync(`${state}-wal`).size > 0).toBe(how === "was killed");
    const before = traceOf(state);
    const keys = messageKeys(state, 4);
    const messages = readLeftMessages(state, all, 100);
    expect(traceOf(state)).toEqual(before);
    expect(textsOf(messages)).toEqual(["1", "2", "3", "3"]);
    expect(keys).toEqual(keysIn(state));
    expect(keys).toHaveLength(4);
  });
}

test("the file alone, without a log beside it, is enough", async () => {
  using folder = createTemporaryFolder();
  await using rig = await rigWith("1");
  rig.db.durable.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const state = folder.at("state of 100%?#.redb");
  copyFileSync(rig.db.own.filename, state);
  expect(textsOf(readLeftMessages(state, all, 100))).toEqual(["1"]);
  expect(readdirSync(dirname(state))).toEqual([basename(state)]);
});

test("too many are not noted", async () => {
  using folder = createTemporaryFolder();
  await using rig = await rigWith("1", "2", "3");
  const state = stateOf(rig, folder);
  expect(messageKeys(state, 3)).toHaveLength(3);
  expect(messageKeys(state, 2)).toBeUndefined();
});

test("only what is wanted, the oldest first, in pages", async () => {
  using folder = createTemporaryFolder();
  await using rig = await rigWith("1", "2", "3", "4", "5");
  const state = stateOf(rig, folder);
  const second = messageKeys(state, 10)?.[1];
  const isWanted = (key: string): boolean => key !== second;
  const first = readLeftMessages(state, isWanted, 2);
  const next = readLeftMessages(state, isWanted, 2, first.at(-1));
  expect([first, next].map(textsOf)).toEqual([
    ["1", "3"],
    ["4", "5"],
  ]);
  expect(readLeftMessages(state, isWanted, 2, next.at(-1))).toEqual([]);
});

test("a page of long messages ends after about 8 MB", async () => {
  using folder = createTemporaryFolder();
  await using rig = await rigWith();
  for (let number = 0; number < 12; number++) await rig.say("phone", `${number} ${"x".repeat(1_000_000)}`);
  const state = stateOf(rig, folder);
  const pages: LeftMessage[][] = [];
  for (let page = readLeftMessages(state, all, 100); page.length > 0; ) {
    pages.push(page);
    page = readLeftMessages(state, all, 100, page.at(-1));
  }
  expect(pages.map(({ length }) => length)).toEqual([9, 3]);
  expect(pages.flat().map(({ message }) => Number.parseInt(String(message), 10))).toEqual([...Array(12).keys()]);
});

test("rows that are none are left out", async () => {
  using folder = createTemporaryFolder();
  await using rig = await rigWith("1", "2", "3");
  rig.db.own.run("UPDATE outbox SET title = x'00ff' WHERE message = '1'");
  rig.db.own.run("UPDATE outbox SET message_id = x'00ff' WHERE message = '2'");
  const state = stateOf(rig, folder);
  expect(textsOf(readLeftMessages(state, all, 100))).toEqual(["3"]);
  expect(messageKeys(state, 3)).toHaveLength(2);
});

test("nothing waits in a database from before there was an outbox", () => {
  using folder = createTemporaryFolder();
  const state = folder.at("state.redb");
  using db = new Database(state, { create: true });
  db.run("CREATE TABLE devices (id TEXT)");
  expect(messageKeys(state, 10)).toEqual([]);
  expect(readLeftMessages(state, all, 10)).toEqual([]);
});

test("a file that is not there, or no database, is an error that says so", () => {
  using folder = createTemporaryFolder();
  const state = folder.at("state.redb");
  const refusal = { code: "storage", message: expect.stringContaining(`wait in ${state}`) };
  expect(() => messageKeys(state, 10)).toThrow(expect.objectContaining(refusal));
  writeFileSync(state, "no database at all".repeat(100));
  for (const read of [() => messageKeys(state, 10), () => readLeftMessages(state, all, 10)])
    expect(read).toThrow(expect.objectContaining(refusal));
  expect(readdirSync(dirname(state))).toEqual([basename(state)]);
});
