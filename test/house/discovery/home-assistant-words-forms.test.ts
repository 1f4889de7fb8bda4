// The words that all devices share, of announcements in every form of Home Assistant's own documentation: values on topics of their
// own, scales of their own, and what makes no sense.
import { describe, expect, test } from "bun:test";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;

function put(rig: Rig, component: string, config: object, id = "x"): void {
  const payload = { unique_id: `${component}_${id}`, device: { identifiers: ["abc"], name: "Thing" }, ...config };
  rig.publish(`homeassistant/${component}/${id}/config`, payload, { account: "esp" });
}

async function announce(rig: Rig, component: string, config: object, id?: string): Promise<void> {
  put(rig, component, config, id);
  await rig.clock.advance(1000);
}

const say = (rig: Rig, topic: string, payload: unknown) => rig.publish(topic, payload, { account: "esp" });
const attributes = (rig: Rig) => rig.registry.get("abc").attributes;
const properties = (rig: Rig) =>
  (rig.registry.get("abc").details.schema as { properties: Record<string, object> }).properties;

async function sent(rig: Rig, wanted: object): Promise<string[]> {
  await rig.discovery.command("abc", wanted as never);
  return rig
    .sent()
    .map(({ topic, payload }) => `${topic} ${typeof payload === "string" ? payload : JSON.stringify(payload)}`);
}

const refusal = (rig: Rig, wanted: object): Promise<string> =>
  rig.discovery.command("abc", wanted as never).then(
    () => "taken",
    ({ message }) => message,
  );

interface Case {
  name: string;
  component: string;
  config: object;
  says?: [topic: string, payload: unknown, known: object][];
  commands?: [wanted: object, sent: string[]][];
}

const THERMOSTAT = { temperature_command_topic: "k/t/set", temperature_state_topic: "k/t" };
const LOCK = { command_topic: "k/set", state_topic: "k" };
const TILT = { tilt_command_topic: "k/tilt/set", tilt_status_topic: "k/tilt" };

