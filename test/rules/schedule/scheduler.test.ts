import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { createZone } from "../../../src/kit/time/zone.ts";
import { parseCron } from "../../../src/rules/schedule/cron.ts";
import type { Schedule } from "../../../src/rules/schedule/schedule.ts";
import { type ScheduleMark, startScheduler } from "../../../src/rules/schedule/scheduler.ts";
import { examples } from "../../support/examples.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { momentsOf } from "./naive.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 5, 15, 12);
const zone = createZone("UTC");

function cron(expression: string): Schedule {
  const parsed = parseCron(expression, zone);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.schedule;
}

function createMarks(): ScheduleMark & { held: Map<string, number> } {
  const held = new Map<string, number>();
  return { held, load: (id) => held.get(id), save: (id, at) => void held.set(id, at) };
}

interface Run {
  id: string;
  at: number;
  when: number;
}

/** A hub's clock and marks, over which schedulers come and go as with restarts. */
function rig(start = NOON) {
  const clock = createVirtualClock(start);
  const mark = createMarks();
  const runs: Run[] = [];
  return {
    clock,
    mark,
    runs,
    times: () => runs.map(({ at }) => new Date(at).toISOString().slice(11, 19)),
    boot(rules: Record<string, string>, catchUpSecs?: number) {
      const scheduler = startScheduler({ clock, log: silentLog, mark });
      for (const [id, expression] of Object.entries(rules))
        scheduler.add(id, cron(expression), {
          ...(catchUpSecs !== undefined && { catchUpSecs }),
          onDue: (at) => void runs.push({ id, at, when: clock.now() }),
        });
      return scheduler;
    },
  };
}

test("runs each moment once and never early, all on one timer", async () => {
  const { clock, runs, boot } = rig(NOON + 1);
  const rules = { a: "0 */5 * * * *", b: "30 59 * * * *", c: "*/7 0 13 * * *" };
  boot(rules);
  expect(clock.pending()).toEqual(["schedules"]);
  await clock.advance(2 * HOUR);
  for (const [id, expression] of Object.entries(rules))
    expect(runs.filter((run) => run.id === id).map(({ at }) => at)).toEqual(
      momentsOf(cron(expression), NOON + 1, NOON + 1 + 2 * HOUR),
    );
  expect(runs.every(({ at, when }) => when >= at && when - at < 10)).toBe(true);
  expect(clock.pending()).toEqual(["schedules"]);
});

test("nothing runs after it is disposed, and nobody waits when there is nothing", async () => {
  const { clock, runs, boot } = rig();
  const scheduler = boot({});
  expect(clock.pending()).toEqual([]);
  const one = scheduler.add("x", cron("* * * * * *"), { onDue: (at) => void runs.push({ id: "x", at, when: at }) });
  await clock.advance(3 * SECOND);
  one[Symbol.dispose]();
  await clock.advance(MINUTE);
  expect(runs).toHaveLength(3);
  expect(clock.pending()).toEqual([]);
  scheduler.add("x", cron("* * * * * *"), { onDue: () => undefined });
  scheduler[Symbol.dispose]();
  expect(clock.pending()).toEqual([]);
});

test("one that throws, or whose schedule or mark fails, does not stop the others", async () => {
  const { clock, runs, mark, boot } = rig();
  const scheduler = boot({ good: "0 * * * * *" });
  scheduler.add("throws", cron("0 * * * * *"), {
    onDue: () => {
      throw new Error("rule failed");
    },
  });
  scheduler.add(
    "stuck",
    { next: (after) => (after > NOON + MINUTE ? after : after + 1000) },
    { onDue: () => undefined },
  );
  mark.save = () => {
    throw new Error("disk full");
  };
  await clock.advance(3 * MINUTE);
  expect(runs).toHaveLength(3);
  expect(() => scheduler.add("good", cron("0 * * * * *"), { onDue: () => undefined })).toThrow("runs already");
});

