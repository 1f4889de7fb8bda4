// Moments that survive restarts: which clock counts when.
import { expect, test } from "bun:test";
import { momentNow, msSince, restoreMoment } from "../../../src/kit/time/durable-moment.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const HOUR = 3_600_000;

test("of this run, the monotonic clock counts, wherever the wall clock is set", async () => {
  for (const step of [-HOUR, HOUR]) {
    const clock = createVirtualClock();
    const moment = momentNow(clock);
    clock.step(step);
    await clock.advance(1000);
    expect(msSince(clock, moment)).toBe(1000);
  }
});

test("restored, the time while the hub was off counts", async () => {
  const clock = createVirtualClock();
  const moment = restoreMoment(clock, clock.now() - HOUR);
  await clock.advance(1000);
  expect(msSince(clock, moment)).toBe(HOUR + 1000);
});

test("restored in the future, it counts from now", async () => {
  const clock = createVirtualClock();
  const moment = restoreMoment(clock, clock.now() + HOUR);
  expect(msSince(clock, moment)).toBe(0);
  await clock.advance(1000);
  expect(msSince(clock, moment)).toBe(1000);
});

test("restored, a step forward is time that passed, and a step back is not", () => {
  const clock = createVirtualClock();
  const moment = restoreMoment(clock, clock.now() - 1000);
  clock.step(-HOUR);
  expect(msSince(clock, moment)).toBe(1000);
  clock.step(2 * HOUR);
  expect(msSince(clock, moment)).toBe(HOUR + 1000);
});
