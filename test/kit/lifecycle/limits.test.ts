import { expect, test } from "bun:test";
import { createLimitReports, type LimitReached } from "../../../src/kit/lifecycle/limits.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function rig() {
  const clock = createVirtualClock();
  const lines: string[] = [];
  const events: LimitReached[] = [];
  const log = { warn: (message: string) => lines.push(message) } as never;
  return { clock, lines, events, limits: createLimitReports({ clock, log, emit: (event) => events.push(event) }) };
}
const hit = { limit: "[mqtt] max_connections", account: "lamp", message: "its connections are refused" };

test("a limit reached again and again is one line, one event and one problem", () => {
  const { limits, lines, events } = rig();
  for (let time = 0; time < 10_000; time++) limits.reached(hit);
  expect(lines).toEqual(["a limit is reached"]);
  expect(events).toEqual([{ type: "limit_reached", ...hit }] as never);
  expect(limits.problems()).toEqual([hit]);
});

test("after ten minutes without it, it is no problem any more, and the next time is reported again", async () => {
  const { clock, limits, events } = rig();
  limits.reached(hit);
  await clock.advance(599_000);
  limits.reached(hit);
  await clock.advance(599_000);
  expect(limits.problems()).toEqual([hit]);
  await clock.advance(1000);
  expect(limits.problems()).toEqual([]);
  limits.reached(hit);
  expect(events).toHaveLength(2);
});

test("made-up names do not grow the list", () => {
  const { limits, lines } = rig();
  for (let n = 0; n < 5000; n++) limits.reached({ ...hit, account: `guest-${n}` });
  expect(limits.problems()).toHaveLength(201);
  expect(lines).toHaveLength(201);
});