describe("over a restart", () => {
  const noon = { alarm: "0 0 12 * * *" };

  test("what fell into a short stop runs at once, and only once", async () => {
    const { clock, times, boot } = rig(NOON - 10 * SECOND);
    boot(noon)[Symbol.dispose]();
    clock.step(50 * SECOND);
    const second = boot(noon);
    await clock.advance(SECOND);
    second[Symbol.dispose]();
    boot(noon);
    await clock.advance(HOUR);
    expect(times()).toEqual(["12:00:00"]);
  });

  test("a restart right after it ran does not run it again", async () => {
    const { clock, times, boot } = rig(NOON - 10 * SECOND);
    const first = boot(noon);
    await clock.advance(10 * SECOND);
    first[Symbol.dispose]();
    boot(noon, 3600);
    await clock.advance(HOUR);
    expect(times()).toEqual(["12:00:00"]);
  });

  test("what was missed by more than a minute is not run late, unless catch_up_secs says so", async () => {
    for (const [catchUpSecs, expected] of [
      [undefined, []],
      [599, []],
      [600, ["12:00:00"]],
    ] as const) {
      const { clock, times, boot } = rig(NOON - 10 * SECOND);
      boot(noon, catchUpSecs)[Symbol.dispose]();
      clock.step(10 * MINUTE + 10 * SECOND - 1);
      boot(noon, catchUpSecs);
      await clock.advance(HOUR);
      expect(times()).toEqual([...expected]);
    }
  });

  test("of many that were missed only the last runs", async () => {
    const { clock, times, boot } = rig(NOON);
    boot({ often: "0 */10 * * * *" }, 7200)[Symbol.dispose]();
    clock.step(HOUR + 5 * MINUTE);
    boot({ often: "0 */10 * * * *" }, 7200);
    await clock.advance(SECOND);
    expect(times()).toEqual(["13:00:00"]);
  });

  test("a rule that is new, or was switched on again, does not run for what was before", async () => {
    const { clock, runs, mark, boot } = rig(NOON + 20 * SECOND);
    boot(noon, DAY / SECOND)[Symbol.dispose]();
    await clock.advance(SECOND);
    expect(runs).toEqual([]);
    mark.held.set("alarm", NOON - 5 * DAY);
    const scheduler = startScheduler({ clock, log: silentLog, mark });
    const onDue = (at: number) => void runs.push({ id: "alarm", at, when: clock.now() });
    scheduler.add("alarm", cron(noon.alarm), { catchUpSecs: 3600, since: clock.now(), onDue });
    await clock.advance(MINUTE);
    expect(runs).toEqual([]);
    expect(mark.held.get("alarm")).toBe(NOON + 21 * SECOND);
  });

  test("any sequence of short stops runs every moment exactly once", async () => {
    // Two stops with nothing between them would be one long one.
    const stop = fc.record({ up: fc.integer({ min: 1, max: 200_000 }), down: fc.integer({ min: 0, max: 59_000 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(stop, { minLength: 1, maxLength: 8 }),
        fc.constantFrom("0 * * * * *", "30 */2 * * * *", "*/10 * * * * *", "0 0 12 * * *", "59 1 12 * * *"),
        async (stops, expression) => {
          const { clock, runs, boot } = rig(NOON - 30 * SECOND);
          for (const { up, down } of stops) {
            const scheduler = boot({ rule: expression });
            await clock.advance(up);
            scheduler[Symbol.dispose]();
            clock.step(down);
          }
          boot({ rule: expression });
          await clock.advance(SECOND);
          expect(runs.map(({ at }) => at)).toEqual(momentsOf(cron(expression), NOON - 30 * SECOND, clock.now()));
          expect(runs.every(({ at, when }) => when >= at)).toBe(true);
        },
      ),
      { numRuns: examples(60) },
    );
  });

  test("whatever the stops and steps of the clock, no fixed time runs twice and none early", async () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant("run" as const), ms: fc.integer({ min: 0, max: 300_000 }) }),
      fc.record({ kind: fc.constant("step" as const), ms: fc.integer({ min: -2 * HOUR, max: 2 * HOUR }) }),
      fc.record({ kind: fc.constant("restart" as const), ms: fc.integer({ min: 0, max: 2 * HOUR }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 12 }), fc.integer({ min: 0, max: 7200 }), async (events, late) => {
        const { clock, runs, boot } = rig();
        const rules = { often: "0 0-59 0-23 * * *", rare: "0 0 0-23 * * *" };
        let scheduler = boot(rules, late);
        let net = 0;
        for (const { kind, ms } of events) {
          // Steps that add up to more than three hours back are a new clock, tested below.
          if (kind === "step" && net + ms < -2 * HOUR) continue;
          if (kind === "step") net = Math.min(0, net + ms);
          if (kind === "run") await clock.advance(ms);
          else clock.step(ms);
          if (kind !== "restart") continue;
          scheduler[Symbol.dispose]();
          scheduler = boot(rules, late);
        }
        await clock.advance(5 * MINUTE);
        const names = runs.map(({ id, at }) => `${id} ${at}`);
        expect(new Set(names).size).toBe(names.length);
        // A step forward of two hours at most, and half a minute until it is noticed.
        const latest = Math.max(2 * HOUR + 30 * SECOND, late * SECOND);
        expect(runs.every(({ at, when }) => when >= at && when - at <= latest)).toBe(true);
      }),
      { numRuns: examples(100) },
    );
  });
});

