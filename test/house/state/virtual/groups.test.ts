import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import type { HubEvent } from "../../../../src/server/events/catalog.ts";
import { type House, openHouse } from "./rig.ts";

const DIMMABLE: JsonObject = {
  type: "object",
  properties: {
    on: { type: "boolean" },
    brightness_pct: { type: "number", minimum: 0, maximum: 100, unit: "%" },
    power: { type: "number", unit: "W", readOnly: true },
  },
};

function lamp(house: House, id: string, attributes: JsonObject, schema: JsonObject = DIMMABLE, type = "light"): void {
  house.registry.register({ device_id: id, device_type: type }, "zigbee");
  house.registry.schema(id, schema, "zigbee");
  house.registry.state(id, attributes, { pluginId: "zigbee", partial: false });
}

function report(house: House, id: string, attributes: JsonObject, change?: JsonObject): void {
  house.registry.state(id, attributes, { pluginId: "zigbee", partial: true, ...(change && { change }) });
}

/** Two lamps, off and on, and their group. */
function houseWithGroup(): House {
  const house = openHouse();
  lamp(house, "left", { on: false, brightness_pct: 20, battery: 80 });
  lamp(house, "right", { on: true, brightness_pct: 61 });
  house.virtual.groups.create({ id: "both", name: "Both lamps", members: ["left", "right"] });
  return house;
}

/** The events about the group since then. */
function ofGroup(house: House, since: number): HubEvent[] {
  const events = house.emitted.slice(since).map(({ event }) => event);
  return events.filter((event) => "device_id" in event && event.device_id === "both");
}

const state = (house: House, id = "both"): JsonObject => house.registry.get(id).attributes;

/** What was sent to which device. */
function sent(house: House): [string, JsonObject][] {
  return house.emitted.flatMap(({ event }): [string, JsonObject][] =>
    event.type === "device_command_sent" ? [[String(event.device_id), event.command as JsonObject]] : [],
  );
}

describe("what a group says", () => {
  test("is on if any member is, with the mean of numbers and without batteries", () => {
    using house = houseWithGroup();
    expect(state(house)).toEqual({ on: true, brightness_pct: 40.5 });
    expect(house.registry.get("both")).toMatchObject({ deviceType: "light", pluginId: "core", name: "Both lamps" });
  });

  test("follows its members, with one event for a burst", async () => {
    using house = houseWithGroup();
    const before = house.emitted.length;
    report(house, "left", { on: true });
    report(house, "left", { brightness_pct: 80 });
    report(house, "right", { brightness_pct: 100 });
    await house.clock.advance(100);
    expect(ofGroup(house, before)).toEqual([
      expect.objectContaining({ type: "device_state_changed", current: { on: true, brightness_pct: 90 } }),
    ]);
  });

  test("names who caused the change", async () => {
    using house = houseWithGroup();
    report(house, "right", { on: false }, { kind: "rule", actor_id: "r1", actor_name: "Night" });
    await house.clock.advance(100);
    const last = house.emitted.findLast(({ event }) => "device_id" in event && event.device_id === "both");
    expect(last?.event).toMatchObject({ type: "device_state_changed", change: { actor_id: "r1" } });
  });

  test("is locked only if all are; different texts are left out", () => {
    using house = openHouse();
    lamp(house, "front", { locked: true, door: "shut", brand: "a" }, {}, "lock");
    lamp(house, "back", { locked: false, door: "shut", brand: "b" }, {}, "lock");
    house.virtual.groups.create({ id: "doors", name: "Doors", members: ["front", "back"] });
    expect(state(house, "doors")).toEqual({ locked: false, door: "shut" });
    expect(house.registry.get("doors").deviceType).toBe("lock");
  });

  test("has no mean of unlike units, and takes what all members accept", () => {
    using house = openHouse();
    const schema = (unit: string, minimum: number, modes: string[]): JsonObject => ({
      properties: {
        temperature: { type: "number", unit },
        level: { type: "number", minimum, maximum: 10 * minimum },
        mode: { enum: modes },
      },
    });
    lamp(house, "a", { temperature: 20, level: 3 }, schema("°C", 2, ["eco", "fast"]), "fan");
    lamp(house, "b", { temperature: 68, level: 4 }, schema("°F", 3, ["fast", "night"]), "heater");
    house.virtual.groups.create({ id: "air", name: "Air", members: ["a", "b"] });
    const { deviceType, attributes, details } = house.registry.get("air");
    expect(deviceType).toBe("group");
    expect(attributes).toEqual({ level: 3.5 });
    expect(details.schema?.properties).toEqual({
      level: { type: "number", minimum: 3, maximum: 20 },
      mode: { enum: ["fast"] },
    });
  });

  test("a member that is not available does not count; without any, the group is not available either", async () => {
    using house = houseWithGroup();
    house.registry.availability("right", false, "zigbee");
    await house.clock.advance(100);
    expect(state(house)).toEqual({ on: false, brightness_pct: 20 });
    house.registry.availability("left", false, "zigbee");
    await house.clock.advance(100);
    expect(house.registry.get("both").available).toBe(false);
    expect(state(house)).toEqual({ on: false, brightness_pct: 20 });
    report(house, "right", { on: true });
    house.registry.availability("right", true, "zigbee");
    await house.clock.advance(100);
    expect(house.registry.get("both").available).toBe(true);
    expect(state(house).on).toBe(true);
  });

  test("does not flicker over a restart of the hub", async () => {
    using house = houseWithGroup();
    house.registry[Symbol.dispose]();
    house.stop();
    const before = house.emitted.length;
    house.start();
    report(house, "left", { brightness_pct: 20 });
    report(house, "right", { brightness_pct: 61 });
    await house.clock.advance(1000);
    expect(ofGroup(house, before)).toEqual([]);
    expect(state(house)).toEqual({ on: true, brightness_pct: 40.5 });
  });
});

