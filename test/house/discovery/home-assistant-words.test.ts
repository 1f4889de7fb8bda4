// The words that all devices share, of devices that announce themselves for Home Assistant: what people, rules and pages see of them
// and can report them.
import { describe, expect, test } from "bun:test";
import { ANNOUNCED } from "./home-assistant-words-devices.ts";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;

/** `order`: of its entities. */
async function house(model: string, order = (keys: string[]) => keys): Promise<Rig> {
  const rig = createRig();
  const entities = ANNOUNCED[model] ?? {};
  for (const key of order(Object.keys(entities))) {
    const payload = { ...entities[key], unique_id: key, device: { identifiers: ["x"], name: model } };
    rig.publish(`homeassistant/${key.replace("/", "/x/")}/config`, payload);
  }
  await rig.clock.advance(1000);
  return rig;
}

const device = (rig: Rig) => rig.registry.get("x");
const properties = (rig: Rig) => (device(rig).details.schema as { properties: Record<string, object> }).properties;

/** What is known of it after the message. */
function after(rig: Rig, state: object) {
  rig.publish("z", state);
  return device(rig).attributes;
}

async function sent(rig: Rig, wanted: object): Promise<string[]> {
  await rig.discovery.command("x", wanted as never);
  return rig
    .sent()
    .map(({ topic, payload }) => `${topic} ${typeof payload === "string" ? payload : JSON.stringify(payload)}`);
}

describe("a binary sensor", () => {
  test("LDSENK08: its contact stays as it is reported, and its class says that true is closed", async () => {
    using rig = await house("LDSENK08");
    expect(after(rig, { contact: false, battery_low: true })).toMatchObject({ contact: false, battery_low: true });
    expect(properties(rig).contact).toMatchObject({ class: "door", inverted: true });
    expect(properties(rig).battery_low).toMatchObject({ class: "battery" });
    expect(properties(rig).battery_low).not.toHaveProperty("inverted");
  });

  test("TS0601_thermostat_1: a window that says OPEN is open, though its announcement calls CLOSE on", async () => {
    using rig = await house("TS0601_thermostat_1");
    expect(after(rig, { window: "OPEN" })).toMatchObject({ window: true, open: true });
    expect(after(rig, { window: "CLOSE" })).toMatchObject({ window: false, open: false });
    // What lies between the two changes nothing.
    expect(after(rig, { window: "AJAR" })).toMatchObject({ window: false });
    expect(after(rig, { window: null })).not.toHaveProperty("window");
  });

  test("ZNMS12LM: a lock that is announced as a sensor is locked when it says LOCK", async () => {
    using rig = await house("ZNMS12LM");
    expect(after(rig, { state: "LOCK", reverse: "UNLOCK" })).toMatchObject({ locked: true, reverse: false });
    expect(properties(rig).locked).toMatchObject({ word: "locked", readOnly: true });
  });
});

test("SR-ZG9092A: the lock against children is on when it says LOCK, and is commanded so", async () => {
  using rig = await house("SR-ZG9092A");
  expect(after(rig, { child_lock: "LOCK" })).toMatchObject({ child_lock: true });
  expect(await sent(rig, { child_lock: true })).toEqual(["z/set/child_lock LOCK"]);
});

test("V3-BTZB: a bolt that is halfway is not said to be locked", async () => {
  using rig = await house("V3-BTZB/V3-BTZBE");
  expect(after(rig, { state: "LOCK", lock_state: "locked" })).toMatchObject({ locked: true, lock_state: "locked" });
  const halfway = after(rig, { state: "LOCK", lock_state: "not_fully_locked" });
  expect(halfway).toMatchObject({ lock_state: "jammed", lock_state_own: "not_fully_locked" });
  expect(halfway.locked).toBeUndefined();
  expect(properties(rig).lock_state).toMatchObject({ derived: true, of: "locked", word: "lock_state", readOnly: true });
  expect(await sent(rig, { locked: false })).toEqual(["z/set UNLOCK"]);
});

