import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { ANSWER_MS } from "../../../src/reach/export/sender.ts";
import { createExportRig, type ExportRig } from "./export-rig.ts";
import { startLineServer } from "./line-server.ts";

const DAY_MS = 86_400_000;
const to = (url: string, more: object = {}) => ({ name: "tsdb", kind: "line_protocol", url, ...more });
const numbersIn = (lines: readonly string[]): number[] =>
  lines.flatMap((line) => (/ n=(\d+)/.exec(line)?.slice(1) ?? []).map(Number));
const upTo = (count: number): number[] => Array.from({ length: count }, (_, number) => number);
const distinct = (lines: readonly string[]): number[] => [...new Set(numbersIn(lines))].sort((a, b) => a - b);

/** One number a second. */
async function count(rig: ExportRig, from: number, until: number): Promise<void> {
  for (let n = from; n < until; n++) {
    rig.history.report("meter", { n });
    await rig.history.clock.advance(1000);
  }
}

test("a value that is refused is dropped and counted, and does not hold back the others", async () => {
  await using rig = await createExportRig();
  using server = startLineServer();
  server.answer = (lines) =>
    lines.some((line) => line.includes("bad=")) ? new Response("field type conflict", { status: 400 }) : undefined;
  const exports = await rig.start(to(server.url));
  await count(rig, 0, 3);
  rig.history.report("broken", { bad: 7, good: 1 });
  await count(rig, 3, 20);
  await rig.pass("all are there", () => distinct(server.lines).length === 20 && exports.list()[0]?.dropped === 1);
  expect(server.lines.some((line) => line.includes("device=broken,plugin=zigbee good=1"))).toBe(true);
  expect(exports.list()[0]).toMatchObject({ state: "running", dropped: 1 });
  expect(rig.log()).toContain('"attribute":"bad"');
  const requests = server.requests.length;
  rig.history.report("broken", { bad: 8 });
  await rig.pass("it is counted", () => exports.list()[0]?.dropped === 2);
  // It is known by now: nothing is sent to find it again.
  expect(server.requests.length).toBe(requests);
  expect(exports.problems()[0]).toMatchObject({ lost: 2 });
});

test("InfluxDB takes the rest of a batch by itself: what it says it dropped is counted", async () => {
  await using rig = await createExportRig();
  using server = startLineServer();
  const text = '{"error":"partial write: field type conflict: input field \\"n\\" dropped=1"}';
  server.answer = () => new Response(text, { status: 400 });
  const exports = await rig.start(to(server.url));
  await count(rig, 0, 1);
  await rig.pass("it goes on", () => exports.list()[0]?.dropped === 1);
  expect(server.requests.length).toBe(1);
});

test.each([
  [401, "", "does not accept the token"],
  [403, '{"error":"no rights"}', "does not let this token write: no rights"],
  [404, '{"error":"bucket not found"}', 'has no such bucket as "b", or org, or path: bucket not found'],
  [200, "<html>router</html>", "does not take line protocol: see url"],
  [301, "", "sends the hub elsewhere (301)"],
])("what a person must mend is said: %p", async (status, body, says) => {
  await using rig = await createExportRig();
  using server = startLineServer();
  let isWrong = true;
  server.answer = () => (isWrong ? new Response(body, { status, headers: { location: "/elsewhere" } }) : undefined);
  const exports = await rig.start(to(server.url, { bucket: "b", org: "o", token: "s3cret" }));
  await count(rig, 0, 2);
  await rig.pass("it says so", () => exports.list()[0]?.problem !== undefined);
  expect(exports.list()[0]?.problem).toContain(says);
  expect(server.requests[0]?.headers.get("authorization")).toBe("Token s3cret");
  expect(rig.log() + JSON.stringify(exports.list())).not.toContain("s3cret");
  isWrong = false;
  await rig.pass("all are there", () => exports.list()[0]?.sent === 2, 10_000);
  expect(distinct(server.lines)).toEqual([0, 1]);
  expect(exports.list()[0]).toMatchObject({ state: "running", problem: undefined });
});

test("a service that accepts and never answers is given up after half a minute, and tried again", async () => {
  await using rig = await createExportRig();
  using server = startLineServer();
  const never = Promise.withResolvers<undefined>();
  server.answer = () => never.promise;
  const exports = await rig.start(to(server.url));
  await count(rig, 0, 3);
  await rig.pass("it has asked", () => server.requests.length > 0);
  await rig.pass("it gives up", () => exports.list()[0]?.problem !== undefined, ANSWER_MS / 4);
  expect(exports.list()[0]?.problem).toContain("does not answer");
  server.answer = () => undefined;
  await rig.pass("all are there", () => distinct(server.lines).length === 3, 10_000);
  never.resolve(undefined);
});

