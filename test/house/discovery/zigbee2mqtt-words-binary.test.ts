// What is true of each property with two values, by what its maker says of it, with the exposes of real models.
import { describe, expect, test } from "bun:test";
import { houseOf, houseWith } from "./zigbee2mqtt-models.ts";

describe("JSON true and false stay what they are, and the class says what they mean", () => {
  // Their descriptions: "closed (= true) or open (= false)", also of the one whose value_on is true.
  test.each([
    ["LDSENK08", "contact", "open"],
    ["TERNCY-DC01", "contact", "open"],
    ["CS-T2C", "contact_alarm_1", "open_alarm_1"],
    ["CS-T2C", "contact_alarm_2", "open_alarm_2"],
  ])("%s %s", async (model, property, word) => {
    using house = await houseWith(model);
    expect(house.says({ [property]: true })).toMatchObject({ [property]: true, [word]: false });
    expect(house.says({ [property]: false })).toMatchObject({ [property]: false, [word]: true });
    expect(house.property(property)).toMatchObject({ class: "door", inverted: true, readOnly: true });
  });

  test("a garage door's contact is closed when it is true, whichever value the bridge calls on", async () => {
    const contact = { type: "binary", name: "garage_door_contact", property: "garage_door_contact", access: 1 };
    for (const [on, off] of [
      [true, false],
      [false, true],
    ]) {
      using house = await houseOf({ model: "TS0603", exposes: [{ ...contact, value_on: on, value_off: off }] });
      expect(house.says({ garage_door_contact: true })).toMatchObject({ garage_door_contact: true, open: false });
      expect(house.property("garage_door_contact")).toMatchObject({ class: "garage_door", inverted: true });
    }
  });

  test("a contact that speaks in words is closed when it is made", async () => {
    using house = await houseWith("POK010");
    expect(house.says({ contact: "ON" })).toMatchObject({ contact: true, open: false });
    expect(house.says({ contact: "OFF" })).toMatchObject({ contact: false, open: true });
  });
});

describe("of two words, true is the one that the name says", () => {
  test.each([
    ["AUT000069", "child_lock", "LOCK", "UNLOCK"],
    ["SR-ZG9092A", "child_lock", "LOCK", "UNLOCK"],
    ["mTouch_Astro", "child_lock", "locked", "unlocked"],
    ["EER53000", "keypad_lockout", "lock1", "unlock"],
    ["WCM-300Z", "button_lock_mode_p1", "lock", "unlock"],
    ["S520567", "tilt_lock", "LOCK", "UNLOCK"],
    ["MHO-C401N", "show_smile", "SHOW", "HIDE"],
    ["PRO-900Z", "eco_mode", "ON", "OFF"],
    ["E22xx", "led_enable", "TRUE", "FALSE"],
    ["TS0601_thermostat_1", "window", "OPEN", "CLOSE"],
    ["TRV602", "window", "OPEN", "CLOSE"],
    ["ZTRV-S01", "window", "OPENED", "CLOSED"],
    ["_TZE200_i48qyn9s", "window_open", "YES", "NO"],
    ["AR331Pro", "window_open", "open", "closed"],
    ["SR-ZG9093TRV", "window_open_flag", "opened", "not_opened"],
    ["ZNMS12LM", "reverse", "LOCK", "UNLOCK"],
    ["DCR-CO", "carbon_monoxide", "ON", "OFF"],
    ["Ensystec-Leak-Protect-Zigbee", "battery_low_1", "Low", "Normal"],
    ["Ensystec-Leak-Protect-Zigbee", "input_3_leak_detect_9", "Leak", "Dry"],
    ["Ensystec-Leak-Protect-Zigbee", "channel_1_connection_control_17", "online", "offline"],
  ])("%s %s", async (model, property, yes, no) => {
    using house = await houseWith(model);
    expect(house.says({ [property]: yes })[property]).toBe(true);
    expect(house.says({ [property]: "in between" })[property]).toBe(true);
    expect(house.says({ [property]: no })[property]).toBe(false);
    if (house.property(property)?.readOnly) return;
    expect(await house.commandsFor({ [property]: true })).toEqual([{ [property]: yes }]);
    expect(await house.commandsFor({ [property]: false })).toEqual([{ [property]: no }]);
  });

  test("a lock that only reports is locked, and true sent back is what the device takes", async () => {
    using house = await houseWith("ZNMS12LM");
    expect(house.device().deviceType).toBe("lock");
    expect(house.says({ state: "LOCK", reverse: "UNLOCK" })).toMatchObject({ locked: true, reverse: false });
    expect(house.says({ state: "UNLOCK" })).toMatchObject({ locked: false });
  });

  test("what takes JSON true and false is sent them, whatever it calls on", async () => {
    const valve = { type: "binary", name: "valve", property: "valve", access: 3, value_on: false, value_off: true };
    using house = await houseOf({ model: "V", exposes: [valve] });
    expect(await house.commandsFor({ valve: true })).toEqual([{ valve: true }]);
    await expect(house.commandsFor({ valve: "true" })).rejects.toThrow("valve: must be true or false");
  });
});

