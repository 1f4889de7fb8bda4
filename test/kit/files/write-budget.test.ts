import { expect, test } from "bun:test";
import { NO_TROUBLE } from "../../../src/kit/files/storage-fault.ts";
import { startWriteBehind } from "../../../src/kit/files/write-behind.ts";
import { createWriteBudget } from "../../../src/kit/files/write-budget.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const MB = 1_000_000;

function rig(mbPerDay?: number) {
  const clock = createVirtualClock();
  let total = 7 * MB;
  const write = (bytes: number): void => {
    total += bytes;
  };
  const budget = createWriteBudget({
    clock,
    bytesPerDay: mbPerDay === undefined ? undefined : mbPerDay * MB,
    bytesWritten: () => total,
  });
  return { clock, budget, write };
}

/** Writes `bytes` every ten seconds of a day whenever the budget allows it. */
async function aDayOf(bytes: number, mbPerDay: number): Promise<{ bytes: number; maxWaitMs: number }> {
  const { clock, budget, write } = rig(mbPerDay);
  let waited = 0;
  let maxWaitMs = 0;
  const timer = clock.every("writer", 10_000, () => {
    waited += 10_000;
    if (!budget.allows(waited)) return;
    maxWaitMs = Math.max(maxWaitMs, waited);
    waited = 0;
    write(bytes);
  });
  for (let hour = 0; hour < 24; hour++) await clock.advance(3_600_000);
  timer[Symbol.dispose]();
  return { bytes: budget.writtenLastDay() ?? 0, maxWaitMs };
}

test("a house below its allowance is never delayed", async () => {
  expect((await aDayOf(10_000, 240)).maxWaitMs).toBe(10_000);
});

test("a house with many reports is written less often, and stays within the allowance", async () => {
  const day = await aDayOf(100_000, 240);
  expect(day.bytes).toBeLessThan(251 * MB);
  expect(day.bytes).toBeGreaterThanOrEqual(210 * MB);
  expect(day.maxWaitMs).toBeLessThanOrEqual(60_000);
});

test("nothing waits longer than ten minutes, however much was written", async () => {
  const day = await aDayOf(20 * MB, 240);
  expect(day.maxWaitMs).toBe(600_000);
});

test("a single flood does not delay writes for longer than a day", async () => {
  const { clock, budget, write } = rig(240);
  write(100_000 * MB);
  expect(budget.allows(0)).toBe(false);
  expect(budget.sparing).toBe(true);
  for (let hour = 0; hour < 25; hour++) await clock.advance(3_600_000);
  expect(budget.allows(0)).toBe(true);
  expect(budget.sparing).toBe(false);
});

test("no longer says that it spares once there is allowance again, though nobody asks to write", async () => {
  const { clock, budget, write } = rig(240);
  write(9 * MB);
  expect(budget.sparing).toBe(true);
  await clock.advance(3_600_000);
  expect(budget.sparing).toBe(false);
});

test("no hour has more than its share, also where some of it was saved before", async () => {
  const { clock, budget, write } = rig(240);
  await clock.advance(3_600_000);
  const before = budget.written() ?? 0;
  const timer = clock.every("writer", 1000, () => budget.allows(0) && write(10_000));
  await clock.advance(3_600_000);
  timer[Symbol.dispose]();
  const hour = (budget.written() ?? 0) - before;
  expect(hour).toBeLessThanOrEqual(10.01 * MB);
  expect(hour).toBeGreaterThan(9.9 * MB);
});

test("says what may be written evenly, and what was too much", async () => {
  const { clock, budget, write } = rig(240);
  expect((budget.bytesPerMs ?? 0) * 3_600_000).toBeCloseTo(9 * MB, -3);
  write(MB);
  expect(budget.debt()).toBe(0);
  write(9 * MB);
  expect(budget.debt()).toBe(9 * MB);
  await clock.advance(3_600_000);
  expect(budget.debt()).toBeCloseTo(0, -2);
  expect(rig().budget.bytesPerMs).toBeUndefined();
});

test("without a limit, and where the system does not count, nothing waits", () => {
  const free = rig();
  free.write(100_000 * MB);
  expect(free.budget.allows(0)).toBe(true);
  const uncounted = createWriteBudget({ clock: createVirtualClock(), bytesPerDay: MB, bytesWritten: () => undefined });
  expect(uncounted.allows(0)).toBe(true);
  expect(uncounted.written()).toBeUndefined();
});

test("counts the bytes written since the start, and in the last day", async () => {
  const { clock, budget, write } = rig(240);
  write(3 * MB);
  expect([budget.written(), budget.writtenLastDay()]).toEqual([10 * MB, 3 * MB]);
  for (let hour = 0; hour < 30; hour++) await clock.advance(3_600_000);
  write(MB);
  expect([budget.written(), budget.writtenLastDay()]).toEqual([11 * MB, MB]);
});

test("flushAll writes everything that waits, whatever the budget says", async () => {
  const { clock, budget, write } = rig(1);
  const written: string[] = [];
  write(100 * MB);
  const options = { clock, log: silentLog, periodMs: 1000, budget, trouble: NO_TROUBLE };
  const one = startWriteBehind<string>({ ...options, write: (items) => written.push(...items) });
  using other = startWriteBehind<string>({ ...options, write: (items) => written.push(...items) });
  one.mark("one");
  other.mark("other");
  await clock.advance(5000);
  expect(written).toEqual([]);
  budget.flushAll();
  expect(written).toEqual(["one", "other"]);
  one[Symbol.dispose]();
  one.mark("too late");
  budget.flushAll();
  expect(written).toEqual(["one", "other"]);
});
