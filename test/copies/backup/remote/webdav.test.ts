// Copies on a WebDAV server, and what it can answer.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { ACCOUNT, startWebdavServer, type WebdavServer } from "../../../support/webdav-server.ts";
import { NOW } from "../archive/archive-place.ts";
import { HOUSE, openPlace, type Place } from "./place.ts";

const HOUR_MS = 3600_000;
const FOLDER = `/dav/Backups/My house/${HOUSE}`;

let place: Place;
let dav: WebdavServer;

beforeEach(() => {
  place = openPlace();
  dav = startWebdavServer();
});
afterEach(async () => {
  await place[Symbol.asyncDispose]();
  await dav[Symbol.asyncDispose]();
});

const target = (more: Record<string, unknown> = {}) => ({
  ...{ type: "webdav", name: "cloud", url: dav.url, prefix: "Backups/My house", ...ACCOUNT },
  ...more,
});

test("folders are made, the file is sent with its length, and gets its name when it was read back", async () => {
  place.putBackup(NOW - HOUR_MS, new Uint8Array(3_000_000).fill(5));
  const remote = place.start(target());
  const { state } = await place.settle(remote);
  expect(state.problem).toBeNull();
  const [path = ""] = dav.files.keys();
  expect(dav.files.size).toBe(1);
  expect(path.startsWith(`${FOLDER}/hub-backup-2026-11-21T02-00-00Z-`)).toBe(true);
  expect(dav.requests.filter((request) => /^(PUT|GET|MOVE)/.test(request))).toEqual([
    `PUT ${path}.part 3000000`,
    `GET ${path}.part -`,
    `MOVE ${path}.part 0`,
    // Proven as a whole, for the first time.
    `GET ${path} -`,
  ]);
  await remote.test("cloud");
});

test("what a killed hub left unfinished is removed, and that of another hub that lives stays", async () => {
  place.putBackup(NOW - HOUR_MS);
  const remote = place.start(target());
  await place.settle(remote);
  const hub = /-([a-z2-9]{6})\.zip/.exec([...dav.files.keys()][0] ?? "")?.[1];
  const left = (tag: string | undefined, day: string) =>
    `${FOLDER}/hub-backup-2026-11-${day}T01-00-00Z-${tag}.zip.age.part`;
  for (const path of [left(hub, "20"), left("zzzzzz", "20"), left("zzzzzz", "01")])
    dav.files.set(path, new Uint8Array(9));
  remote.sync();
  await place.settle(remote);
  expect([...dav.files.keys()].filter((path) => path.endsWith(".part"))).toEqual([left("zzzzzz", "20")]);
});

test.each([
  ["a wrong password", { password: "wrong" }, undefined, "password is wrong"],
  ["a folder that is not there", { url: "http://127.0.0.1:1/x" }, undefined, "nobody answers there"],
  ["a full storage", {}, 507, "the storage is full"],
  ["a full storage behind rclone", {}, 405, "does not take the file (405): its disk may be full, or read-only"],
  ["a limit on the size", {}, 413, "no files that large"],
  ["an account that may not", {}, 403, "may not do that"],
  ["another address", {}, 302, "sends on to another address"],
])("%s is said", async (_what, change, status, words) => {
  if (status !== undefined)
    dav.fault = ({ method }) =>
      method === "PUT" ? new Response("", { status, headers: { location: "http://elsewhere.example/" } }) : undefined;
  place.putBackup(NOW - HOUR_MS);
  const { state } = await place.settle(place.start(target(change)));
  expect(state.problem).toContain(words);
  expect(state.problem).not.toContain(ACCOUNT.password);
  expect([...dav.files.keys()].filter((path) => !path.endsWith(".part"))).toEqual([]);
});

test("what comes back shorter than it was sent is no copy, and the next try makes one", async () => {
  place.putBackup(NOW - HOUR_MS);
  dav.fault = ({ method }) => (method === "GET" ? new Response("cut") : undefined);
  const remote = place.start(target());
  expect((await place.settle(remote)).state.problem).toContain("damages files");
  expect(dav.files.size).toBe(0);
  dav.fault = () => undefined;
  await place.pass(remote, 10 * 60_000);
  expect(remote.list()[0]?.state.problem).toBeNull();
});
