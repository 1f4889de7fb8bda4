// How much of the hub's time the reports of one account may take to be read. What reading takes is made up: five milliseconds a device.
import { expect, test } from "bun:test";
import type { Entry } from "../../../src/house/discovery/entry.ts";
import { createReadingTurns } from "../../../src/house/discovery/reading-turns.ts";
import type { Incoming } from "../../../src/house/discovery/source.ts";
import type { LimitReached } from "../../../src/kit/lifecycle/limits.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const DEVICE_MS = 5;

function createHouse() {
  const virtual = createVirtualClock();
  let busyMs = 0;
  const reached: LimitReached[] = [];
  const read: string[] = [];
  const turns = createReadingTurns({
    clock: { ...virtual, mono: () => virtual.mono() + busyMs },
    ...{ msPerSecond: 200, log: silentLog },
    limits: { reached: (limit) => void reached.push(limit) },
    read({ id }, { topic }) {
      busyMs += DEVICE_MS;
      read.push(`${topic} ${id}`);
    },
  });
  return {
    ...{ reached, read },
    advance: (ms: number) => virtual.advance(ms),
    /** Returns for how long nothing else had its turn. */
    receive(account: string, topic: string, devices: number, bytes = 10): number {
      const before = busyMs;
      const incoming: Incoming = {
        ...{ sender: { name: account, mayPublish: () => true }, topic, payload: new Uint8Array(bytes), retain: false },
        message: () => ({ text: "", json: undefined }),
      };
      const entries = Array.from({ length: devices }, (_, index) => ({ id: `d${index}` }) as Entry);
      turns.receive(incoming, entries);
      return busyMs - before;
    },
  };
}

test("a message for one device is read at once", () => {
  const house = createHouse();
  house.receive("lamps", "lamp", 1);
  expect(house.read).toEqual(["lamp d0"]);
  expect(house.reached).toEqual([]);
});

test("a message for 800 devices holds nothing for longer than a moment, and is read whole", async () => {
  const house = createHouse();
  expect(house.receive("flood", "f", 800)).toBeLessThanOrEqual(10);
  await house.advance(30_000);
  expect(house.read).toEqual(Array.from({ length: 800 }, (_, index) => `f d${index}`));
});

test("who takes more than its share is named and delayed, not the others", async () => {
  const house = createHouse();
  for (let count = 0; count < 5; count++) house.receive("flood", `f${count}`, 800);
  await house.advance(20_000);
  // Ten seconds' worth at once, and then a fifth of each second.
  expect(house.read.length * DEVICE_MS).toBeLessThan(200 * 40);
  expect(house.reached[0]).toMatchObject({ limit: "[discovery] max_reading_ms_per_second", account: "flood" });
  expect(house.receive("lamps", "lamp", 1)).toBe(DEVICE_MS);
  expect(house.read.at(-1)).toBe("lamp d0");
});

test("messages of an account are read in their order", async () => {
  const house = createHouse();
  house.receive("lamps", "a", 10);
  house.receive("lamps", "b", 1);
  await house.advance(1000);
  expect(house.read.at(-1)).toBe("b d0");
  expect(house.read).toHaveLength(11);
});

test("what waits is bounded: the oldest is left out, but not what was begun", async () => {
  const house = createHouse();
  house.receive("flood", "begun", 800);
  for (let count = 0; count < 500; count++) house.receive("flood", `m${count}`, 1, 100_000);
  await house.advance(60_000);
  expect(house.read.filter((one) => one.startsWith("begun"))).toHaveLength(800);
  expect(house.read.at(-1)).toBe("m499 d0");
  expect(house.read.length).toBeLessThan(815);
});