describe("a command to a group", () => {
  test("goes to every member that takes it, with who asked", async () => {
    using house = houseWithGroup();
    lamp(house, "plug", { on: false }, { properties: { on: { type: "boolean" } } }, "switch");
    house.virtual.groups.edit("both", { members: ["left", "right", "plug"] });
    await house.send("both", { on: true, brightness_pct: 40, transition: 3 });
    expect(sent(house)).toEqual([
      ["both", { on: true, brightness_pct: 40, transition: 3 }],
      ["left", { on: true, brightness_pct: 40, transition: 3 }],
      ["right", { on: true, brightness_pct: 40, transition: 3 }],
      ["plug", { on: true, transition: 3 }],
    ]);
    const actors = house.emitted.flatMap(({ event }) =>
      event.type === "device_command_sent" ? [event.actor_name] : [],
    );
    expect(new Set(actors)).toEqual(new Set(["ann"]));
  });

  test("toggles by what the group says", async () => {
    using house = houseWithGroup();
    await house.send("both", { command: "toggle" });
    expect(sent(house).slice(1)).toEqual([
      ["left", { on: false }],
      ["right", { on: false }],
    ]);
  });

  test("that no member takes is refused", async () => {
    using house = houseWithGroup();
    await expect(house.send("both", { power: 3 })).rejects.toMatchObject({ code: "invalid" });
    await expect(house.send("both", { position: 40 })).rejects.toMatchObject({
      code: "invalid",
      message: 'no member of the group "both" takes "position"',
    });
    expect(sent(house)).toEqual([]);
  });

  test("that some members refuse reaches the others, and says which refused it", async () => {
    using house = houseWithGroup();
    house.registry.availability("left", false, "zigbee");
    await expect(house.send("both", { on: false })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining('1 of 2 devices refused the command: the device "left" is not available'),
    });
    expect(sent(house)).toContainEqual(["right", { on: false }]);
    await house.commands.send("both", { on: false }, { kind: "user", id: "1", name: "ann" }, { force: true });
    expect(sent(house)).toContainEqual(["left", { on: false }]);
  });

  test("works with the hub's own switches", async () => {
    using house = openHouse();
    house.virtual.switches.create({ id: "guests" });
    house.virtual.switches.create({ id: "party" });
    house.virtual.groups.create({ id: "all", name: "All", members: ["guests", "party"] });
    await house.send("all", { on: true });
    await house.clock.advance(100);
    expect(state(house, "party")).toEqual({ on: true });
    expect(state(house, "all")).toEqual({ on: true });
    expect(house.virtual.switches.list().map(({ id }) => id)).toEqual(["guests", "party"]);
    expect(house.emitted.at(-1)?.event).toMatchObject({ device_id: "all", change: { actor_name: "ann" } });
  });
});

describe("members", () => {
  test("may be groups; a device in two of them gets a command once", async () => {
    using house = houseWithGroup();
    house.virtual.groups.create({ id: "floor", name: "Floor", members: ["both", "left"] });
    await house.send("floor", { on: true });
    expect(sent(house).map(([id]) => id)).toEqual(["floor", "left", "right"]);
    report(house, "right", { brightness_pct: 100 });
    await house.clock.advance(100);
    expect(state(house, "floor").brightness_pct).toBe(60);
  });

  test("cannot be the group itself, in any depth", () => {
    using house = houseWithGroup();
    const { groups } = house.virtual;
    groups.create({ id: "floor", name: "Floor", members: ["both"] });
    groups.create({ id: "house", name: "House", members: ["floor"] });
    expect(() => groups.edit("both", { members: ["both"] })).toThrow('the group "both" cannot be in itself');
    expect(() => groups.edit("both", { members: ["left", "house"] })).toThrow(
      'the group "both" is already in "house": groups cannot form a circle',
    );
    expect(groups.get("both").members).toEqual(["left", "right"]);
  });

  test("must exist when they are put in", () => {
    using house = houseWithGroup();
    expect(() => house.virtual.groups.create({ name: "X", members: ["nothing"] })).toThrow(
      'there is no device "nothing"',
    );
    expect(house.registry.find("x")).toBeUndefined();
  });

  test("that are removed count no longer, and again when they come back", async () => {
    using house = houseWithGroup();
    house.registry.remove("right");
    await house.clock.advance(100);
    expect(state(house)).toEqual({ on: false, brightness_pct: 20 });
    expect(house.virtual.groups.get("both").members).toEqual(["left", "right"]);
    lamp(house, "right", { on: true, brightness_pct: 100 });
    await house.clock.advance(100);
    expect(state(house)).toEqual({ on: true, brightness_pct: 60 });
    house.registry.remove("left");
    house.registry.remove("right");
    await house.clock.advance(100);
    expect(house.registry.get("both").available).toBe(false);
  });

  test("are the same after a restart; a removed group leaves nothing behind", () => {
    using house = houseWithGroup();
    house.virtual.groups.create({ id: "gone", name: "Gone", members: ["left"] });
    house.virtual.groups.remove("gone");
    house.registry[Symbol.dispose]();
    house.stop();
    house.start();
    expect(house.virtual.groups.list().map(({ device, members }) => [device.id, members])).toEqual([
      ["both", ["left", "right"]],
    ]);
  });
});