const CASES: readonly Case[] = [
  {
    name: "a lock on its way",
    component: "lock",
    config: LOCK,
    says: [
      ["k", "LOCKED", { locked: true, lock_state: "locked" }],
      ["k", "UNLOCKING", { lock_state: "unlocking" }],
      ["k", "UNLOCKED", { locked: false, lock_state: "unlocked" }],
      ["k", "OPEN", { locked: false, lock_state: "open" }],
      ["k", "LOCKING", { lock_state: "locking" }],
      ["k", "something", { lock_state: "locking" }],
    ],
  },
  {
    name: "a lock with words of its own",
    component: "lock",
    config: { ...LOCK, state_jammed: "stuck", state_locked: "zu", state_unlocked: "auf" },
    says: [
      ["k", "zu", { locked: true, lock_state: "locked" }],
      ["k", "stuck", { lock_state: "jammed" }],
    ],
  },
  {
    name: "a cover of 255 steps upside down",
    component: "cover",
    config: {
      ...{ position_topic: "k/p", set_position_topic: "k/p/set", position_open: 0, position_closed: 255 },
      set_position_template: '{"raw": {{ value }}, "percent": {{ position }}}',
    },
    says: [["k/p", "255", { position: 0, position_raw: 255 }]],
    commands: [
      [{ position: 100 }, ['k/p/set {"raw":0,"percent":100}']],
      [{ command: "close" }, ['k/p/set {"raw":255,"percent":0}']],
    ],
  },
  {
    name: "slats of 180 degrees",
    component: "cover",
    config: { ...TILT, tilt_min: 0, tilt_max: 180, tilt_closed_value: 70, tilt_opened_value: 180 },
    says: [["k/tilt", "90", { tilt: 90, tilt_pct: 50 }]],
    commands: [
      [{ tilt_pct: 50 }, ["k/tilt/set 90"]],
      [{ tilt: 50 }, ["k/tilt/set 50"]],
    ],
  },
  {
    name: "slats upside down",
    component: "cover",
    config: { ...TILT, tilt_min: 100, tilt_max: 0 },
    says: [["k/tilt", "25", { tilt: 25, tilt_pct: 75 }]],
    commands: [[{ tilt_pct: 100 }, ["k/tilt/set 0"]]],
  },
  {
    name: "slats whose closed is more than their open",
    component: "cover",
    config: { ...TILT, tilt_closed_value: 100, tilt_opened_value: 0 },
    says: [["k/tilt", "100", { tilt_pct: 0 }]],
    commands: [[{ tilt_pct: 100 }, ["k/tilt/set 0"]]],
  },
  {
    name: "slats whose place comes with that of the cover",
    component: "cover",
    config: { position_topic: "k/p", set_position_topic: "k/p/set", tilt_command_topic: "k/tilt/set" },
    says: [["k/p", { position: 30, tilt_position: 60 }, { position: 30, tilt_pct: 60 }]],
  },
  {
    name: "a valve with a position",
    component: "valve",
    config: { command_topic: "k/set", state_topic: "k", reports_position: true, payload_stop: "HALT" },
    says: [
      ["k", { state: "closing", position: 40 }, { on: true, position: 40, moving: "closing" }],
      ["k", "0", { on: false, position: 0, moving: "stopped" }],
    ],
    commands: [
      [{ on: true }, ["k/set 100"]],
      [{ command: "close" }, ["k/set 0"]],
      [{ command: "stop" }, ["k/set HALT"]],
    ],
  },
  {
    name: "a thermostat that is switched off by a topic of its own",
    component: "climate",
    config: {
      ...{ mode_command_topic: "k/m/set", mode_state_topic: "k/m", modes: ["heat", "cool"] },
      ...{ power_command_topic: "k/power", action_topic: "k/a" },
    },
    says: [
      ["k/m", "heat", { mode: "heat" }],
      ["k/a", "cool", { action: "cooling" }],
      ["k/a", "preheating", { action: "preheating" }],
      ["k/a", "nonsense", { action: "preheating" }],
    ],
    commands: [
      [{ mode: "off" }, ["k/power OFF"]],
      [{ mode: "cool" }, ["k/power ON", "k/m/set cool"]],
    ],
  },
  {
    name: "a water heater in °F whose range is upside down",
    component: "water_heater",
    config: {
      ...{ ...THERMOSTAT, temperature_unit: "F", min_temp: 140, max_temp: 110, current_temperature_topic: "k/c" },
      ...{ mode_state_topic: "k/m", mode_command_topic: "k/m/set" },
    },
    says: [
      ["k/t", "122", { target_temperature: 50, target_temperature_f: 122 }],
      ["k/c", "113", { current_temperature: 45, current_temperature_f: 113 }],
      ["k/m", "eco", { mode: "eco" }],
    ],
    commands: [[{ target_temperature: 50, mode: "off" }, ["k/t/set 122", "k/m/set off"]]],
  },
  {
    name: "a fan whose only speeds are modes",
    component: "fan",
    config: {
      ...{ command_topic: "k/set", preset_mode_command_topic: "k/p/set", preset_mode_state_topic: "k/p" },
      preset_modes: ["high", "off", "low", "auto", "medium"],
    },
    says: [
      ["k/p", "medium", { on: true, speed_pct: 67, preset_mode: "medium" }],
      ["k/p", "off", { on: false, speed_pct: 0 }],
    ],
    commands: [
      [{ speed_pct: 10 }, ["k/p/set low"]],
      [{ speed_pct: 0 }, ["k/p/set off"]],
      [{ on: true }, ["k/set ON"]],
    ],
  },
  {
    name: "a fan of one speed",
    component: "fan",
    config: {
      ...{ command_topic: "k/set", state_topic: "k", speed_range_min: 5, speed_range_max: 5 },
      ...{ percentage_command_topic: "k/s/set", percentage_state_topic: "k/s" },
    },
    says: [["k/s", "5", { speed_pct: 100 }]],
    commands: [[{ on: true, speed_pct: 30 }, ["k/set ON", "k/s/set 5"]]],
  },
  {
    name: "a siren that says all at once",
    component: "siren",
    config: { command_topic: "k/set", state_topic: "k", state_value_template: "{{ value_json.alarm_state }}" },
    says: [["k", { alarm_state: "ON" }, { on: true, alarm_state: true }]],
    commands: [[{ on: false }, ['k/set {"state":"OFF"}']]],
  },
  {
    name: "an alarm panel",
    component: "alarm_control_panel",
    config: { command_topic: "k/set", state_topic: "k" },
    says: [
      ["k", "arming", { alarm: "arming" }],
      ["k", "triggered", { alarm: "triggered" }],
      ["k", "on fire", { alarm: "triggered" }],
    ],
  },
  {
    name: "a lamp in kelvin, whose range is a hair beside the box",
    component: "light",
    config: {
      ...{ schema: "json", command_topic: "k/set", state_topic: "k", color_temp_kelvin: true },
      ...{ supported_color_modes: ["color_temp"], min_kelvin: 2703, max_kelvin: 6493 },
    },
    commands: [[{ color_temp_k: 2700 }, ['k/set {"state":"ON","color_temp":2703}']]],
  },
  {
    name: "a lamp whose scales make no sense",
    component: "light",
    config: {
      ...{ schema: "json", command_topic: "k/set", state_topic: "k", brightness: true, brightness_scale: 0 },
      ...{ supported_color_modes: ["color_temp"], min_mireds: 500, max_mireds: 153 },
    },
    says: [["k", { state: "ON", brightness: 255 }, { on: true, brightness_pct: 100 }]],
    commands: [[{ color_temp_k: 4000 }, ['k/set {"state":"ON","color_temp":250}']]],
  },
  {
    name: "a lamp of one step",
    component: "light",
    config: { schema: "json", command_topic: "k/set", state_topic: "k", brightness: true, brightness_scale: 1 },
    says: [["k", { state: "ON", brightness: 1 }, { brightness_pct: 100 }]],
    commands: [[{ brightness_pct: 40 }, ['k/set {"state":"OFF"}']]],
  },
  {
    name: "a lamp that takes its JSON only beside its state",
    component: "light",
    config: {
      schema: "json",
      command_topic: "k/set",
      state_topic: "k",
      brightness: true,
      effect: true,
      effect_list: ["glow"],
    },
    commands: [
      [{ brightness_pct: 100 }, ['k/set {"state":"ON","brightness":255}']],
      [{ effect: "glow" }, ['k/set {"state":"ON","effect":"glow"}']],
      [{ flash: "short" }, ['k/set {"state":"ON","flash":2}']],
      [{ on: false, flash: "long" }, ['k/set {"state":"OFF","flash":10}']],
      [{ transition: 3 }, ['k/set {"transition":3}']],
    ],
  },
  {
    name: "a lamp whose flashes have lengths of their own",
    component: "light",
    config: { schema: "json", command_topic: "k/set", flash_time_short: 1, flash_time_long: 30 },
    commands: [
      [{ flash: "short" }, ['k/set {"state":"ON","flash":1}']],
      [{ flash: "long" }, ['k/set {"state":"ON","flash":30}']],
    ],
  },
  {
    name: "a lamp that is switched on after its brightness",
    component: "light",
    config: { command_topic: "k/set", brightness_command_topic: "k/b/set" },
    commands: [
      [{ brightness_pct: 100 }, ["k/b/set 255", "k/set ON"]],
      [{ brightness_pct: 0 }, ["k/set OFF"]],
    ],
  },
  {
    name: "a lamp that is switched on before its brightness",
    component: "light",
    config: { command_topic: "k/set", brightness_command_topic: "k/b/set", on_command_type: "first" },
    commands: [[{ brightness_pct: 100 }, ["k/set ON", "k/b/set 255"]]],
  },
  {
    name: "a lamp that its brightness switches on",
    component: "light",
    config: {
      ...{ command_topic: "k/set", brightness_command_topic: "k/b/set", brightness_state_topic: "k/b" },
      ...{ on_command_type: "brightness", effect_command_topic: "k/e/set", effect_list: ["glow"] },
    },
    says: [["k/b", "80", { brightness: 80 }]],
    commands: [
      [{ on: true }, ["k/b/set 80"]],
      [{ brightness: 20 }, ["k/b/set 20"]],
      [{ effect: "glow" }, ["k/e/set glow", "k/b/set 80"]],
      [{ brightness: 0 }, ["k/set OFF"]],
      [{ on: false }, ["k/set OFF"]],
    ],
  },
  {
    name: "a motion that is retold in words",
    component: "binary_sensor",
    config: { state_topic: "k", payload_on: "yes", payload_off: "no", device_class: "motion", expire_after: 0 },
    says: [
      ["k", "yes", { motion: true }],
      ["k", "perhaps", { motion: true }],
      ["k", "no", { motion: false }],
    ],
  },
  {
    name: "a class and a unit that do not exist",
    component: "sensor",
    config: { state_topic: "k", device_class: "phlogiston", unit_of_measurement: "furlong" },
    says: [["k", "5", { phlogiston: 5 }]],
  },
];