describe("a cover", () => {
  test("11830304: what it does is in the words of all, and what it calls so is its own", async () => {
    using rig = await house("11830304");
    const up = after(rig, { state: "OPEN", position: 25, moving: "UP" });
    expect(up).toMatchObject({ moving: "opening", moving_own: "UP", position: 25 });
    expect(after(rig, { state: "CLOSE", position: 0, moving: "DOWN" })).toMatchObject({ moving: "stopped" });
    expect(await sent(rig, { command: "stop" })).toEqual(["z/set STOP"]);
    expect(await sent(rig, { position: 40 })).toEqual(['z/set {"position":40}']);
    expect(properties(rig).command).toMatchObject({
      enum: ["open", "close", "stop"],
      writeOnly: true,
      word: "command",
    });
  });

  test("067776A: of one that only says that it moves, the way is known once its position changes", async () => {
    using rig = await house("067776A");
    const first = after(rig, { state: "OPEN", position: 25, moving: true });
    expect(first).toMatchObject({ moving_own: true });
    expect(first.moving).toBeUndefined();
    expect(after(rig, { state: "OPEN", position: 40, moving: true })).toMatchObject({ moving: "opening" });
    expect(after(rig, { state: "OPEN", position: 45, moving: false })).toMatchObject({ moving: "stopped" });
  });

  test("ZNCLDJ11LM: where a template makes its state, it is commanded to move all the same", async () => {
    using rig = await house("ZNCLDJ11LM");
    const moves = after(rig, { state: "CLOSE", position: 75, running: false, motor_state: "opening" });
    expect(moves).toMatchObject({ moving: "opening", running: false, motor_state: "opening" });
    expect(await sent(rig, { command: "open" })).toEqual(["z/set OPEN"]);
  });

  test("TS0301_dual_rail: each of two rails has its own, and the whole has none", async () => {
    using rig = await house("TS0301_dual_rail");
    const both = after(rig, { state_top: "OPEN", position_top: 30, state_bottom: "CLOSE", position_bottom: 0 });
    expect(both).toMatchObject({ position_top: 30, position_bottom: 0, moving_top: "stopped" });
    expect(await sent(rig, { command_bottom: "open" })).toEqual(["z/bottom/set OPEN"]);
    expect(properties(rig)).not.toHaveProperty("command");
    expect(properties(rig).moving_top).toMatchObject({ part: "top", word: "moving" });
  });

  test("MONO iD4: its slats, in percent", async () => {
    using rig = await house("MONO iD4");
    expect(after(rig, { state: "OPEN", position: 100, tilt: 25 })).toMatchObject({ tilt: 25, tilt_pct: 25 });
    expect(await sent(rig, { tilt_pct: 60 })).toEqual(["z/set/tilt 60"]);
  });

  test("PIMS3028: what a cover and a choice beside it take for the same state", async () => {
    using rig = await house("PIMS3028");
    expect(after(rig, { state: "OPEN", position: 25, work_state: "closing" })).toMatchObject({ moving: "closing" });
    expect(await sent(rig, { state: "lock" })).toEqual(["z/set/state lock"]);
    expect(await sent(rig, { state: "OPEN" })).toEqual(["z/set OPEN"]);
    expect(await sent(rig, { command: "open" })).toEqual(["z/set OPEN"]);
  });
});

