// When garbage is collected although the hub is busy.
import { expect, test } from "bun:test";
import { startBusyCollection } from "../../src/server/system/memory-release.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const MIB = 1_048_576;
const SECOND = 1000;

/** A process that uses `inUse`, and has garbage beside it until it collects, which takes `tookMs`. */
function createProcess(inUse: number, tookMs = 0) {
  const clock = createVirtualClock();
  const state = { inUse: inUse * MIB, garbage: 0, collections: 0 };
  let spentMs = 0;
  const collection = startBusyCollection(
    { ...clock, mono: () => clock.mono() + spentMs },
    {
      resident: () => state.inUse + state.garbage,
      collect() {
        state.collections++;
        state.garbage = 0;
        spentMs += tookMs;
      },
    },
  );
  return { clock, state, collection };
}

test("a hub of a normal size is left alone, however busy it is", async () => {
  const { clock, state } = createProcess(100);
  for (let second = 0; second < 60; second++) {
    state.garbage = (second % 8) * 10 * MIB;
    await clock.advance(SECOND);
  }
  expect(state.collections).toBe(0);
});

test("a large one collects each time some garbage has come together, and not while none has", async () => {
  const { clock, state, collection } = createProcess(250);
  await clock.advance(60 * SECOND);
  const begun = state.collections;
  expect(begun).toBeLessThanOrEqual(1);
  let most = 0;
  for (let step = 0; step < 100; step++) {
    state.garbage += 5 * MIB;
    most = Math.max(most, state.garbage);
    await clock.advance(50);
  }
  expect(most).toBeLessThanOrEqual(40 * MIB);
  expect(state.collections - begun).toBeGreaterThanOrEqual(10);
  // What is in use grows, and is not looked through again and again.
  const then = state.collections;
  state.inUse += 60 * MIB;
  await clock.advance(60 * SECOND);
  expect(state.collections - then).toBeLessThanOrEqual(1);
  collection[Symbol.dispose]();
  state.garbage = 500 * MIB;
  await clock.advance(10 * SECOND);
  expect(state.collections - then).toBeLessThanOrEqual(1);
});

test("collections take a sixth of the time at most", async () => {
  const { clock, state } = createProcess(250, 100);
  for (let step = 0; step < 200; step++) {
    state.garbage += 50 * MIB;
    await clock.advance(50);
  }
  // Ten seconds went by beside those that were spent in collections.
  expect(state.collections).toBeGreaterThan(5);
  expect(state.collections).toBeLessThanOrEqual(21);
});
