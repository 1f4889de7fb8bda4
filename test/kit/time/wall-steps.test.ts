import { expect, test } from "bun:test";
import fc from "fast-check";
import { followWallSteps } from "../../../src/kit/time/wall-steps.ts";
import { examples } from "../../support/examples.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEAR = 365 * 24 * HOUR;

test("without a step it is the difference", async () => {
  const clock = createVirtualClock();
  using steps = followWallSteps(clock);
  const then = clock.now();
  await clock.advance(HOUR);
  expect(steps.msSince(then)).toBe(HOUR);
  expect(steps.msSince(then - HOUR)).toBe(2 * HOUR);
});

test("an hour back, ten years forward and back again: what was ten minutes ago still is", async () => {
  for (const step of [-HOUR, 10 * YEAR, -10 * YEAR, -5 * MINUTE]) {
    const clock = createVirtualClock();
    using steps = followWallSteps(clock);
    await clock.advance(3 * HOUR);
    const before = clock.now();
    await clock.advance(10 * MINUTE);
    clock.step(step);
    expect(steps.msSince(before)).toBe(10 * MINUTE);
    await clock.advance(MINUTE);
    const after = clock.now();
    await clock.advance(MINUTE);
    expect(steps.msSince(after)).toBe(MINUTE);
    clock.step(-step);
    expect(steps.msSince(after)).toBe(MINUTE);
    expect(steps.msSince(before)).toBe(12 * MINUTE);
  }
});

test("over a restart: a step forward is time that has passed, and a time in the future counts from the start", async () => {
  const clock = createVirtualClock();
  using steps = followWallSteps(clock);
  const stored = clock.now() - HOUR;
  const ahead = clock.now() + 30 * MINUTE;
  await clock.advance(MINUTE);
  expect(steps.msSince(ahead)).toBe(MINUTE);
  clock.step(2 * HOUR);
  expect(steps.msSince(stored)).toBe(3 * HOUR + MINUTE);
});

test("any steps, checked often enough: exact to one check, or shorter if the clock showed that time twice", async () => {
  const event = fc.record({
    walkMs: fc.integer({ min: 20_000, max: HOUR }),
    stepMs: fc.integer({ min: -HOUR, max: HOUR }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 6 }), async (events) => {
      const clock = createVirtualClock();
      using steps = followWallSteps(clock);
      const marks: { wall: number; mono: number }[] = [];
      for (const { walkMs, stepMs } of events) {
        await clock.advance(walkMs);
        marks.push({ wall: clock.now(), mono: clock.mono() });
        await clock.advance(11_000);
        clock.step(stepMs);
      }
      await clock.advance(11_000);
      for (const { wall, mono } of marks)
        expect(steps.msSince(wall)).toBeLessThanOrEqual(clock.mono() - mono + 10_000 + 1000 * events.length);
      const last = marks.at(-1);
      const once = events.at(-1)?.stepMs ?? 0;
      // Less than a second is no step, but a clock being slewed.
      if (last && once >= 0) expect(Math.abs(steps.msSince(last.wall) - (clock.mono() - last.mono))).toBeLessThan(1000);
    }),
    { numRuns: examples(100) },
  );
});
