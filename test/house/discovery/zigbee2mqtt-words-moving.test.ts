// Locks, covers, fans and sirens of real models, in the words of all.
import { describe, expect, test } from "bun:test";
import { houseOf, houseWith } from "./zigbee2mqtt-models.ts";

describe("a lock", () => {
  test("that is neither locked nor unlocked is unknown", async () => {
    using house = await houseWith("V3-BTZB/V3-BTZBE");
    expect(house.says({ state: "LOCK", lock_state: "locked" })).toMatchObject({ locked: true, lock_state: "locked" });
    // zigbee2mqtt calls all but locked UNLOCK.
    expect(house.says({ state: "UNLOCK", lock_state: "not_fully_locked" })).toMatchObject({
      ...{ lock_state: "jammed", lock_state_own: "not_fully_locked" },
    });
    expect(house.device().attributes).not.toHaveProperty("locked");
    expect(house.says({ state: "UNLOCK", lock_state: "unlocked" })).toMatchObject({ locked: false });
    expect(await house.commandsFor({ locked: true })).toEqual([{ state: "LOCK" }]);
    await expect(house.commandsFor({ lock_state: "locked" })).rejects.toThrow("lock_state: the device only reports it");
    expect(house.property("lock_state")).toMatchObject({ of: "lock_state_own", word: "lock_state" });
  });
});

test("a cover without a position is at its ends by its state", async () => {
  const features = [
    { ...{ type: "enum", name: "state", property: "state", access: 3 }, values: ["OPEN", "CLOSE", "STOP"] },
  ];
  using house = await houseOf({ model: "M", vendor: "V", exposes: [{ type: "cover", features }], options: [] });
  expect(house.says({ state: "OPEN" })).toMatchObject({ position: 100 });
  expect(house.says({ state: "CLOSE" })).toMatchObject({ position: 0 });
  expect(await house.commandsFor({ position: 100 })).toEqual([{ state: "OPEN" }]);
  await expect(house.commandsFor({ position: 50 })).rejects.toThrow("position: must be 0 (closed) or 100 (open)");
  expect(house.says({ state: "STOP" })).not.toHaveProperty("position");
});

