import { expect, test } from "bun:test";
import { createExportRig } from "./export-rig.ts";
import { startLineServer } from "./line-server.ts";

const to = (url: string, more: object = {}) => ({ name: "tsdb", kind: "line_protocol", url, ...more });

test("what is recorded gets there, with its tags, types and times", async () => {
  await using rig = await createExportRig();
  using server = startLineServer();
  const exports = await rig.start(to(server.url));
  const at = rig.history.clock.now();
  rig.history.report("lamp", { on: true, brightness_pct: 40, effect: "rainbow", color: { r: 1 }, pin_code: 1234 });
  await rig.pass("the line arrives", () => server.lines.length > 0);
  expect(server.lines).toEqual([`hub,area=kitchen,device=lamp,plugin=zigbee on=t,brightness_pct=40 ${at}`]);
  expect(server.requests[0]?.path).toBe("/write?precision=ms");
  await rig.pass("it is counted", () => exports.list()[0]?.sent === 2);
  expect(exports.list()[0]).toMatchObject({ state: "running", dropped: 0, lost: 0, problem: undefined });
});

test("an hour without the service loses nothing and doubles nothing", async () => {
  await using rig = await createExportRig();
  using server = startLineServer();
  const exports = await rig.start(to(server.url));
  let isAway = true;
  server.answer = () => (isAway ? new Response("starting", { status: 503 }) : undefined);
  for (let minute = 0; minute < 60; minute++) {
    rig.history.report("meter", { watts: minute });
    await rig.history.clock.advance(60_000);
  }
  expect(server.lines).toEqual([]);
  expect(exports.list()[0]).toMatchObject({ state: "failing" });
  expect(exports.problems()[0]).toMatchObject({ name: "tsdb", lagMinutes: 60 });
  // After a minute or so it asks at most every five minutes, with jitter.
  expect(server.requests.length).toBeLessThan(30);
  isAway = false;
  await rig.pass("all are there", () => server.lines.length >= 60, 10_000);
  expect(server.lines.map((line) => Number(/watts=(\d+)/.exec(line)?.[1]))).toEqual(
    Array.from({ length: 60 }, (_, n) => n),
  );
  // It notes how far it is when the answer has come.
  await rig.pass("it is up to date", () => exports.problems()[0]?.lagMinutes === undefined);
  expect(exports.problems()[0]).toMatchObject({ lagMinutes: undefined, lost: 0 });
});
