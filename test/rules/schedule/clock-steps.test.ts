// The scheduler over steps of the wall clock, against a model of Debian's cron.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import type { Clock } from "../../../src/kit/time/clock.ts";
import { createZone } from "../../../src/kit/time/zone.ts";
import { parseCron } from "../../../src/rules/schedule/cron.ts";
import type { ScheduleResult } from "../../../src/rules/schedule/schedule.ts";
import { parsePeriodic } from "../../../src/rules/schedule/schedule.ts";
import { startScheduler } from "../../../src/rules/schedule/scheduler.ts";
import { examples } from "../../support/examples.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";
import { type CronJob, createDebianCron } from "./debian-cron.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
// In the last half of a minute: the scheduler looks every 30 s, and so sees a step where Debian's cron does, at the next minute.
const START = Date.UTC(2026, 5, 15, 10, 30, 45);
const zone = createZone("UTC");

const all = (most: number): ReadonlySet<number> => new Set(Array.from({ length: most }, (_, number) => number));
const JOBS: Record<string, CronJob> = {
  "0 * * * * *": { minutes: all(60), hours: all(24), wild: true },
  "0 */7 * * * *": { minutes: new Set([0, 7, 14, 21, 28, 35, 42, 49, 56]), hours: all(24), wild: true },
  "0 5 * * * *": { minutes: new Set([5]), hours: all(24), wild: true },
  "0 */20 11 * * *": { minutes: new Set([0, 20, 40]), hours: new Set([11]), wild: true },
  "0 30 */2 * * *": {
    minutes: new Set([30]),
    hours: new Set([...all(24)].filter((hour) => hour % 2 === 0)),
    wild: true,
  },
  "0 30 11 * * *": { minutes: new Set([30]), hours: new Set([11]), wild: false },
  "0 0,20,40 9-13 * * *": { minutes: new Set([0, 20, 40]), hours: new Set([9, 10, 11, 12, 13]), wild: false },
  "0 0-59 0-23 * * *": { minutes: all(60), hours: all(24), wild: false },
};

function scheduleOf(result: ScheduleResult) {
  if (!result.ok) throw new Error(result.problem);
  return result.schedule;
}

/** Timers of the machine are a little late. */
function lateBy(ms: number, clock: VirtualClock): Clock {
  return { ...clock, after: (name, wait, fn) => clock.after(name, wait + ms, fn) };
}

const minutes = (min: number, max: number) => fc.integer({ min, max }).map((count) => count * MINUTE);
const walk = fc.record({ kind: fc.constant("run" as const), ms: minutes(1, 90) });
const step = fc.record({
  kind: fc.constant("step" as const),
  // A minute less would be a wildcard's moment twice within one: tested below.
  ms: fc.oneof(
    minutes(-170, -2),
    minutes(2, 170),
    minutes(-600, -190),
    minutes(190, 600),
    fc.constantFrom(10 * YEAR, -10 * YEAR, -HOUR, HOUR),
  ),
});

test("whatever the steps of the clock, cron jobs run as Debian's cron runs them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(walk, step), { maxLength: 10 }), async (events) => {
      const clock = createVirtualClock(START);
      const scheduler = startScheduler({
        clock: lateBy(3, clock),
        log: silentLog,
        mark: { load: () => undefined, save() {} },
      });
      const runs: Record<string, number[]> = {};
      const expected: Record<string, number[]> = {};
      const models = Object.entries(JOBS).map(([id, job]) => ({ id, cron: createDebianCron(job, START) }));
      for (const id of Object.keys(JOBS)) {
        runs[id] = [];
        expected[id] = [];
        scheduler.add(id, scheduleOf(parseCron(id, zone)), { onDue: (at) => void runs[id]?.push(at) });
      }
      for (const { kind, ms } of [...events, { kind: "run" as const, ms: 30 * MINUTE }]) {
        if (kind === "step") clock.step(ms);
        else {
          // Always at :45, so that a minute begins a quarter of a minute after the step.
          for (let passed = 0; passed < ms; passed += MINUTE) {
            const minute = clock.now() + passed + 15 * SECOND;
            for (const { id, cron } of models) expected[id]?.push(...cron.look(minute));
          }
          await clock.advance(ms);
        }
      }
      scheduler[Symbol.dispose]();
      fc.pre(!models.some(({ cron }) => cron.doubtful));
      expect(runs).toEqual(expected);
    }),
    { numRuns: examples(150) },
  );
}, 120_000);

