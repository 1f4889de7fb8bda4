// Copies on an SFTP server, and what it can refuse.
// Over 10 s: each copy is a connection with keys of its own, and each archive has a key that takes long to derive on purpose.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { LOGIN, type SftpServer, startSftpServer } from "../../../support/sftp-server.ts";
import { NOW } from "../archive/archive-place.ts";
import { HOUSE, openPlace, type Place } from "./place.ts";

const HOUR_MS = 3600_000;

let place: Place;
let server: SftpServer;

beforeEach(async () => {
  place = openPlace();
  mkdirSync(place.at("there"));
  server = await startSftpServer(place.at("there"));
});
afterEach(async () => {
  await place[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const target = (more: Record<string, unknown> = {}) => ({
  ...{ type: "sftp", name: "nas", host: "127.0.0.1", port: server.port, prefix: "a/b", ...LOGIN },
  ...more,
});

test("folders are made, and what is there is the backup, byte for byte", async () => {
  const content = crypto.getRandomValues(new Uint8Array(60_000));
  const large = Buffer.concat(Array.from({ length: 20 }, () => content));
  place.putBackup(NOW - HOUR_MS, large);
  const remote = place.start(target());
  expect((await place.settle(remote)).state.problem).toBeNull();
  const folder = place.at("there", "a", "b", HOUSE);
  const [name = "", ...more] = readdirSync(folder);
  expect(more).toEqual([]);
  expect(name).toMatch(/^hub-backup-2026-11-21T02-00-00Z-[a-z2-9]{6}\.zip\.age$/);
  expect(large.equals(Buffer.from(await Bun.file(`${folder}/${name}`).arrayBuffer()))).toBe(true);
  await remote.test("nas");
});

test("another server at the same address is refused, until its key is set", async () => {
  place.putBackup(NOW - HOUR_MS);
  const remote = place.start(target());
  await place.settle(remote);
  const { port } = server;
  await server[Symbol.asyncDispose]();
  server = await startSftpServer(place.at("there"), port);
  const refusal = await remote.test("nas").then(
    () => "",
    (error: Error) => error.message,
  );
  expect(refusal).toContain("it may be another server");
  const [, seen] = /set host_key = "(SHA256:[^"]+)"/.exec(refusal) ?? [];
  const trusting = place.start(target({ name: "pinned", host_key: seen }));
  await trusting.test("pinned");
});

test.each([
  ["a wrong password", { password: "wrong" }, "the password or the key is wrong"],
  ["a port where nobody listens", { port: 1 }, "nobody answers there"],
])("%s is said", async (_what, change, words) => {
  place.putBackup(NOW - HOUR_MS);
  expect((await place.settle(place.start(target(change)))).state.problem).toContain(words);
});

test("a full disk is said, and what was begun there is removed when there is space again", async () => {
  place.putBackup(NOW - HOUR_MS);
  server.isFull = true;
  const remote = place.start(target());
  expect((await place.settle(remote)).state.problem).toContain("its disk may be full");
  server.isFull = false;
  await place.pass(remote, 10 * 60_000);
  expect(readdirSync(place.at("there", "a", "b", HOUSE))).toEqual([expect.stringMatching(/\.zip\.age$/)]);
});

const MIB = 1024 * 1024;

/** Three MiB of which two get there before the server takes no more. */
async function cutOff() {
  const large = Buffer.concat(
    Array.from({ length: 48 }, () => Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)))),
  );
  place.putBackup(NOW - HOUR_MS, large);
  server.roomFor = 2 * MIB;
  const remote = place.start(target());
  expect((await place.settle(remote)).state.problem).toContain("its disk may be full");
  const folder = place.at("there", "a", "b", HOUSE);
  const [part = ""] = readdirSync(folder);
  expect(part).toEndWith(".part");
  expect(statSync(`${folder}/${part}`).size).toBe(2 * MIB);
  server.roomFor = Number.POSITIVE_INFINITY;
  server.written = 0;
  return { large, remote, folder, part: `${folder}/${part}` };
}

test("what was cut off is gone on with", async () => {
  const { large, remote, folder } = await cutOff();
  await place.pass(remote, 10 * 60_000);
  expect(remote.list()[0]?.state.problem).toBeNull();
  expect(server.written).toBe(large.length - 2 * MIB);
  const [name = "", ...more] = readdirSync(folder);
  expect(more).toEqual([]);
  expect(large.equals(readFileSync(`${folder}/${name}`))).toBe(true);
});

test("it is sent anew where the end of what is there is another", async () => {
  const { large, remote, folder, part } = await cutOff();
  truncateSync(part, MIB);
  truncateSync(part, 2 * MIB);
  await place.pass(remote, 10 * 60_000);
  expect(server.written).toBe(large.length);
  expect(large.equals(readFileSync(`${folder}/${readdirSync(folder)[0]}`))).toBe(true);
});

test("one that is damaged further in is found when it is read back, removed and sent anew", async () => {
  const { large, remote, folder, part } = await cutOff();
  const damaged = readFileSync(part);
  damaged.fill(0, 1000, 2000);
  writeFileSync(part, damaged);
  await place.pass(remote, 5 * 60_000);
  await place.pass(remote, 60 * 60_000);
  expect(remote.list()[0]?.state.problem).toBeNull();
  expect(server.written).toBe(large.length - 2 * MIB + large.length);
  expect(large.equals(readFileSync(`${folder}/${readdirSync(folder)[0]}`))).toBe(true);
});

test("what is begun of a backup that is no more is removed", async () => {
  const { remote, folder } = await cutOff();
  rmSync(place.home.resolve("backups"), { recursive: true });
  mkdirSync(place.home.resolve("backups"));
  await place.pass(remote, 10 * 60_000);
  expect(readdirSync(folder)).toEqual([]);
});
