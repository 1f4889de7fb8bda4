// One batch of an account in each turn of the event loop, who took least first, and smaller batches where they are expensive.
import { expect, test } from "bun:test";
import { createFairScheduler, MAX_BATCH_PACKETS } from "../../../../src/reach/mqtt/broker/fair-scheduler.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../support.ts";

test("connections take turns, with timers and sockets in between", async () => {
  const scheduler = createFairScheduler(createVirtualClock());
  const order: string[] = [];
  const work = (name: string, left: number) => (): void => {
    order.push(name);
    if (left > 1) scheduler.schedule(work(name, left - 1));
  };
  scheduler.schedule(work("a", 3));
  scheduler.schedule(work("b", 3));
  scheduler.schedule(work("c", 1));
  let rounds = 0;
  const count = (): void => {
    rounds++;
    if (order.length < 7) setImmediate(count);
  };
  setImmediate(count);
  await until(() => order.length === 7);
  expect(order).toEqual(["a", "b", "c", "a", "b", "a", "b"]);
  expect(rounds).toBeGreaterThanOrEqual(7);
});

test("an account that sends little goes first, however many connections others have, and delays none of its own", async () => {
  let mono = 0;
  const scheduler = createFairScheduler({ ...createVirtualClock(), mono: () => mono });
  const order: string[] = [];
  let floods = 0;
  const begun = Promise.withResolvers<void>();
  const flood = (): void => {
    mono += 2;
    order.push("flood");
    if (floods === 20) begun.resolve();
    if (++floods < 1000) scheduler.schedule(flood, "flood");
  };
  for (let connection = 0; connection < 200; connection++) scheduler.schedule(flood, "flood");
  // Not by looking now and then: it may be over by then.
  await begun.promise;
  for (let sent = 0; sent < 5; sent++) {
    const before = floods;
    const { promise, resolve } = Promise.withResolvers<void>();
    scheduler.schedule(() => {
      mono += 1;
      resolve();
    }, "neighbour");
    await promise;
    expect(floods - before).toBeLessThanOrEqual(1);
  }
  expect(floods).toBeLessThan(1000);
});

test("an account whose packets are expensive has small batches, and others have large ones", async () => {
  let mono = 0;
  const scheduler = createFairScheduler({ ...createVirtualClock(), mono: () => mono });
  const sizes: Record<string, number[]> = { dear: [], cheap: [] };
  const work = (account: "dear" | "cheap", tookMs: number) => (): void => {
    sizes[account]?.push(scheduler.batch.packets);
    mono += tookMs;
    if ((sizes[account]?.length ?? 0) < 7) scheduler.schedule(work(account, tookMs), account);
  };
  scheduler.schedule(work("dear", 50), "dear");
  scheduler.schedule(work("cheap", 1), "cheap");
  await until(() => Object.values(sizes).every(({ length }) => length === 7));
  expect(sizes).toEqual({ dear: [32, 16, 8, 4, 2, 1, 1], cheap: Array(7).fill(32) });
});

test("batches shrink where they take long, to one packet at least, and grow again", async () => {
  let mono = 0;
  const scheduler = createFairScheduler({ ...createVirtualClock(), mono: () => mono });
  /** Batches of one connection: it schedules the next when it reads one, and then needs so long for it. */
  function batches(count: number, tookMs: number): Promise<number[]> {
    const sizes: number[] = [];
    return new Promise((resolve) => {
      function work(): void {
        sizes.push(scheduler.batch.packets);
        process.nextTick(() => {
          mono += tookMs;
          if (sizes.length < count) scheduler.schedule(work);
          // What comes later is not its cost.
          else setImmediate(() => resolve(sizes));
        });
      }
      scheduler.schedule(work);
    });
  }
  expect(await batches(8, 50)).toEqual([32, 16, 8, 4, 2, 1, 1, 1]);
  mono += 1000;
  expect(await batches(7, 3)).toEqual([1, 2, 4, 8, 16, 32, 32]);
  // The time between two batches is not their cost where the second was not scheduled at once.
  for (let n = 0; n < 5; n++) {
    mono += 1000;
    expect(await batches(1, 0)).toEqual([MAX_BATCH_PACKETS]);
  }
});

test("batches are small from the start where a packet may have many deliveries", () => {
  let deliveries = 0;
  const scheduler = createFairScheduler(createVirtualClock(), () => deliveries);
  const sizes = [0, 1, 32, 100, 1024, 50_000].map((most) => {
    deliveries = most;
    return scheduler.batch.packets;
  });
  expect(sizes).toEqual([32, 32, 32, 10, 1, 1]);
});
