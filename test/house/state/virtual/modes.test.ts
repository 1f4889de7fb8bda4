import { describe, expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import { readSeldom } from "./read-seldom.ts";
import { type House, type HouseOptions, openHouse } from "./rig.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TEN_YEARS = 3652 * DAY;

const AWAY = '[[modes]]\nid = "away"\nname = "Nobody at home"\nkind = "manual"\n';
const NIGHT = '[[modes]]\nid = "night"\nname = "Night"\nkind = "solar"\non_event = "sunset"\noff_event = "sunrise"\n';

// Berlin, by the almanac of sun.test.ts: 2026-03-28 sunset 17:33:31, 29th 04:48:04 and 17:35:16, 30th sunrise 04:45:43.
const houseAtNoon = (options: HouseOptions = {}): House =>
  openHouse({ at: "2026-03-28T12:00:00Z", modes: NIGHT, ...options });
const houseForDays = (options: HouseOptions = {}): House => readSeldom(houseAtNoon(options));

const isOn = (house: House, id: string): unknown => house.registry.get(id).attributes.on;
/** `mode_changed` to the minute. */
const changes = (house: House): string[] =>
  house.lines("mode_changed").map((line) => line.replace(/:\d\d\.\d{3}Z/, ""));
const events = (house: House, from = 0): string[] => house.emitted.slice(from).map(({ event }) => event.type);

describe("manual modes", () => {
  test("are devices that people turn on and off, each time with one event", async () => {
    using house = openHouse({ modes: AWAY });
    expect(house.registry.get("away")).toMatchObject({ name: "Nobody at home", pluginId: "core", deviceType: "mode" });
    expect(house.registry.get("away").attributes).toEqual({ on: false, kind: "manual" });
    const from = house.emitted.length;
    await house.send("away", { on: true });
    expect(events(house, from)).toEqual(["device_command_sent", "device_state_changed", "mode_changed"]);
    expect(house.emitted.at(-1)?.event).toEqual({
      type: "mode_changed",
      mode_id: "away",
      mode_name: "Nobody at home",
      on: true,
    });
    await house.send("away", { on: true });
    await house.send("away", { command: "on" });
    expect(events(house, from + 3)).toEqual(["device_command_sent", "device_command_sent"]);
    await house.send("away", { command: "toggle" });
    await house.send("away", { command: "toggle" });
    await house.send("away", { command: "off" });
    expect(isOn(house, "away")).toBe(false);
    expect(house.lines("mode_changed")).toHaveLength(4);
  });

  test("keep their state over a restart, without an event", async () => {
    using house = openHouse({ modes: AWAY });
    await house.send("away", { on: true });
    house.stop();
    const from = house.emitted.length;
    house.start();
    await house.clock.advance(DAY / 24);
    expect(isOn(house, "away")).toBe(true);
    expect(events(house, from)).toEqual([]);
  });

  test("refuse unknown commands, and cannot be removed by hand", async () => {
    using house = openHouse({ modes: AWAY });
    const wrong: JsonObject[] = [{ on: "yes" }, { of: true }, { command: "togle" }, { on: true, command: "on" }];
    for (const command of wrong) {
      await expect(house.send("away", command)).rejects.toMatchObject({ code: "invalid" });
    }
    await expect(house.send("away", { command: "togle" })).rejects.toThrow('did you mean "toggle"?');
    expect(() => house.virtual.refuseRemoval(house.registry.get("away"))).toThrow("comes from modes.toml");
    house.virtual.switches.create({ id: "guest" });
    house.virtual.refuseRemoval(house.registry.get("guest"));
  });
});

describe("solar modes", () => {
  test("turn at their moments, also in the night in which the clocks go forward", async () => {
    using house = houseForDays({ at: "2026-03-28T17:00:00Z" });
    await house.clock.advance(DAY + HOUR);
    expect(changes(house)).toEqual([
      "2026-03-28T17:33 night on",
      "2026-03-29T04:48 night off",
      "2026-03-29T17:35 night on",
    ]);
  });

  test("announce the next moment and turn then, not a millisecond before, also when the clocks go back", async () => {
    using house = houseForDays({ at: "2026-10-24T15:00:00Z" });
    const { nextOn, nextOff } = house.virtual.modes.get("night");
    await house.clock.advance((nextOn ?? 0) - house.clock.now() - 1);
    expect(isOn(house, "night")).toBe(false);
    await house.clock.advance(1);
    expect(isOn(house, "night")).toBe(true);
    await house.clock.advance((nextOff ?? 0) - house.clock.now() - 1);
    expect(isOn(house, "night")).toBe(true);
    await house.clock.advance(1);
    expect(isOn(house, "night")).toBe(false);
  });

  test("apply their offsets, also over midnight", async () => {
    using house = houseForDays({ modes: `${NIGHT}on_offset_minutes = 480\noff_offset_minutes = -60\n` });
    await house.clock.advance(DAY);
    expect(changes(house)).toEqual(["2026-03-29T01:33 night on", "2026-03-29T03:48 night off"]);
  });

  test("stay on through the polar night, and go off with the first sunrise", async () => {
    using house = houseForDays({
      at: "2027-01-14T09:00:00Z",
      location: { latitude: 69.6492, longitude: 18.9553 },
    });
    expect(isOn(house, "night")).toBe(true);
    await house.clock.advance(27 * HOUR);
    // The almanac has 10:34:32 and 11:13:09.
    expect(changes(house).slice(1)).toEqual(["2027-01-15T10:34 night off", "2027-01-15T11:12 night on"]);
  });

  test("write nothing between their moments", async () => {
    using house = houseAtNoon();
    const from = house.emitted.length;
    await house.clock.advance(5 * HOUR);
    expect(events(house, from)).toEqual([]);
  });

  test("that are added at night are on at once", async () => {
    using house = openHouse({ at: "2026-03-28T22:00:00Z", modes: NIGHT });
    expect(changes(house)).toEqual(["2026-03-28T22:00 night on"]);
  });
});

describe("over a restart", () => {
  test("a missed transition is made once", async () => {
    using house = houseForDays();
    house.stop();
    await house.clock.advance(8 * HOUR);
    house.start({ begin: false });
    expect(isOn(house, "night")).toBe(false);
    house.virtual.start();
    house.stop();
    house.start();
    expect(changes(house)).toEqual(["2026-03-28T20:00 night on"]);
  });

  test("of two missed transitions only the last is made", async () => {
    using house = houseForDays();
    house.stop();
    await house.clock.advance(DAY);
    house.start();
    expect(changes(house)).toEqual([]);
    expect(isOn(house, "night")).toBe(false);
  });

  test("what a person sets holds until the next moment", async () => {
    using house = houseForDays();
    await house.clock.advance(8 * HOUR);
    await house.send("night", { on: false });
    expect(house.registry.get("night").attributes).toEqual({ on: false, kind: "solar", overridden: true });
    house.stop();
    await house.clock.advance(HOUR);
    house.start();
    await house.clock.advance(HOUR);
    expect(isOn(house, "night")).toBe(false);
    await house.clock.advance(DAY);
    expect(changes(house)).toEqual([
      "2026-03-28T17:33 night on",
      "2026-03-28T20:00 night off",
      "2026-03-29T17:35 night on",
    ]);
    expect(house.registry.get("night").attributes.overridden).toBe(false);
  });

  test("but not past a moment while the hub was down", async () => {
    using house = houseForDays();
    await house.send("night", { on: true });
    house.stop();
    await house.clock.advance(18 * HOUR);
    house.start();
    expect(changes(house)).toEqual(["2026-03-28T12:00 night on", "2026-03-29T06:00 night off"]);
  });

  test("a Raspberry Pi that boots in the past does not undo the transition of the evening", async () => {
    using house = houseForDays();
    await house.clock.advance(6 * HOUR);
    house.stop();
    await house.clock.advance(HOUR);
    house.clock.step(-2 * HOUR);
    house.start();
    await house.clock.advance(MINUTE);
    house.clock.step(2 * HOUR);
    await house.clock.advance(MINUTE);
    expect(changes(house)).toEqual(["2026-03-28T17:33 night on"]);
  });

  test("a time of change from a clock that was ahead is not trusted for ever", async () => {
    using house = houseForDays();
    house.clock.step(TEN_YEARS);
    await house.clock.advance(6 * HOUR);
    expect(isOn(house, "night")).toBe(true);
    house.stop();
    house.clock.step(-TEN_YEARS - 5 * HOUR);
    house.start();
    await house.clock.advance(14 * MINUTE);
    expect(isOn(house, "night")).toBe(true);
    await house.clock.advance(2 * MINUTE);
    expect(isOn(house, "night")).toBe(false);
  });
});

describe("when the wall clock steps", () => {
  test("a step over a moment makes its transition within ten seconds; a step over several makes only the last", async () => {
    using house = houseForDays();
    house.clock.step(6 * HOUR);
    await house.clock.advance(10 * SECOND);
    house.clock.step(2 * DAY);
    await house.clock.advance(10 * SECOND);
    expect(changes(house)).toEqual(["2026-03-28T18:00 night on"]);
    house.clock.step(12 * HOUR);
    await house.clock.advance(10 * SECOND);
    expect(changes(house).slice(1)).toEqual(["2026-03-31T06:00 night off"]);
  });

  test("ten years ahead and back: the mode follows the sun, and each transition is reported once", async () => {
    using house = houseForDays();
    house.clock.step(TEN_YEARS);
    await house.clock.advance(MINUTE);
    house.clock.step(-TEN_YEARS);
    await house.clock.advance(DAY);
    expect(changes(house)).toEqual(["2026-03-28T17:33 night on", "2026-03-29T04:48 night off"]);
  });

  test("a step back by up to three hours undoes and repeats no transition; a greater one is followed", async () => {
    using house = houseForDays();
    await house.clock.advance(5 * HOUR + 34 * MINUTE);
    expect(changes(house)).toEqual(["2026-03-28T17:33 night on"]);
    house.clock.step(-50 * SECOND);
    await house.clock.advance(5 * MINUTE);
    expect(changes(house)).toHaveLength(1);
    house.clock.step(-2 * HOUR);
    await house.clock.advance(3 * HOUR);
    expect(changes(house)).toHaveLength(1);
    house.clock.step(-5 * HOUR);
    await house.clock.advance(5 * HOUR);
    expect(changes(house).slice(1)).toEqual(["2026-03-28T13:38 night off", "2026-03-28T17:33 night on"]);
  });

  test("what a person sets survives a step that passes no moment", async () => {
    using house = houseForDays();
    await house.send("night", { on: true });
    house.clock.step(2 * HOUR);
    await house.clock.advance(MINUTE);
    house.clock.step(-3 * HOUR);
    await house.clock.advance(MINUTE);
    expect(isOn(house, "night")).toBe(true);
  });
});

describe("modes.toml while the hub runs", () => {
  test("new, renamed and removed modes take effect within a second", async () => {
    using house = openHouse({ modes: AWAY });
    await house.send("away", { on: true });
    house.writeModes(`${AWAY.replace("Nobody at home", "Away")}[[modes]]\nid = "guests"\nkind = "manual"\n`);
    await house.clock.advance(SECOND);
    expect(house.virtual.modes.list().map(({ device }) => [device.id, device.name, device.attributes.on])).toEqual([
      ["away", "Away", true],
      ["guests", "guests", false],
    ]);
    expect(house.emitted.flatMap(({ event }) => (event.type === "device_name_changed" ? [event.name] : []))).toEqual([
      "Away",
    ]);
    writeFileSync(`${house.modesFile}.new`, '[[modes]]\nid = "guests"\nkind = "manual"\n');
    renameSync(`${house.modesFile}.new`, house.modesFile);
    await house.clock.advance(SECOND);
    expect(house.virtual.modes.list().map(({ device }) => device.id)).toEqual(["guests"]);
    rmSync(house.modesFile);
    await house.clock.advance(3 * SECOND);
    expect(house.registry.count()).toBe(0);
  });

  test("a broken file changes nothing, is logged once, and is applied when it is fixed", async () => {
    using house = openHouse({ modes: AWAY });
    const from = house.emitted.length;
    house.writeModes(`${AWAY}[[modes]]\nid = "x\n`);
    await house.clock.advance(10 * SECOND);
    expect(house.virtual.problems()).toMatchObject([{ file: house.modesFile, line: 6 }]);
    expect(house.logged.filter((line) => line.includes("modes.toml"))).toHaveLength(1);
    expect(events(house, from)).toEqual([]);
    await house.send("away", { on: true });
    expect(isOn(house, "away")).toBe(true);
    house.writeModes(`${AWAY}\n[[modes]]\nid = "x"\nkind = "manual"\n`);
    await house.clock.advance(SECOND);
    expect(house.virtual.problems()).toEqual([]);
    expect(house.logged.at(-1)).toContain("right again");
    expect(house.registry.get("x").attributes.on).toBe(false);
    expect(isOn(house, "away")).toBe(true);
  });

  test("broken at the start: the modes exist but are unavailable until it is fixed", async () => {
    using house = openHouse({ modes: AWAY });
    house.stop();
    house.writeModes("[[modes");
    house.start();
    expect(house.registry.get("away").available).toBe(false);
    expect(house.virtual.problems()).toHaveLength(1);
    expect(house.virtual.modes.get("away")).toMatchObject({ definition: undefined });
    await expect(house.send("away", { on: true })).rejects.toMatchObject({ code: "conflict" });
    house.writeModes(AWAY);
    await house.clock.advance(SECOND);
    expect(house.registry.get("away").available).toBe(true);
    await house.send("away", { on: true });
    expect(isOn(house, "away")).toBe(true);
  });

  test("one broken mode keeps its last valid definition, the others are applied", async () => {
    using house = openHouse({ modes: AWAY });
    house.registry.edit("away", { name: "Empty house", area: "everywhere" });
    house.writeModes('[[modes]]\nid = "away"\nkind = "manul"\n[[modes]]\nid = "guests"\nkind = "manual"\n');
    await house.clock.advance(SECOND);
    expect(house.virtual.problems()).toMatchObject([{ line: 3, path: "modes[0].kind" }]);
    for (const id of ["away", "guests"]) await house.send(id, { on: true });
    house.stop();
    house.start();
    expect(house.registry.get("guests")).toMatchObject({ available: true, attributes: { on: true } });
    // It has had no definition since the start, but nothing that people set on it is lost.
    expect(house.registry.get("away")).toMatchObject({ available: false, name: "Empty house", area: "everywhere" });
    house.writeModes(AWAY);
    await house.clock.advance(SECOND);
    expect(house.registry.get("away")).toMatchObject({
      available: true,
      name: "Empty house",
      attributes: { on: true },
    });
    expect(house.registry.find("guests")).toBeUndefined();
  });

  test("an id that belongs to another device leaves only that mode out", async () => {
    using house = openHouse({ modes: undefined });
    house.registry.state("lamp", { on: true }, { pluginId: "zigbee", partial: false });
    house.virtual.timers.create({ id: "tea" });
    const manual = (id: string) => `[[modes]]\nid = "${id}"\nkind = "manual"\n`;
    house.writeModes(manual("lamp") + manual("tea") + AWAY);
    await house.clock.advance(SECOND);
    expect(house.virtual.modes.list().map(({ device }) => device.id)).toEqual(["away"]);
    expect(house.virtual.problems().map(({ message }) => message)).toEqual([
      expect.stringContaining('"lamp" is left out: there is a device of that id already, of the plugin "zigbee"'),
      expect.stringContaining('"tea" is left out: there is a device of that id already, of the hub itself'),
    ]);
    expect(house.registry.get("lamp")).toMatchObject({ pluginId: "zigbee", attributes: { on: true } });
    expect(house.registry.get("tea").deviceType).toBe("timer");
  });

  test("a changed event takes effect at once, unless a person has just set the mode", async () => {
    using house = houseAtNoon();
    const swapped = NIGHT.replace('on_event = "sunset"', 'on_event = "sunrise"').replace(
      'off_event = "sunrise"',
      'off_event = "sunset"',
    );
    house.writeModes(swapped);
    await house.clock.advance(SECOND);
    expect(isOn(house, "night")).toBe(true);
    house.writeModes(NIGHT);
    await house.clock.advance(SECOND);
    expect(isOn(house, "night")).toBe(false);
    await house.send("night", { on: true });
    house.writeModes(`${NIGHT}on_offset_minutes = 5\n`);
    await house.clock.advance(SECOND);
    expect(isOn(house, "night")).toBe(true);
  });

  test("without a location solar modes exist, are unavailable, and are reported as a problem", async () => {
    using house = openHouse({ modes: NIGHT + AWAY, location: {} });
    expect(house.registry.get("night").available).toBe(false);
    expect(house.registry.get("away").available).toBe(true);
    expect(house.virtual.problems()).toMatchObject([{ line: 4, warning: true }]);
    house.stop();
    const from = house.emitted.length;
    house.start();
    expect(events(house, from)).toEqual([]);
    expect(house.registry.get("night").available).toBe(false);
  });

  test("no file, no modes, no problem", () => {
    using house = openHouse();
    expect(house.virtual.modes.list()).toEqual([]);
    expect(house.virtual.problems()).toEqual([]);
    expect(() => house.virtual.modes.get("away")).toThrow('there is no mode "away"');
  });
});