test("whatever the steps, what repeats keeps its pace: no two beats within half of one, none after more than one and a half", async () => {
  const anyStep = fc.oneof(
    fc.integer({ min: -3 * HOUR, max: 3 * HOUR }),
    fc.integer({ min: -90 * SECOND, max: 90 * SECOND }),
    fc.constantFrom(-10 * YEAR, 10 * YEAR),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(5, 30, 60, 300, 1800, 5400),
      fc.array(fc.record({ walkMs: fc.integer({ min: 31_000, max: 3 * HOUR }), stepMs: anyStep }), {
        minLength: 1,
        maxLength: 5,
      }),
      async (everySecs, events) => {
        const clock = createVirtualClock(START);
        const scheduler = startScheduler({ clock, log: silentLog, mark: { load: () => undefined, save() {} } });
        const beats: number[] = [];
        scheduler.add("beat", scheduleOf(parsePeriodic({ everySecs }, zone)), {
          onDue: () => void beats.push(clock.mono()),
        });
        for (const { walkMs, stepMs } of events) {
          await clock.advance(Math.min(walkMs, 40 * everySecs * SECOND));
          clock.step(stepMs);
        }
        await clock.advance(3 * everySecs * SECOND + MINUTE);
        scheduler[Symbol.dispose]();
        const gaps = [0, ...beats].map((at, index) => (beats[index] ?? clock.mono()) - at).slice(1);
        const everyMs = everySecs * SECOND;
        expect(Math.min(...gaps.slice(0, -1), everyMs)).toBeGreaterThanOrEqual(everyMs / 2);
        // A step may cost half a beat, and half a minute until it is noticed.
        expect(Math.max(...gaps)).toBeLessThanOrEqual(1.5 * everyMs + 31 * SECOND);
      },
    ),
    { numRuns: examples(150) },
  );
}, 120_000);

test("a clock put back by seconds lets nothing run twice, and holds nothing up for more than a minute", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("* * * * * *", "*/10 * * * * *", "0 * * * * *", "0 */5 * * * *", "0 0 * * * *"),
      fc.integer({ min: -20_000, max: -1 }),
      fc.integer({ min: 0, max: 3 * MINUTE }),
      async (expression, stepMs, whenMs) => {
        const clock = createVirtualClock(Date.UTC(2026, 5, 15, 10, 59));
        const scheduler = startScheduler({ clock, log: silentLog, mark: { load: () => undefined, save() {} } });
        const runs: { at: number; mono: number }[] = [];
        const schedule = scheduleOf(parseCron(expression, zone));
        scheduler.add("job", schedule, { onDue: (at) => void runs.push({ at, mono: clock.mono() }) });
        await clock.advance(whenMs);
        clock.step(stepMs);
        await clock.advance(2 * HOUR);
        scheduler[Symbol.dispose]();
        const first = schedule.next(START) ?? 0;
        const usual = (schedule.next(first) ?? 0) - first;
        const gaps = runs.slice(1).map(({ mono }, index) => mono - (runs[index]?.mono ?? 0));
        expect(Math.min(...gaps)).toBeGreaterThanOrEqual(Math.min(usual / 2, MINUTE) - 1);
        expect(Math.max(...gaps)).toBeLessThanOrEqual(usual + MINUTE);
        if (usual >= MINUTE) expect(new Set(runs.map(({ at }) => at)).size).toBe(runs.length);
      },
    ),
    { numRuns: examples(150) },
  );
}, 120_000);

test("a Pi that wakes up years in the past: it runs by that clock, and when it is put right nothing of the years", async () => {
  const clock = createVirtualClock(START - 8 * YEAR);
  const runs: string[] = [];
  const scheduler = startScheduler({ clock, log: silentLog, mark: { load: () => START - DAY, save() {} } });
  for (const id of ["0 * * * * *", "0 31 10 * * *", "0 0 4 * * *"]) {
    scheduler.add(id, scheduleOf(parseCron(id, zone)), {
      catchUpSecs: id === "0 0 4 * * *" ? 12 * 3600 : 0,
      onDue: (at) => void runs.push(`${id} ${new Date(at).toISOString().slice(0, 16)}`),
    });
  }
  await clock.advance(2 * MINUTE);
  const past = new Date(START - 8 * YEAR).toISOString().slice(0, 10);
  expect(runs.sort()).toEqual([
    `0 * * * * * ${past}T10:31`,
    `0 * * * * * ${past}T10:32`,
    `0 31 10 * * * ${past}T10:31`,
  ]);
  runs.length = 0;
  clock.step(8 * YEAR);
  await clock.advance(2 * MINUTE);
  // What says so itself is made up for: it was missed while the machine was off.
  expect(runs.sort()).toEqual([
    "0 * * * * * 2026-06-15T10:33",
    "0 * * * * * 2026-06-15T10:34",
    "0 0 4 * * * 2026-06-15T04:00",
  ]);
});