test("a restart goes on where it was; nothing is missing where the service took more than was noted", async () => {
  await using rig = await createExportRig();
  using server = startLineServer();
  await rig.start(to(server.url));
  await count(rig, 0, 10);
  await rig.pass("ten are there", () => distinct(server.lines).length === 10);
  // It is away while the next are recorded, and the export is stopped in the meantime.
  server.answer = () => new Response("", { status: 503 });
  await count(rig, 10, 20);
  server.answer = () => undefined;
  const exports = await rig.start(to(server.url));
  await rig.pass("all are there", () => exports.list()[0]?.sent === 20, 10_000);
  expect(distinct(server.lines)).toEqual(upTo(20));
  expect(exports.list()[0]).toMatchObject({ sent: 20, lost: 0 });
});

test("a clock that is set back by hours loses nothing; set right again, the past is not sent again", async () => {
  await using rig = await createExportRig();
  using server = startLineServer();
  const exports = await rig.start(to(server.url));
  const { clock } = rig.history;
  await count(rig, 0, 10);
  await rig.pass("ten are there", () => distinct(server.lines).length === 10);
  clock.step(-6 * 3_600_000);
  await count(rig, 10, 40);
  await rig.pass("those before the step are there as well", () => distinct(server.lines).length === 40);
  clock.step(30 * 3_600_000);
  await count(rig, 40, 50);
  await rig.pass("and those after it", () => distinct(server.lines).length === 50);
  expect(distinct(server.lines)).toEqual(upTo(50));
  expect(server.lines.length).toBe(50);
  expect(exports.list()[0]).toMatchObject({ backfills: [], lost: 0 });
});

test("what the history removes before it could be sent is counted, and people are notified", async () => {
  await using rig = await createExportRig();
  using server = startLineServer();
  server.answer = () => new Response("", { status: 503 });
  const exports = await rig.start(to(server.url));
  const { clock, history } = rig.history;
  await count(rig, 0, 5);
  await history.flush();
  // The hub removes what is older than 30 days, once an hour, a day at a time.
  for (let day = 0; day < 33; day++) {
    clock.step(DAY_MS - 3_600_000);
    rig.history.report("meter", { day });
    await clock.advance(3_600_000);
    await history.flush();
  }
  await rig.pass("it is noticed", () => (exports.list()[0]?.lost ?? 0) >= 5, 60_000);
  expect(exports.problems()[0]?.lost).toBeGreaterThanOrEqual(5);
  expect(rig.log()).toContain("removed samples before they could be exported");
});

test("backfill sends what was recorded before the export was there", async () => {
  await using rig = await createExportRig();
  using server = startLineServer();
  await count(rig, 0, 20);
  const from = rig.history.clock.now();
  await count(rig, 20, 30);
  const exports = await rig.start(to(server.url));
  await rig.history.clock.advance(10_000);
  await exports.backfill("tsdb", { from });
  await rig.pass("the later ten are there", () => distinct(server.lines).length === 10);
  await exports.backfill("tsdb", {});
  await rig.pass("all are there", () => distinct(server.lines).length === 30);
  await rig.pass("no backfill is under way", () => exports.list()[0]?.backfills.length === 0);
  expect(exports.backfill("other", {})).rejects.toThrow("no export");
});

test("a hundred thousand samples waiting go in batches, none of them too large", async () => {
  await using rig = await createExportRig();
  using server = startLineServer();
  let isAway = true;
  server.answer = () => (isAway ? new Response("", { status: 503 }) : undefined);
  const exports = await rig.start(to(server.url));
  for (let n = 0; n < 100_000; n++) {
    rig.history.report(`m${n % 50}`, { n });
    if (n % 1000 === 999) await rig.history.clock.advance(250);
    if (n % 20_000 === 19_999) await rig.history.history.flush();
  }
  isAway = false;
  await rig.pass("all are there", () => (exports.list()[0]?.sent ?? 0) >= 100_000, 2000);
  const sent = server.lines.flatMap((line) => [...line.matchAll(/ n=(\d+)/g)].map(([, n]) => Number(n)));
  expect(exports.list()[0]).toMatchObject({ lost: 0, dropped: 0 });
  expect(Math.max(...server.requests.map(({ lines }) => lines))).toBeLessThanOrEqual(5000);
  // Of those within one millisecond line protocol has the last.
  expect(new Set(sent).size).toBe(sent.length);
  expect(new Set(sent).has(99_999)).toBe(true);
});

test("one that gives its answer compressed, or endless, is understood or left", async () => {
  await using rig = await createExportRig();
  using server = startLineServer();
  const exports = await rig.start(to(server.url));
  const answers = [
    new Response(gzipSync('{"error":"no such token"}'), { status: 403, headers: { "content-encoding": "gzip" } }),
    new Response("x".repeat(20_000_000), { status: 500 }),
  ];
  server.answer = () => answers.shift();
  await count(rig, 0, 2);
  await rig.pass("all are there", () => exports.list()[0]?.sent === 2, 2000);
  expect(rig.log()).toContain("no such token");
});