describe("a cover says what it is doing in the same words, however it says so itself", () => {
  test.each([
    ["11830304", "moving", "moving_own", { UP: "opening", STOP: "stopped", DOWN: "closing" }],
    ["ADCBZI01", "work_state", "work_state", { opening: "opening", standby: "stopped", closing: "closing" }],
    ["ZNJLBL01LM", "motor_state", "motor_state", { opening: "opening", blocked: "stopped", closing: "closing" }],
  ])("%s by %s", async (model, property, own, said) => {
    using house = await houseWith(model);
    for (const [value, moving] of Object.entries(said))
      expect(house.says({ [property]: value, position: 40 })).toMatchObject({ [own]: value, moving });
    expect(house.property("moving")).toMatchObject({
      of: own,
      word: "moving",
      enum: ["opening", "closing", "stopped"],
    });
  });

  test.each([
    ["067776A", "moving", "moving_own"],
    ["ZNGZDJ11LM", "running", "running"],
  ])("%s only says that it moves: which way is seen by where it is", async (model, property, own) => {
    using house = await houseWith(model);
    expect(house.says({ [property]: false, position: 40 })).toMatchObject({ moving: "stopped", [own]: false });
    const known = house.says({ [property]: true, position: 40 });
    expect(known).toMatchObject({ [own]: true });
    expect(known).not.toHaveProperty("moving");
    expect(house.says({ [property]: true, position: 45 })).toMatchObject({ moving: "opening" });
    expect(house.says({ [property]: true, position: 45 })).toMatchObject({ moving: "opening" });
    expect(house.says({ [property]: true, position: 30 })).toMatchObject({ moving: "closing" });
    expect(house.says({ [property]: false, position: 30 })).toMatchObject({ moving: "stopped" });
  });

  test("what its motor says after it has come to the end is over", async () => {
    using house = await houseWith("11830304");
    expect(house.says({ moving: "DOWN", position: 0, state: "CLOSE" }).moving).toBe("stopped");
    expect(house.says({ moving: "UP", position: 0, state: "OPEN" }).moving).toBe("opening");
  });

  test.each([
    ["11830304", { command: "open" }, { state: "OPEN" }],
    ["PIMS3028", { command: "stop" }, { state: "STOP" }],
    ["TS130F_dual", { command_left: "close" }, { state_left: "CLOSE" }],
    ["TS0301_dual_rail", { command_top: "stop", position_bottom: 20 }, { state_top: "STOP", position_bottom: 20 }],
    ["MONO iD4", { tilt_pct: 25, position: 100 }, { tilt: 25, position: 100 }],
  ])("%s is reported %j", async (model, wanted, sent) => {
    using house = await houseWith(model);
    expect(await house.commandsFor(wanted)).toEqual([sent]);
  });

  test("beside its own commands, its bridge can be asked", async () => {
    using house = await houseWith("11830304");
    expect(house.property("command")?.enum).toEqual(expect.arrayContaining(["open", "close", "stop", "rename"]));
    expect(await house.commandsFor({ command: "rename", to: "blind" })).toEqual([
      "zigbee2mqtt/bridge/request/device/rename",
    ]);
    await expect(house.commandsFor({ command: "jump" })).rejects.toThrow("command: must be one of");
  });

  test("of two rails each is named, and the whole has no position", async () => {
    using house = await houseWith("TS0301_dual_rail");
    expect(house.says({ position_top: 10, position_bottom: 90 })).toEqual({ position_top: 10, position_bottom: 90 });
    expect(house.property("position_top")).toMatchObject({ part: "top", word: "position" });
    expect(house.words()).not.toContain("position");
  });

  test("a range upside down is turned", async () => {
    const tilt = { type: "numeric", name: "tilt", property: "tilt", access: 7, value_min: 180, value_max: 0 };
    using house = await houseOf({ model: "T", exposes: [{ type: "cover", features: [tilt] }] });
    expect(house.says({ tilt: 90 })).toEqual({ tilt: 90, tilt_pct: 50 });
    expect(await house.commandsFor({ tilt_pct: 50 })).toEqual([{ tilt: 90 }]);
    expect(await house.commandsFor({ tilt: 180 })).toEqual([{ tilt: 180 }]);
  });
});

describe("each fan has on and speed_pct; 10 % is its slowest, 0 turns it off", () => {
  test.each([
    ["FanBee", { on: false }, { state: "OFF" }, { speed: 25 }, { state: "OFF" }],
    ["_TZE284_z5jz7wpo", { on: true }, { state: "ON" }, { speed: 25 }, { state: "OFF" }],
    ["E2007", { on: false }, { fan_state: "OFF" }, { fan_mode: "1" }, { fan_mode: "off" }],
    ["VZM35-SN", { on: true }, { fan_state: "ON" }, { fan_mode: "low" }, { fan_mode: "off" }],
    ["VZM36", { on: false }, { fan_state: "OFF" }, { fan_mode: "low" }, { fan_mode: "off" }],
    ["SSWF01G", { on: false }, { fan_state: "OFF" }, { fan_mode: "low" }, { fan_mode: "off" }],
    ["ZC0101", { on: false }, { fan_state: "OFF" }, { fan_mode: "low" }, { fan_mode: "off" }],
    ["AC221", { on: false }, { fan_state: "OFF" }, { fan_mode: "low" }, { fan_state: "OFF" }],
    ["PCT504", { on: false }, { fan_state: "OFF" }, { fan_mode: "low" }, { fan_state: "OFF" }],
  ])("%s", async (model, on, switched, slowest, off) => {
    using house = await houseWith(model);
    expect(await house.commandsFor(on)).toEqual([switched]);
    expect(await house.commandsFor({ speed_pct: 10 })).toEqual([slowest]);
    expect(await house.commandsFor({ speed_pct: 0 })).toEqual([off]);
    await expect(house.commandsFor({ speed_pct: 101 })).rejects.toThrow("speed_pct: must be a number from 0 to 100 %");
  });

  test.each([
    ["E2007", { off: 0, 1: 11, 5: 56, 9: 100, auto: null }, "9"],
    ["VZM36", { off: 0, low: 33, medium: 67, high: 100, smart: null }, "high"],
    ["PCT504", { low: 33, medium: 67, high: 100, auto: null, on: null }, "high"],
  ])("%s by the names of its speeds", async (model, speeds, fastest) => {
    using house = await houseWith(model);
    for (const [fan_mode, speed] of Object.entries(speeds)) {
      const { speed_pct = null } = house.says({ fan_mode });
      expect([fan_mode, speed_pct]).toEqual([fan_mode, speed]);
    }
    expect(await house.commandsFor({ speed_pct: 100 })).toEqual([{ fan_mode: fastest }]);
  });

  test("a fan without a switch of its own is on unless its mode is off", async () => {
    using house = await houseWith("AC221");
    expect(house.says({ fan_mode: "auto" }).on).toBe(true);
    expect(house.says({ fan_mode: "off" })).toMatchObject({ on: false, speed_pct: 0 });
  });
});

