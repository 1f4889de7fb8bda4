// Copies in an S3 bucket: a real server on this machine that checks signatures. Each test has a server and a home of its own: they wait
// for threads, and for each other's only if they run one after the other.
// Over 10 s: each archive has a key that takes long to derive on purpose, and is made and read in threads of its own.
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { createCertificates } from "../../../reach/notify/certificates.ts";
import { failure, type S3Server, s3Target, startS3Server } from "../../../support/s3-server.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { until } from "../../../support/wait.ts";
import { NOW } from "../archive/archive-place.ts";
import { HOUSE, openPlace } from "./place.ts";

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;

const keysOf = ({ objects }: S3Server): string[] => [...objects.keys()].sort();

test.concurrent("a backup is copied, read back, fetched as a whole and proven, and copied once only", async () => {
  await using s3 = startS3Server();
  await using place = openPlace();
  const path = await place.makeBackup(NOW - HOUR_MS);
  const remote = place.start(s3Target(s3, { prefix: "our house/backups" }));
  const { state } = await place.settle(remote);
  expect(state).toMatchObject({ problem: null, check_problem: null, last_success: "2026-11-21T03:01:00Z" });
  expect(keysOf(s3)).toHaveLength(1);
  const [key = ""] = keysOf(s3);
  expect(key).toMatch(/^our house\/backups\/hub-abcdefghij\/hub-backup-2026-11-21T02-00-00Z-[a-z2-9]{6}\.zip\.age$/);
  expect(Buffer.from(s3.objects.get(key) ?? []).equals(Buffer.from(await Bun.file(path).arrayBuffer()))).toBe(true);
  expect(state.checked_copy).toBe(state.copies[0]?.name ?? "");
  expect(Object.keys(state.verified)).toEqual([state.copies[0]?.name ?? ""]);
  expect(place.events).toEqual([expect.objectContaining({ type: "backup_copied", target: "bucket" })]);
  s3.requests.length = 0;
  remote.sync();
  await until("it looked again", () => remote.list().every(({ doing }) => doing === "idle"));
  expect(s3.requests.filter((request) => request.startsWith("PUT"))).toEqual([]);
});

test.concurrent("an outage of hours is one event; then all that was missed is copied, the newest first", async () => {
  await using s3 = startS3Server();
  await using place = openPlace();
  place.putBackup(NOW - DAY_MS);
  place.putBackup(NOW - HOUR_MS);
  s3.fault = () => failure(503, "SlowDown");
  const remote = place.start(s3Target(s3));
  await place.settle(remote);
  await place.pass(remote, 3 * HOUR_MS);
  expect(s3.requests.length).toBeLessThan(15);
  s3.requests.length = 0;
  await place.pass(remote, 3 * HOUR_MS);
  expect(remote.list()[0]?.state).toMatchObject({
    ...{ failing_since: "2026-11-21T03:01:00Z", problem: expect.stringContaining("SlowDown") },
  });
  expect(place.events.map(({ type }) => type)).toEqual(["backup_copy_failed"]);
  // Once an hour at the end, a quarter of it more or less.
  expect(s3.requests.length).toBeWithin(2, 6);
  s3.fault = () => undefined;
  await place.pass(remote, 2 * HOUR_MS);
  expect(remote.list()[0]?.state.problem).toBeNull();
  expect(place.events.slice(1).map((event) => ("name" in event ? String(event.name).slice(11, 30) : ""))).toEqual([
    "2026-11-21T02-00-00",
    "2026-11-20T03-00-00",
  ]);
});

test.concurrent.each([
  ["access_key_id", { access_key_id: "WRONG" }, "does not know this access_key_id"],
  ["secret", { secret_access_key: "a wrong secret" }, "secret_access_key is wrong"],
  ["bucket", { bucket: "elsewhere" }, "there is no such bucket"],
  ["port", { endpoint: "http://127.0.0.1:1" }, "nobody answers there"],
])("what is wrong with the %s is said, without the secret", async (_what, change, words) => {
  await using s3 = startS3Server();
  await using place = openPlace();
  place.putBackup(NOW - HOUR_MS);
  const remote = place.start(s3Target(s3, change));
  const { state } = await place.settle(remote);
  expect(state.problem).toContain(words);
  expect(state.problem).not.toContain("secret of");
  await expect(remote.test("bucket")).rejects.toThrow(words);
});

