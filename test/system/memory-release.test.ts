import { expect, test } from "bun:test";
import { startMemoryRelease } from "../../src/server/system/memory-release.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const MIB = 1_048_576;
const LOOK_MS = 5000;
const CALM_MS = 500;

/** A process at rest at 60 MiB, of which a release leaves `inUse`. */
function createProcess() {
  const clock = createVirtualClock();
  const state = { resident: 90 * MIB, inUse: 60 * MIB, cpuMs: 300, releases: 0 };
  const release = startMemoryRelease(clock, {
    resident: () => state.resident,
    cpuMs: () => state.cpuMs,
    release() {
      state.releases++;
      state.resident = state.inUse;
    },
  });
  return {
    ...{ clock, state, release },
    async looks(count: number, work: () => void = () => {}) {
      for (let look = 0; look < count; look++) {
        work();
        await clock.advance(LOOK_MS);
      }
      // What the last look found is done.
      await clock.advance(CALM_MS);
    },
  };
}

test("releases what the start used, twice at most", async () => {
  const { state, looks } = createProcess();
  await looks(20);
  expect(state.releases).toBe(2);
});

test("releases what a load left behind, once it is over", async () => {
  const { state, looks } = createProcess();
  await looks(3);
  await looks(6, () => {
    state.cpuMs += 2000;
    state.resident += 10 * MIB;
  });
  expect(state.releases).toBe(2);
  await looks(1);
  expect(state.releases).toBe(3);
  expect(state.resident).toBe(60 * MIB);
});

test("does not release while work has begun after a quiet time", async () => {
  const { clock, state, looks } = createProcess();
  for (let look = 0; look < 10; look++) {
    await clock.advance(LOOK_MS);
    state.cpuMs += 60;
  }
  expect(state.releases).toBe(0);
  await clock.advance(CALM_MS);
  await looks(1);
  expect(state.releases).toBe(1);
});

test("does not try again to release what is in use", async () => {
  const { state, looks } = createProcess();
  await looks(3);
  state.resident = 150 * MIB;
  state.inUse = 140 * MIB;
  await looks(20);
  expect(state.releases).toBe(4);
  state.resident = 142 * MIB;
  await looks(20);
  expect(state.releases).toBe(4);
});

test("after a fall, growth counts from the lower level", async () => {
  const { state, looks } = createProcess();
  await looks(3);
  state.resident = 40 * MIB;
  await looks(1);
  state.resident = 50 * MIB;
  await looks(1);
  expect(state.releases).toBe(3);
});

test("looks no more once it is disposed", async () => {
  const { state, release, looks } = createProcess();
  release[Symbol.dispose]();
  await looks(3);
  expect(state.releases).toBe(0);
});