describe("when the wall clock steps", () => {
  test("years ahead: at most one run for each schedule, then as usual", async () => {
    const { clock, runs, boot } = rig(Date.UTC(2024, 0, 1));
    boot({ often: "* * * * * *", daily: "0 0 12 * * *" }, 3600);
    await clock.advance(2500);
    runs.length = 0;
    clock.step(NOON + 30 * MINUTE - clock.now());
    await clock.advance(1000);
    expect(runs.map(({ id }) => id).sort()).toEqual(["daily", "often", "often"]);
    expect(runs.find(({ id }) => id === "daily")?.at).toBe(NOON);
  });

  test("a step is noticed within half a minute", async () => {
    const { clock, times, boot } = rig(NOON);
    boot({ evening: "0 0 20 * * *" });
    await clock.advance(SECOND);
    clock.step(8 * HOUR - 10 * SECOND);
    await clock.advance(30 * SECOND);
    expect(times()).toEqual(["20:00:00"]);
  });

  test("back by an hour: fixed times do not run again until that time has passed", async () => {
    const { clock, times, boot } = rig(NOON - MINUTE);
    boot({ quarter: "0 0,15,30,45 0-23 * * *" });
    await clock.advance(31 * MINUTE);
    clock.step(-HOUR);
    await clock.advance(75 * MINUTE);
    expect(times()).toEqual(["12:00:00", "12:15:00", "12:30:00", "12:45:00"]);
  });

  test("back by an hour: what has a wildcard goes on at once, by what the clock shows", async () => {
    const { clock, times, boot } = rig(NOON - MINUTE);
    boot({ quarter: "0 */15 * * * *" });
    await clock.advance(32 * MINUTE);
    clock.step(-HOUR);
    await clock.advance(60 * MINUTE);
    expect(times().join(" ")).toBe("12:00:00 12:15:00 12:30:00 11:45:00 12:00:00 12:15:00 12:30:00");
  });

  test("forward by two hours: a fixed time that was left out runs once, soon; what has a wildcard just goes on", async () => {
    const { clock, runs, times, boot } = rig(NOON);
    boot({ fixed: "0 10,30 12,13 * * *", wild: "0 */20 * * * *" });
    await clock.advance(5 * SECOND);
    clock.step(2 * HOUR + 5 * MINUTE);
    const stepped = clock.now();
    await clock.advance(30 * SECOND);
    expect(times()).toEqual(["13:30:00"]);
    expect(runs[0]?.when).toBeLessThanOrEqual(stepped + 30 * SECOND);
    await clock.advance(20 * MINUTE);
    expect(times()).toEqual(["13:30:00", "14:20:00"]);
  });

  test("forward by more than three hours is a new clock: nothing is made up for", async () => {
    const { clock, runs, boot } = rig(NOON);
    boot({ fixed: "0 30 12 * * *", wild: "0 */20 * * * *" });
    await clock.advance(5 * SECOND);
    clock.step(3 * HOUR + 5 * MINUTE);
    await clock.advance(10 * MINUTE);
    expect(runs).toEqual([]);
  });

  test("ahead by mistake and back: what was passed over ran then, and does not come again", async () => {
    const { clock, runs, times, boot } = rig(NOON);
    boot({ later: "0 30 12 * * *" });
    await clock.advance(SECOND);
    clock.step(HOUR);
    await clock.advance(MINUTE);
    expect(times()).toEqual(["12:30:00"]);
    clock.step(-HOUR);
    await clock.advance(HOUR);
    expect(runs).toHaveLength(1);
  });

  test("ahead by a day by mistake and back: what was passed over without running comes at its time", async () => {
    const { clock, runs, times, boot } = rig(NOON);
    boot({ later: "0 30 12 * * *" });
    await clock.advance(SECOND);
    clock.step(DAY - HOUR);
    await clock.advance(MINUTE);
    expect(runs).toEqual([]);
    clock.step(-DAY + HOUR);
    await clock.advance(HOUR);
    expect(times()).toEqual(["12:30:00"]);
  });

  test("a hub that slept through a fixed time makes up for it when it wakes", async () => {
    const { clock, times, boot } = rig(NOON - 5 * SECOND);
    boot({ noon: "0 0 12 * * *", wild: "0 */10 * * * *" });
    await clock.advance(SECOND);
    clock.step(9 * MINUTE);
    await clock.advance(30 * SECOND);
    expect(times()).toEqual(["12:00:00"]);
  });

  test("back from ten years ahead: everything runs at once again, over restarts too", async () => {
    const { clock, runs, mark, boot } = rig(Date.UTC(2036, 0, 1));
    const rules = { minute: "0 * * * * *", noon: "0 0 12 * * *" };
    const first = boot(rules);
    await clock.advance(DAY);
    runs.length = 0;
    clock.step(NOON - MINUTE - clock.now());
    await clock.advance(2 * MINUTE);
    expect(runs.map(({ id }) => id).sort()).toEqual(["minute", "minute", "noon"]);
    first[Symbol.dispose]();
    mark.held.set("noon", Date.UTC(2036, 0, 2));
    boot(rules);
    await clock.advance(MINUTE);
    expect(runs).toHaveLength(4);
  });

  test("a Pi that wakes up years back and then learns the time does not repeat what ran before the restart", async () => {
    const { clock, times, boot } = rig(NOON - MINUTE);
    const first = boot({ noon: "0 0 12 * * *" }, 7200);
    await clock.advance(2 * MINUTE);
    first[Symbol.dispose]();
    clock.step(Date.UTC(2024, 0, 1) - clock.now());
    boot({ noon: "0 0 12 * * *" }, 7200);
    await clock.advance(20 * SECOND);
    clock.step(NOON + 5 * MINUTE - clock.now());
    await clock.advance(HOUR);
    expect(times()).toEqual(["12:00:00"]);
  });
});

test("five thousand schedules are added and run in bounded time", async () => {
  const { clock, runs, boot } = rig(NOON + SECOND);
  const rules = Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [`rule-${index}`, `${index % 60} ${(index >> 6) % 60} * * * *`]),
  );
  boot(rules);
  await clock.advance(HOUR);
  expect(runs).toHaveLength(5000);
  expect(new Set(runs.map(({ id }) => id)).size).toBe(5000);
});