test.each([
  ["VZM36", "on_light"],
  ["SSWF01G", "on_switch"],
])("%s is a fan: what turns it off leaves the lamp beside it on", async (model, lamp) => {
  using house = await houseWith(model);
  expect(house.device().deviceType).toBe("fan");
  expect(house.says({ state: "ON", fan_state: "OFF" })).toMatchObject({ [lamp]: true, on: false, fan_state: false });
  expect(await house.commandsFor({ [lamp]: true })).toEqual([{ state: "ON" }]);
});

describe("a siren sounds and stops", () => {
  const alarm = { mode: "emergency", level: "medium", duration: 10 };
  test.each(["SIRZB-110", "PSE03-V1.1.0", "AV2010/24"])("%s, as it was commanded", async (model) => {
    using house = await houseWith(model);
    expect(house.device().deviceType).toBe("siren");
    expect(await house.commandsFor({ on: true })).toEqual([{ warning: alarm }]);
    expect(house.device().attributes.on).toBe(true);
    expect(await house.commandsFor({ on: false })).toEqual([{ warning: { mode: "stop" } }]);
    expect(house.device().attributes.on).toBe(false);
    await expect(house.commandsFor({ on: "loud" })).rejects.toThrow("on: must be true or false");
    const own = { mode: "fire", level: "high", strobe: true, duration: 60 };
    expect(await house.commandsFor({ warning: own })).toEqual([{ warning: own }]);
  });

  test("R7051 says itself whether it sounds", async () => {
    using house = await houseWith("R7051");
    expect(house.says({ alarm: true })).toMatchObject({ alarm: true, on: true });
    await house.commandsFor({ on: false });
    expect(house.device().attributes.on).toBe(true);
  });

  test.each([
    ["NAS-AB06B3", { alarm: true }],
    ["SNZB-09P", { siren_on: "ON" }],
  ])("%s by a switch of its own", async (model, sent) => {
    using house = await houseWith(model);
    expect(await house.commandsFor({ on: true })).toEqual([sent]);
  });
});

test("the colour of a part named rgb is no colour of the whole", async () => {
  using house = await houseWith("GL-C-007-2ID");
  const known = house.says({ color: { x: 0.7006, y: 0.2993 }, color_rgb: { x: 0.17, y: 0.7 } });
  expect(String(known.color_rgb)).toStartWith("#ff0");
  expect(known).toMatchObject({ color_rgb_own: { x: 0.17, y: 0.7 }, color_rgb_rgb: expect.stringMatching(/^#/) });
});

test("a valve that says OPEN and CLOSE is on while it is open", async () => {
  using house = await houseWith("VA4200WZ");
  expect(house.device().deviceType).toBe("valve");
  expect(house.says({ state: "OPEN" })).toMatchObject({ state: true, on: true });
  expect(await house.commandsFor({ on: false })).toEqual([{ state: "CLOSE" }]);
});

test("a lamp that says how bright it is beside the light that it is, is as bright as its own range says", async () => {
  using house = await houseWith("GL-SPI-206P");
  expect(house.says({ state: "ON", brightness: 250 })).toMatchObject({ on: true, brightness_pct: 25 });
  expect(await house.commandsFor({ brightness_pct: 50 })).toEqual([{ brightness: 500 }]);
});
