import { describe, expect, test } from "bun:test";
import type { PlanEntry } from "../../../../src/house/state/virtual/week-plan.ts";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import { type House, openHouse } from "./rig.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WEEKDAYS: PlanEntry[] = [{ days: ["mon", "tue", "wed", "thu", "fri"], from: "07:00", to: "08:30" }];

/** Noon in Berlin is 11:00 UTC; 2026-01-15 is a Thursday. */
function houseWith(plan: PlanEntry[] = WEEKDAYS, at = "2026-01-15T11:00:00Z"): House {
  const house = openHouse({ at });
  house.virtual.schedules.create({ id: "heating", name: "Heating", plan });
  return house;
}

const attributes = (house: House): JsonObject => house.registry.get("heating").attributes;

/** When it went on and off. */
function changes(house: House): string[] {
  return house.emitted.flatMap(({ at, event }) => {
    if (event.type !== "device_state_changed" || event.device_id !== "heating") return [];
    const { changed, current } = event as { changed: string[]; current: JsonObject };
    return changed.includes("on") ? [`${at} ${current.on ? "on" : "off"}`] : [];
  });
}

describe("a schedule", () => {
  test("says at once whether it is on, and what comes next", () => {
    using house = houseWith();
    expect(attributes(house)).toEqual({ enabled: true, on: false, next_change: "2026-01-16T06:00:00.000Z" });
    expect(house.registry.get("heating")).toMatchObject({ pluginId: "core", deviceType: "schedule", name: "Heating" });
  });

  test("goes on and off to the second, over midnight as well", async () => {
    const plan: PlanEntry[] = [
      { days: ["thu"], from: "23:30", to: "00:10" },
      { days: ["fri"], from: "00:20", to: "00:25" },
    ];
    using house = houseWith(plan, "2026-01-15T22:15:30.500Z");
    await house.clock.advance(75 * MINUTE);
    expect(changes(house).slice(1)).toEqual([
      "2026-01-15T22:30:00.000Z on",
      "2026-01-15T23:10:00.000Z off",
      "2026-01-15T23:20:00.000Z on",
      "2026-01-15T23:25:00.000Z off",
    ]);
    expect(attributes(house).next_change).toBe("2026-01-22T22:30:00.000Z");
  });

  test("does nothing in between: one timer, and no tick each second", async () => {
    using house = houseWith();
    expect(house.clock.pending().filter((name) => name === "schedules")).toHaveLength(1);
    const before = house.emitted.length;
    await house.clock.advance(HOUR);
    expect(house.emitted).toHaveLength(before);
  });

  test("catches up after a restart, with its plan and name", async () => {
    using house = houseWith();
    house.stop();
    await house.clock.advance(19.5 * HOUR);
    house.start();
    expect(attributes(house)).toEqual({ enabled: true, on: true, next_change: "2026-01-16T07:30:00.000Z" });
    expect(house.virtual.schedules.get("heating").plan).toEqual(WEEKDAYS);
    await house.clock.advance(HOUR);
    expect(attributes(house).on).toBe(false);
  });

  test("follows the clock when it is set, forward and back", async () => {
    using house = houseWith();
    house.clock.step(19.5 * HOUR);
    await house.clock.advance(30_000);
    expect(attributes(house)).toMatchObject({ on: true, next_change: "2026-01-16T07:30:00.000Z" });
    house.clock.step(-10 * HOUR);
    await house.clock.advance(30_000);
    expect(attributes(house)).toMatchObject({ on: false, next_change: "2026-01-16T06:00:00.000Z" });
  });

  test("takes a new plan at once", () => {
    using house = houseWith();
    house.virtual.schedules.edit("heating", { plan: [{ days: ["thu"], from: "11:00", to: "13:00" }] });
    expect(attributes(house)).toMatchObject({ on: true, next_change: "2026-01-15T12:00:00.000Z" });
  });

  test("stays off while it is disabled, over a restart as well", async () => {
    using house = houseWith();
    await house.send("heating", { enabled: false });
    expect(attributes(house)).toEqual({ enabled: false, on: false, next_change: null });
    expect(house.emitted.at(-1)?.event).toMatchObject({ change: { actor_name: "ann" } });
    house.stop();
    await house.clock.advance(19.5 * HOUR);
    house.start();
    expect(attributes(house).on).toBe(false);
    await house.send("heating", { command: "enable" });
    expect(attributes(house).next_change).toBe("2026-01-16T07:30:00.000Z");
  });

  test("takes no other command", async () => {
    using house = houseWith();
    await expect(house.send("heating", { on: true })).rejects.toMatchObject({ code: "invalid" });
    await expect(house.send("heating", { command: "start" })).rejects.toMatchObject({ code: "invalid" });
  });

  test("gets an id from its name, and another where that is taken", () => {
    using house = houseWith();
    const { schedules } = house.virtual;
    expect(schedules.create({ name: "Heating", plan: [] }).device.id).toBe("heating_2");
    expect(() => schedules.create({ id: "heating", name: "Heating", plan: [] })).toThrow("already taken");
  });

  test("leaves nothing behind when its device is removed", () => {
    using house = houseWith();
    house.registry.remove("heating");
    expect(house.virtual.schedules.list()).toEqual([]);
    house.stop();
    house.start();
    house.virtual.schedules.create({ id: "heating", name: "Heating", plan: [] });
    expect(house.virtual.schedules.get("heating").plan).toEqual([]);
  });
});