test.concurrent("a copy that was removed by hand comes back; one that is damaged on the way is not kept", async () => {
  await using s3 = startS3Server();
  await using place = openPlace();
  place.putBackup(NOW - HOUR_MS);
  const remote = place.start(s3Target(s3));
  await place.settle(remote);
  s3.objects.clear();
  remote.sync();
  await until("it is back", () => keysOf(s3).length === 1 && remote.list()[0]?.doing === "idle");
  place.putBackup(NOW, "another");
  s3.fault = (request, url) =>
    request.method === "GET" && url.pathname.includes("T03-00-00Z") ? new Response("spoilt") : undefined;
  remote.sync();
  await until("it failed", () => remote.list()[0]?.state.problem);
  expect(remote.list()[0]?.state.problem).toContain("damages files");
  expect(keysOf(s3)).toHaveLength(1);
});

test.concurrent("a service that takes the request and says nothing is given up after ten minutes; the hub stops at once", async () => {
  await using s3 = startS3Server();
  await using place = openPlace();
  place.putBackup(NOW - HOUR_MS);
  let held = 0;
  s3.fault = () => {
    held++;
    return new Promise<Response>(() => {});
  };
  const remote = place.start(s3Target(s3));
  await place.clock.advance(2 * 60_000);
  await until("it waits", () => held);
  // In steps that are shorter than the pause before it tries again.
  await until("it is given up", async () => {
    await place.clock.advance(10_000);
    return remote.list()[0]?.state.problem;
  });
  expect(remote.list()[0]?.state.problem).toBe("nothing moved for 10 minutes");
  // Its thread ends first, in real time.
  await until("it waits again", async () => {
    await place.clock.advance(10_000);
    return held > 1;
  });
  await remote[Symbol.asyncDispose]();
});

test.concurrent("a bucket without a prefix takes two houses, and each keeps its hands off the other's", async () => {
  await using s3 = startS3Server();
  await using place = openPlace();
  const other = "hub-zzzzzzzzzz/hub-backup-2020-01-01T00-00-00Z-zzzzzz.zip.age";
  for (const key of [other, `${HOUSE}/notes.txt`, "hub-backup-2020-01-01T00-00-00Z-zzzzzz.zip.age"])
    s3.objects.set(key, new Uint8Array(3));
  for (let day = 1; day <= 3; day++) place.putBackup(NOW - day * DAY_MS);
  const remote = place.start(s3Target(s3, { keep_daily: 2, keep_weekly: 0, keep_monthly: 0 }));
  await place.settle(remote);
  expect(keysOf(s3)).toHaveLength(5);
  place.putBackup(NOW);
  remote.sync();
  await until(
    "it looked again",
    () => keysOf(s3).some((key) => key.includes("11-21T03")) && remote.list()[0]?.doing === "idle",
  );
  expect(keysOf(s3).filter((key) => key.includes("2026"))).toEqual([
    expect.stringContaining("2026-11-20T03"),
    expect.stringContaining("2026-11-21T03"),
  ]);
  expect(keysOf(s3)).toEqual(expect.arrayContaining([other, `${HOUSE}/notes.txt`]));
});

test.concurrent("backups that are not encrypted stay here, unless that is asked for", async () => {
  await using s3 = startS3Server();
  await using place = openPlace();
  rmSync(place.home.resolve("backups"), { recursive: true });
  await Bun.write(place.home.resolve("backups/hub-backup-2026-11-21T02-00-00Z.zip"), "plain");
  const remote = place.start(s3Target(s3), s3Target(s3, { name: "open", prefix: "open", allow_unencrypted: true }));
  await place.settle(remote);
  expect(keysOf(s3)).toEqual([expect.stringMatching(/^open\/.*\.zip$/)]);
});