describe("the form of", () => {
  test.each(CASES.map((one) => [one.name, one] as const))(
    "%s",
    async (_, { component, config, says = [], commands = [] }) => {
      using rig = createRig();
      await announce(rig, component, config);
      expect(rig.discovery.list().map(({ problem }) => problem)).toEqual([null]);
      for (const [topic, payload, known] of says) {
        say(rig, topic, payload);
        expect(attributes(rig)).toMatchObject(known);
      }
      for (const [wanted, messages] of commands) expect(await sent(rig, wanted)).toEqual(messages);
    },
  );
});

test("a sensor whose on is false says that its true is off", async () => {
  using rig = createRig();
  for (const [id, more] of [
    ["a", { payload_on: "false" }],
    ["b", { payload_on: false, payload_off: true }],
    ["c", { payload_on: true, payload_off: false }],
  ] as const)
    put(
      rig,
      "binary_sensor",
      { state_topic: "k", value_template: `{{ value_json.${id} }}`, device_class: "heat", ...more },
      id,
    );
  await rig.clock.advance(1000);
  say(rig, "k", { a: true, b: true, c: true });
  expect(attributes(rig)).toEqual({ a: true, b: true, c: true });
  expect(properties(rig)).toMatchObject({ a: { inverted: true }, b: { inverted: true } });
  expect(properties(rig).c).not.toHaveProperty("inverted");
});