describe("a climate", () => {
  test("BTH-RA: its mode is made of another property, both ways", async () => {
    using rig = await house("BTH-RA");
    const heats = after(rig, {
      operating_mode: "manual",
      system_mode: "heat",
      running_state: "heat",
      local_temperature: 20,
    });
    expect(heats).toMatchObject({ mode: "heat", action: "heating", current_temperature: 20, operating_mode: "manual" });
    expect(heats).toMatchObject({ running_state: "heat" });
    expect(after(rig, { operating_mode: "pause", running_state: "idle" })).toMatchObject({
      mode: "off",
      action: "idle",
    });
    expect(await sent(rig, { mode: "off" })).toEqual(['z/set {"operating_mode":"pause"}']);
    expect(await sent(rig, { mode: "auto", target_temperature: 21 })).toEqual([
      'z/set {"operating_mode":"schedule"}',
      "z/set/occupied_heating_setpoint 21",
    ]);
  });

  test("TS0601_thermostat_1: its own property of that name is not its mode", async () => {
    using rig = await house("TS0601_thermostat_1");
    const known = after(rig, { system_mode: "auto", mode: "comfort", current_heating_setpoint: 20 });
    expect(known).toMatchObject({ mode: "auto", mode_own: "comfort", target_temperature: 20 });
    expect(await sent(rig, { mode: "off" })).toEqual(["z/set/system_mode off"]);
    expect(await sent(rig, { mode_own: "eco" })).toEqual(["z/set/mode eco"]);
  });

  test("AZAI6ZBEMHI: of two degrees, the target is the one of what it does", async () => {
    using rig = await house("AZAI6ZBEMHI");
    const both = { occupied_heating_setpoint: 20, occupied_cooling_setpoint: 26 };
    expect(after(rig, { ...both, system_mode: "heat" })).toMatchObject({ target_temperature: 20 });
    expect(after(rig, { ...both, system_mode: "cool" })).toMatchObject({ target_temperature: 26 });
    expect(await sent(rig, { target_temperature: 25 })).toEqual(["z/set/occupied_cooling_setpoint 25"]);
  });

  test("AE-720K: what a switch beside it turns off is off", async () => {
    using rig = await house("AE-720K");
    expect(after(rig, { state: "ON", system_mode: "cool" })).toMatchObject({ mode: "cool", on: true });
    expect(after(rig, { state: "OFF", system_mode: "cool" })).toMatchObject({ mode: "off", system_mode: "cool" });
    expect(await sent(rig, { mode: "off" })).toEqual(["z/set/state OFF"]);
    expect(await sent(rig, { mode: "heat" })).toEqual(["z/set/state ON", "z/set/system_mode heat"]);
  });

  test("ZTRV-S01: without modes, its presets turn it off", async () => {
    using rig = await house("ZTRV-S01");
    expect(after(rig, { preset: "off" })).toMatchObject({ mode: "off", preset: "off" });
    expect(after(rig, { preset: "manual" })).toMatchObject({ mode: "heat" });
    expect(await sent(rig, { mode: "off" })).toEqual(["z/set/preset off"]);
    expect(await sent(rig, { mode: "auto" })).toEqual(["z/set/preset auto"]);
  });

  test("L101Z-SBI: the part that it is of is in its names, also of one alone", async () => {
    using rig = await house("L101Z-SBI");
    expect(after(rig, { system_mode_l3: "heat", local_temperature_l3: 20 })).toMatchObject({
      current_temperature_l3: 20,
    });
    expect(await sent(rig, { mode_l3: "off" })).toEqual(["z/l3/set/system_mode off"]);
  });

  test("SLR2: of heating and water, each is named by its part", async () => {
    using rig = await house("SLR2");
    const known = after(rig, {
      ...{ system_mode_heat: "heat", local_temperature_heat: 20, running_state_heat: "heat" },
      ...{ system_mode_water: "off", local_temperature_water: 50, running_state_water: "idle" },
    });
    expect(known).toMatchObject({ mode_heat: "heat", current_temperature_heat: 20, action_heat: "heating" });
    expect(known).toMatchObject({ mode_water: "off", current_temperature_water: 50, action_water: "idle" });
    expect(await sent(rig, { mode_water: "heat" })).toEqual(["z/water/set/system_mode heat"]);
    for (const word of ["mode", "current_temperature", "target_temperature", "action"])
      expect(properties(rig)).not.toHaveProperty(word);
    expect(properties(rig).mode_heat).toMatchObject({ word: "mode", part: "heat", of: "system_mode_heat" });
  });

  test.each([
    ["as announced", (keys: string[]) => keys],
    ["backwards", (keys: string[]) => keys.toReversed()],
  ])("H10: no zone is the whole, whatever their order: %s", async (_, order) => {
    using rig = await house("H10", order);
    const known = after(rig, { local_temperature_th1: 19, local_temperature_th2: 20, local_temperature_th10: 21 });
    expect(known).toMatchObject({
      current_temperature_th1: 19,
      current_temperature_th2: 20,
      current_temperature_th10: 21,
    });
    expect(known).not.toHaveProperty("current_temperature");
    expect(await sent(rig, { mode_th10: "off" })).toEqual(["z/th10/set/system_mode off"]);
  });
});

