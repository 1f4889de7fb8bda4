// Small parts of the kit: ring buffer, backoff, ids, bus, clock.
import { describe, expect, test } from "bun:test";
import { createBus } from "../../src/kit/lifecycle/bus.ts";
import { within } from "../../src/kit/lifecycle/lifecycle.ts";
import { silentLog } from "../../src/kit/lifecycle/log.ts";
import { createRingBuffer } from "../../src/kit/lifecycle/ring-buffer.ts";
import { readablePassword, uuid } from "../../src/kit/schema/ids.ts";
import { createBackoff } from "../../src/kit/time/backoff.ts";
import { isoSeconds, sleep } from "../../src/kit/time/clock.ts";
import { createTestPlatform } from "../support/platform.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const { random } = createTestPlatform(createVirtualClock());

test("a ring buffer holds the last items, in order", () => {
  const ring = createRingBuffer<number>(3);
  for (let item = 1; item <= 7; item++) ring.push(item);
  expect([...ring]).toEqual([5, 6, 7]);
  expect([ring.at(0), ring.at(2), ring.at(3), ring.at(-1)]).toEqual([5, 7, undefined, undefined]);
  expect(() => createRingBuffer(0)).toThrow(RangeError);
});

test("backoff pauses grow up to the longest, with jitter, and can be reset", () => {
  const backoff = createBackoff({ firstMs: 1000, maxMs: 60_000, jitter: 0.25 }, random);
  const pauses = Array.from({ length: 12 }, () => backoff.next());
  pauses.forEach((pause, tries) => {
    const base = Math.min(60_000, 1000 * 2 ** tries);
    expect(pause).toBeGreaterThanOrEqual(base * 0.75);
    expect(pause).toBeLessThanOrEqual(base * 1.25);
  });
  backoff.reset();
  expect(backoff.next()).toBeLessThanOrEqual(1250);
});

test("ids and passwords are well formed and unique", () => {
  expect(uuid(random)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const passwords = new Set(Array.from({ length: 200 }, () => readablePassword(random, 16)));
  expect(passwords.size).toBe(200);
  for (const password of passwords) expect(password).toMatch(/^[a-zA-Z2-9]{16}$/);
});

test("a listener that throws affects neither the publisher nor the others", () => {
  const bus = createBus<{ type: "a" } | { type: "b" }>(silentLog);
  const seen: string[] = [];
  bus.on("a", "bad", () => {
    throw new Error("bad listener");
  });
  const good = bus.on("a", "good", () => seen.push("a"));
  bus.on("*", "all", ({ type }) => seen.push(`*${type}`));
  bus.publish({ type: "a" });
  good[Symbol.dispose]();
  bus.publish({ type: "a" });
  bus.publish({ type: "b" });
  expect(seen).toEqual(["a", "*a", "*a", "*b"]);
});

describe("time", () => {
  test("sleep ends when its time is over, or at once when it is cancelled", async () => {
    const clock = createVirtualClock();
    const whole = sleep(clock, "whole", 1000);
    const stop = new AbortController();
    const cut = sleep(clock, "cut", 1000, stop.signal);
    stop.abort();
    expect(await cut).toBe(false);
    await clock.advance(1000);
    expect(await whole).toBe(true);
    expect(clock.pending()).toEqual([]);
  });

  test("`within` waits for a bounded time", async () => {
    const clock = createVirtualClock();
    const never = within(clock, 500, "never", new Promise(() => {}));
    await clock.advance(500);
    expect(await never).toBe(false);
    expect(await within(clock, 500, "at once", Promise.resolve())).toBe(true);
    expect(clock.pending()).toEqual([]);
  });

  test("times are written as the contract says", () => {
    expect(isoSeconds(Date.UTC(2026, 0, 31, 23, 59, 59, 999))).toBe("2026-01-31T23:59:59Z");
  });
});