test("a lock that is neither says so", async () => {
  using rig = createRig();
  await announce(rig, "lock", LOCK);
  say(rig, "k", "LOCKED");
  for (const payload of ["JAMMED", "UNLOCKING", "None"]) {
    say(rig, "k", payload);
    expect(attributes(rig).locked).toBeUndefined();
  }
  expect(attributes(rig).lock_state).toBeUndefined();
});

test("an open end that is its closed one leaves a cover its own value", async () => {
  using rig = createRig();
  const position = { position_topic: "k/p", set_position_topic: "k/p/set", position_open: 50, position_closed: 50 };
  await announce(rig, "cover", { command_topic: "k/set", ...position });
  say(rig, "k/p", "50");
  expect(attributes(rig)).toMatchObject({ position_raw: 50 });
  expect(attributes(rig)).not.toHaveProperty("position");
  expect(await sent(rig, { command: "open" })).toEqual(["k/set OPEN"]);
});

describe("several of a kind", () => {
  const lamp = (room: string) => ({
    ...{ command_topic: `${room}/set`, state_topic: room },
    ...{ brightness_command_topic: `${room}/b/set`, brightness_state_topic: `${room}/b` },
  });

  test.each([
    ["one way", ["living_lamp", "kitchen_lamp"]],
    ["the other", ["kitchen_lamp", "living_lamp"]],
  ])("are each named by their part, whichever came first: %s", async (_, ids) => {
    using rig = createRig();
    for (const id of ids) put(rig, "light", lamp(id), id);
    await rig.clock.advance(1000);
    say(rig, "living_lamp", "ON");
    say(rig, "kitchen_lamp/b", "51");
    expect(attributes(rig)).toMatchObject({ on_living: true, brightness_kitchen: 51, brightness_pct_kitchen: 20 });
    expect(properties(rig)).not.toHaveProperty("on");
    expect(properties(rig)).not.toHaveProperty("brightness_pct");
    expect(await sent(rig, { on_kitchen: true, brightness_pct_kitchen: 40 })).toEqual([
      "kitchen_lamp/b/set 102",
      "kitchen_lamp/set ON",
    ]);
  });

  test("with the same name still have two", async () => {
    using rig = createRig();
    put(rig, "light", { ...lamp("a"), unique_id: "one" }, "lamp");
    const device = { identifiers: ["abc"] };
    const other = { ...lamp("b"), unique_id: "two", device };
    rig.publish("homeassistant/light/other/lamp/config", other, { account: "esp" });
    await rig.clock.advance(1000);
    const names = Object.keys(properties(rig)).filter((name) => name.startsWith("on_"));
    expect(names).toHaveLength(2);
    expect(properties(rig)).not.toHaveProperty("on");
  });

  test("of several batteries none is the battery", async () => {
    using rig = createRig();
    for (const one of ["1", "2", "10"]) {
      const path = { state_topic: "k", value_template: `{{ value_json.battery_${one} }}` };
      put(rig, "sensor", { ...path, device_class: "battery", unit_of_measurement: "%" }, one);
    }
    await rig.clock.advance(1000);
    say(rig, "k", { battery_1: 90, battery_2: 80, battery_10: 10 });
    expect(attributes(rig)).toEqual({ battery_1: 90, battery_2: 80, battery_10: 10 });
    expect(properties(rig).battery_10).toMatchObject({ part: "10", class: "battery" });
  });

  test("are distinguished by what they share at their end", async () => {
    using rig = createRig();
    for (const one of ["input_1", "input_2"]) {
      const path = { state_topic: "k", value_template: `{{ value_json.${one}_leak }}` };
      await announce(
        rig,
        "binary_sensor",
        { ...path, device_class: "moisture", payload_on: true, payload_off: false },
        one,
      );
    }
    expect(properties(rig).input_2_leak).toMatchObject({ part: "input_2", class: "moisture" });
  });
});