test.concurrent("a large one goes in parts; what was cut off is gone on with, and what a killed hub left is given up", async () => {
  await using s3 = startS3Server();
  await using place = openPlace();
  const content = crypto.getRandomValues(new Uint8Array(60_000));
  const large = Buffer.concat(Array.from({ length: 420 }, () => content));
  place.putBackup(NOW - HOUR_MS, large);
  const numberIn = (url: string): string | undefined => /partNumber=(\d+)/.exec(url)?.[1];
  s3.fault = (_request, url) => (numberIn(url.search) === "3" ? failure(500, "InternalError") : undefined);
  const remote = place.start(s3Target(s3));
  expect((await place.settle(remote)).state.problem).toContain("InternalError");
  expect(keysOf(s3)).toEqual([]);
  expect([...s3.uploads]).toHaveLength(1);
  const [id = ""] = s3.uploads.keys();
  expect([...(s3.parts.get(id)?.keys() ?? [])]).toEqual([1, 2]);
  // One of them was damaged there.
  s3.parts.get(id)?.set(2, new Uint8Array(8 * 1024 * 1024));
  // As a hub that was killed leaves it: Bun would have given it up.
  const tag = /-([a-z2-9]{6})\.zip/.exec(s3.requests.find((request) => request.startsWith("POST")) ?? "")?.[1];
  s3.uploads.set("left-over", `${HOUSE}/hub-backup-2026-11-20T02-00-00Z-${tag}.zip.age`);
  s3.uploads.set("of-another-hub", `${HOUSE}/hub-backup-2026-11-20T02-00-00Z-zzzzzz.zip.age`);
  s3.requests.length = 0;
  s3.fault = () => undefined;
  await place.pass(remote, 10 * 60_000);
  expect(remote.list()[0]?.state.problem).toBeNull();
  // Parts that are there and right are not sent again.
  expect(s3.requests.flatMap((request) => (request.startsWith("PUT") ? (numberIn(request) ?? []) : []))).toEqual([
    ...["2", "3", "4"],
  ]);
  expect(keysOf(s3)).toHaveLength(1);
  expect(large.equals(Buffer.from(s3.objects.get(keysOf(s3)[0] ?? "") ?? []))).toBe(true);
  expect([...s3.uploads.keys()]).toEqual(["of-another-hub"]);
});

test.concurrent("the bucket may be a part of the host", async () => {
  await using s3 = startS3Server();
  await using place = openPlace();
  place.putBackup(NOW - HOUR_MS);
  const endpoint = s3.endpoint.replace("127.0.0.1", "localhost");
  const remote = place.start(s3Target(s3, { endpoint, path_style: false, prefix: "a+b/ü" }));
  expect((await place.settle(remote)).state.problem).toBeNull();
  expect(keysOf(s3)).toEqual([expect.stringMatching(/^a\+b\/ü\/hub-abcdefghij\/hub-backup-/)]);
  expect(s3.requests.every((request) => !request.includes("/house"))).toBe(true);
  await remote.test("bucket");
});

test.concurrent("a service with an authority of its own is trusted by tls_ca, and by nothing else", async () => {
  await using place = openPlace();
  place.putBackup(NOW - HOUR_MS);
  using folder = createTemporaryFolder();
  const { authority, key, cert } = createCertificates(folder);
  await using secure = startS3Server({ key, cert });
  await Bun.write(place.home.resolve("config/ca.pem"), Bun.file(authority));
  const endpoint = secure.endpoint.replace("127.0.0.1", "localhost");
  const at = (more: object = {}) => s3Target({ endpoint }, { ...more });
  const bare = place.start(at());
  expect((await place.settle(bare)).state.problem).toMatch(/certificate.*name that as tls_ca/);
  await bare[Symbol.asyncDispose]();
  const missing = place.start(at({ name: "missing", tls_ca: "config/none.pem" }));
  await expect(missing.test("missing")).rejects.toThrow("tls_ca cannot be read");
  await missing[Symbol.asyncDispose]();
  const trusting = place.start(at({ name: "trusting", tls_ca: "config/ca.pem" }));
  await trusting.test("trusting");
  expect((await place.settle(trusting)).state.problem).toBeNull();
  expect(secure.objects.size).toBe(1);
});
