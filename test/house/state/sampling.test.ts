// What is recorded where more is reported than may be written in a day. Over 10 s on a busy machine: hours of 200 changes a second.
import { expect, test } from "bun:test";
import { createSampling } from "../../../src/house/state/sampling.ts";
import { createWriteBudget } from "../../../src/kit/files/write-budget.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const MB = 1_000_000;
const HOUR_SECS = 3600;
const DEVICES = 100;

/** A house whose records cost `bytesEach`, of which a part is written at once and the rest, with others', at the end of a quarter of an hour. */
function rig({ mbPerDay = 500, bytesEach = 250 } = {}) {
  const clock = createVirtualClock();
  let written = 0;
  let owed = 0;
  const budget = createWriteBudget({ clock, bytesPerDay: mbPerDay * MB, bytesWritten: () => written });
  const sampling = createSampling({ clock, budget });
  const recorded = new Map<string, number[]>();
  function record(deviceId: string, attributes: readonly string[]): void {
    for (const attribute of attributes) {
      const key = `${deviceId}/${attribute}`;
      const times = recorded.get(key);
      if (times) times.push(clock.mono());
      else recorded.set(key, [clock.mono()]);
      written += bytesEach / 4;
      owed += (bytesEach * 3) / 4;
    }
  }
  sampling.onDue(record);
  clock.every("checkpointing", 900_000, () => {
    written += owed;
    owed = 0;
  });
  return {
    clock,
    sampling,
    recorded,
    written: () => written + owed,
    report: (deviceId: string, changed: string[]) => record(deviceId, sampling.admit(deviceId, changed)),
  };
}

/** Two changes a second of each device. */
async function flood(
  house: ReturnType<typeof rig>,
  secs: number,
  each: (sec: number) => void = () => {},
): Promise<void> {
  for (let sec = 0; sec < secs; sec++) {
    for (let device = 0; device < DEVICES; device++)
      for (let count = 0; count < 2; count++) house.report(`meter_${device}`, ["power"]);
    each(sec);
    await house.clock.advance(1000);
  }
}

test("a house that reports little is recorded whole", async () => {
  const house = rig();
  for (let minute = 0; minute < 60; minute++) {
    for (let device = 0; device < DEVICES; device++) house.report(`sensor_${device}`, ["temperature"]);
    await house.clock.advance(60_000);
  }
  expect([...house.recorded.values()].map((times) => times.length)).toEqual(new Array(DEVICES).fill(60));
  expect(house.sampling.now()).toBeUndefined();
});

test.each([150, 300])(
  "200 changes a second stay within an hour's share in each hour, at %i bytes each",
  async (bytesEach) => {
    const house = rig({ bytesEach });
    const share = (500 * MB) / 24;
    await flood(house, HOUR_SECS);
    const first = house.written();
    expect(first).toBeLessThan(share * 1.1);
    await flood(house, HOUR_SECS);
    expect(house.written() - first).toBeLessThan(share * 1.02);
    expect(house.written() - first).toBeGreaterThan(share * 0.4);
  },
);

test("every device has its turn, the last value is recorded once it is quiet, and it says which are sampled", async () => {
  const house = rig();
  await flood(house, HOUR_SECS / 2);
  const counts = [...house.recorded.values()].map((times) => times.length);
  expect(counts).toHaveLength(DEVICES);
  expect(Math.min(...counts)).toBeGreaterThan(50);
  const { devices = [], everySecs } = house.sampling.now() ?? {};
  expect(devices).toHaveLength(DEVICES);
  expect(everySecs).toBeGreaterThanOrEqual(5);
  expect(everySecs).toBeLessThan(60);
  const before = house.clock.mono();
  await house.clock.advance(120_000);
  for (const times of house.recorded.values()) expect(times.at(-1)).toBeGreaterThan(before - 30_000);
  await house.clock.advance(2 * 3_600_000);
  expect(house.sampling.now()).toBeUndefined();
});

test("what changes rarely is recorded within a second, whatever floods beside it", async () => {
  const house = rig();
  const opened: number[] = [];
  await flood(house, HOUR_SECS / 2, (sec) => {
    if (sec % 120 !== 60) return;
    opened.push(house.clock.mono());
    house.report("door", ["open"]);
  });
  const times = house.recorded.get("door/open") ?? [];
  expect(times).toHaveLength(opened.length);
  for (const [index, at] of opened.entries()) expect((times[index] ?? 0) - at).toBeLessThanOrEqual(1000);
});

test("a device that is gone has no turn any more", async () => {
  const house = rig();
  await flood(house, 600);
  house.sampling.removed("meter_1");
  const count = house.recorded.get("meter_1/power")?.length;
  await house.clock.advance(60_000);
  expect(house.recorded.get("meter_1/power")?.length).toBe(count as number);
});

test("a house that reports much and costs little is recorded whole for hours, as its records are cheap", async () => {
  const house = rig({ bytesEach: 80 });
  for (let sec = 0; sec < 4 * HOUR_SECS; sec++) {
    for (let count = 0; count < 20; count++) house.report(`sensor_${(sec * 20 + count) % DEVICES}`, ["temperature"]);
    await house.clock.advance(1000);
  }
  expect([...house.recorded.values()].flat()).toHaveLength(4 * HOUR_SECS * 20);
});