test("what is made of a value is unknown when the value is", async () => {
  using rig = createRig();
  const path = { state_topic: "k", value_template: "{{ value_json.local_temperature }}" };
  await announce(rig, "sensor", { ...path, expire_after: 60, unit_of_measurement: "°C", device_class: "temperature" });
  await announce(rig, "climate", {
    ...THERMOSTAT,
    ...{ current_temperature_topic: "k", current_temperature_template: path.value_template },
  });
  say(rig, "k", { local_temperature: 20 });
  expect(attributes(rig)).toMatchObject({ local_temperature: 20, current_temperature: 20 });
  await rig.clock.advance(61_000);
  expect(attributes(rig)).toEqual({});
});

test("what a thermostat does has another name beside its presses", async () => {
  using rig = createRig();
  put(rig, "climate", { ...THERMOSTAT, action_topic: "k/a" });
  await announce(rig, "event", { state_topic: "k/e", event_types: ["hold"] }, "e");
  say(rig, "k/a", "heating");
  say(rig, "k/e", { event_type: "hold" });
  expect(attributes(rig)).toMatchObject({ climate_action: "heating", action: "hold" });
});

test("what a thermostat does keeps its name where its presses are announced later", async () => {
  using rig = createRig();
  await announce(rig, "climate", { ...THERMOSTAT, action_topic: "k/a" });
  await announce(rig, "event", { state_topic: "k/e", event_types: ["hold"] }, "e");
  say(rig, "k/a", "heating");
  say(rig, "k/e", { event_type: "hold" });
  expect(attributes(rig)).toMatchObject({ action: "heating", action_event: "hold" });
  expect(rig.actions).toEqual([{ device_id: "abc", action: "hold" }]);
});

test("what is refused is refused by the name that was given", async () => {
  using rig = createRig();
  await announce(rig, "cover", { command_topic: "k/set", state_topic: "k", ...TILT });
  expect(await refusal(rig, { command: "fly" })).toContain("command");
  expect(await refusal(rig, { tilt_pct: 101 })).toContain("tilt_pct");
  expect(await refusal(rig, { moving: "opening" })).toContain("moving");
});

test("an effect that is also announced as a choice leaves a lamp as it is", async () => {
  const rig = createRig();
  const effects = ["blink", "stop_effect"];
  const lamp = { schema: "json", command_topic: "k/set", state_topic: "k", effect: true, effect_list: effects };
  await announce(rig, "light", lamp);
  const choice = { command_topic: "k/set/effect", state_topic: "k", value_template: "{{ value_json.effect }}" };
  await announce(rig, "select", { ...choice, options: effects }, "effect");
  expect(await sent(rig, { effect: "stop_effect" })).toEqual(["k/set/effect stop_effect"]);
  expect(await sent(rig, { on: true, effect: "blink" })).toEqual(
    expect.arrayContaining(['k/set {"state":"ON"}', "k/set/effect blink"]),
  );
});