describe("each of several is named by its part, and the whole gets none", () => {
  test.each([
    ["83633206", { water_leak_alarm_1: false, water_leak_alarm_2: true }, { leak_alarm_1: false, leak_alarm_2: true }],
    ["VZM32-SN", { mmwave_area1_occupancy: true, mmwave_area2_occupancy: false }, { motion_mmwave_area1: true }],
    ["MS032Z", { motion_up: "ON", motion_down: "OFF" }, { motion_up: true, motion_down: false }],
    [
      "Ensystec-Leak-Protect-Zigbee",
      { input_3_leak_detect_9: "Leak", battery_low_1: "Normal", channel_1_battery_low_17: "Low" },
      { battery_low_1: false, battery_low_channel_1: true },
    ],
  ])("%s", async (model, state, words) => {
    using house = await houseWith(model);
    const known = house.says(state);
    expect(known).toMatchObject(words);
    for (const whole of ["leak", "motion", "battery_low"]) expect(known).not.toHaveProperty(whole);
  });
});

test.each([
  ["LDSENK08", "battery_low", "battery"],
  ["LDSENK08", "tamper", "tamper"],
  ["LDSENK08", "vibration", "vibration"],
  ["SEB01ZB", "sos", "safety"],
  ["F-MLT-US-2", "moving", "moving"],
  ["CS-201Z", "dry", "problem"],
  ["AV2010/24", "smoke", "smoke"],
  ["SR-ZG9032A-MW", "occupancy_2", "occupancy"],
])("%s %s has a class", async (model, property, kind) => {
  using house = await houseWith(model);
  expect(house.property(property)?.class).toBe(kind);
});

test("rain is no leak, and a valve that opens is no door", async () => {
  using station = await houseWith("WS90");
  expect(station.says({ rain_status: true })).toEqual({ rain_status: true });
  using thermostat = await houseWith("AR331Pro");
  expect(thermostat.says({ valve_state: "open", window_open: "closed" })).toMatchObject({
    ...{ valve_state: true, window_open: false, open: false },
  });
});

describe("what says whether it is open in more than two words", () => {
  test.each([
    ["Senoro.Win v2", "opening_state", { open: true, tilted: true, closed: false }],
    ["S8", "opening_mode", { tilted: true, closed: false }],
    ["DLM-300Z", "door_state", { open: true, closed: false }],
  ])("%s", async (model, property, meant) => {
    using house = await houseWith(model);
    for (const [value, open] of Object.entries(meant))
      expect(house.says({ [property]: value })).toMatchObject({ [property]: value, open });
    expect(house.property("open")).toMatchObject({ derived: true, of: property, word: "open", readOnly: true });
  });
});