describe("a fan", () => {
  test("VZM36: a ceiling fan with a lamp is a fan, and `on` is the fan's", async () => {
    for (const order of [(keys: string[]) => keys, (keys: string[]) => keys.toReversed()]) {
      using rig = await house("VZM36", order);
      expect(device(rig).deviceType).toBe("fan");
      expect(after(rig, { state: "ON", brightness: 127, fan_state: "OFF", fan_mode: "low" })).toMatchObject({
        ...{ on: false, fan_state: false, on_light: true, brightness_pct: 50 },
        speed_pct: 33,
      });
      expect(await sent(rig, { on: false })).toEqual(["z/set/fan_state OFF"]);
      expect(await sent(rig, { on_light: true, brightness_pct: 10 })).toEqual(['z/set {"state":"ON","brightness":25}']);
    }
  });

  test.each([
    [0, "off"],
    [10, "low"],
    [33, "low"],
    [67, "medium"],
    [100, "high"],
  ])("VZM36: %d %% is %s", async (percent, mode) => {
    using rig = await house("VZM36");
    expect(await sent(rig, { speed_pct: percent })).toEqual([`z/set/fan_mode ${mode}`]);
    expect(after(rig, { fan_mode: mode }).speed_pct).toBe(percent === 10 ? 33 : percent);
    // It runs, and nobody knows how fast.
    expect(after(rig, { fan_mode: "smart" }).speed_pct).toBeUndefined();
  });

  test("SSWF01G: the switch beside a fan has a name of its own", async () => {
    using rig = await house("SSWF01G");
    expect(after(rig, { state: "ON", fan_state: "OFF" })).toMatchObject({ on: false, on_switch: true });
    expect(await sent(rig, { on_switch: false })).toEqual(["z/set OFF"]);
    expect(await sent(rig, { on: true })).toEqual(["z/set/fan_state ON"]);
  });

  test("FanBee: 254 speeds, in percent", async () => {
    using rig = await house("FanBee");
    expect(after(rig, { state: "ON", speed: 127 })).toMatchObject({ on: true, speed: 127, speed_pct: 50 });
    expect(await sent(rig, { speed_pct: 100 })).toEqual(["z/set/speed 254"]);
  });

  test("AC221: without a state of its own, its speed shows whether it runs", async () => {
    using rig = await house("AC221");
    expect(after(rig, { fan_state: null, fan_mode: "medium" })).toMatchObject({ on: true, speed_pct: 67 });
    expect(await sent(rig, { on: false })).toEqual(["z/set/fan_state OFF"]);
  });
});

test("AV2010/24: a siren sounds and is still, and what it was commanded last is what it is", async () => {
  using rig = await house("AV2010/24");
  const [start = ""] = await sent(rig, { on: true });
  expect(start).toContain('"mode":"emergency"');
  expect(device(rig).attributes).toMatchObject({ on: true });
  expect(await sent(rig, { on: false })).toEqual(['z/set {"warning":{"mode":"stop"}}']);
  expect(device(rig).attributes).toMatchObject({ on: false });
});

test("TS0216: a siren that is announced as a switch is on while it sounds", async () => {
  using rig = await house("TS0216");
  expect(after(rig, { alarm: true })).toMatchObject({ on: true, alarm: true });
  expect(await sent(rig, { on: false })).toEqual(await sent(rig, { alarm: false }));
});

test("RB56SC: 2,700 K are taken by a lamp down to 370 mired", async () => {
  using rig = await house("RB56SC");
  expect(await sent(rig, { color_temp_k: 2700 })).toEqual(['z/set {"state":"ON","color_temp":370}']);
  expect(await rig.discovery.command("x", { color_temp_k: 2000 }).catch(({ message }) => message)).toContain(
    "color_temp_k",
  );
});

test("EFEKTA_iAQ3: each of several sensors is of its part", async () => {
  using rig = await house("EFEKTA_iAQ3");
  expect(properties(rig).temperature_1).toMatchObject({ class: "temperature", part: "1" });
  expect(properties(rig).temperature_2).toMatchObject({ class: "temperature", part: "2" });
});
