import { describe, expect, test } from "bun:test";
import { createRig } from "./rig.ts";

type Rig = ReturnType<typeof createRig>;
const DEVICE = { identifiers: ["abc"], name: "Kettle", manufacturer: "Maker", model: "K1", suggested_area: "kitchen" };

async function announce(rig: Rig, component: string, config: object, { id = "x", account = "esp" } = {}) {
  const payload = { unique_id: `${component}_${id}`, device: DEVICE, ...config };
  rig.publish(`homeassistant/${component}/${id}/config`, payload, { account });
  await rig.clock.advance(1000);
}

const say = (rig: Rig, topic: string, payload: unknown) => rig.publish(topic, payload, { account: "esp" });
const kettle = (rig: Rig) => rig.registry.get("abc");

async function command(rig: Rig, wanted: object) {
  await rig.discovery.command("abc", wanted as never);
  return rig
    .sent()
    .map(({ topic, payload }) => `${topic} ${typeof payload === "string" ? payload : JSON.stringify(payload)}`);
}

test("short keys and ~ are put in, and entities of one device block are one device", async () => {
  using rig = createRig();
  const dev = { ids: "abc", name: "Kettle", mf: "Maker", mdl: "K1", sa: "kitchen" };
  rig.publish(
    "homeassistant/sensor/t/config",
    { "~": "kettle", stat_t: "~/t", uniq_id: "t", dev_cla: "temperature", unit_of_meas: "°C", dev, avty_t: "~/lwt" },
    { account: "esp" },
  );
  rig.publish(
    "homeassistant/switch/s/config",
    { "~": "kettle", stat_t: "~/power", cmd_t: "~/power/set", uniq_id: "s", dev },
    { account: "esp" },
  );
  await rig.clock.advance(1000);
  say(rig, "kettle/t", "21.5");
  say(rig, "kettle/power", "ON");
  expect([...rig.registry.list()]).toHaveLength(1);
  expect(kettle(rig)).toMatchObject({
    ...{ name: "Kettle", area: "kitchen", deviceType: "switch", pluginId: "esp" },
    attributes: { temperature: 21.5, on: true },
  });
  say(rig, "kettle/lwt", "offline");
  expect(kettle(rig).available).toBe(false);
  expect(await command(rig, { on: false })).toEqual(["kettle/power/set OFF"]);
});

test("a device's own message: shared options, components that go, and everything taken back", async () => {
  using rig = createRig();
  const topic = "homeassistant/device/abc/config";
  const all = {
    device: { ids: ["abc"], name: "Kettle" },
    origin: { name: "maker" },
    state_topic: "kettle/state",
    components: {
      t: { p: "sensor", unique_id: "t", unit_of_measurement: "°C", value_template: "{{ value_json.temperature }}" },
      h: {
        p: "binary_sensor",
        unique_id: "h",
        value_template: "{{ value_json.heating }}",
        payload_on: true,
        payload_off: false,
      },
    },
  };
  rig.publish(topic, all, { account: "esp" });
  await rig.clock.advance(1000);
  say(rig, "kettle/state", { temperature: 40, heating: true, extra: "as it is" });
  expect(kettle(rig).attributes).toEqual({ temperature: 40, heating: true, extra: "as it is" });
  rig.publish(topic, { ...all, components: { t: { p: "sensor" }, h: all.components.h } }, { account: "esp" });
  await rig.clock.advance(1000);
  expect(Object.keys((kettle(rig).details.schema as { properties: object }).properties)).toEqual(["heating"]);
  rig.publish(topic, "", { account: "esp" });
  await rig.clock.advance(1000);
  expect(kettle(rig)).toMatchObject({ name: "Kettle", available: false });
});

test("migration from single messages to one keeps the device", async () => {
  using rig = createRig();
  await announce(rig, "sensor", { state_topic: "kettle/t", unit_of_measurement: "°C" });
  rig.publish("homeassistant/sensor/x/config", { migrate_discovery: true }, { account: "esp" });
  const components = { x: { p: "sensor", unique_id: "sensor_x", state_topic: "kettle/t", unit_of_measurement: "°C" } };
  rig.publish(
    "homeassistant/device/abc/config",
    { device: DEVICE, origin: { name: "maker" }, components },
    { account: "esp" },
  );
  rig.publish("homeassistant/sensor/x/config", "", { account: "esp" });
  await rig.clock.advance(1000);
  say(rig, "kettle/t", "5");
  expect([...rig.registry.list()]).toHaveLength(1);
  expect(kettle(rig)).toMatchObject({ available: true, attributes: { x: 5 } });
});

describe("a component's values and commands", () => {
  interface Case {
    component: string;
    config: object;
    says?: [topic: string, payload: unknown];
    attributes?: object;
    commands?: [wanted: object, sent: string[]][];
  }
  const cases: Case[] = [
    {
      component: "light",
      config: {
        command_topic: "k/set",
        state_topic: "k",
        brightness_command_topic: "k/b/set",
        brightness_state_topic: "k/b",
        rgb_command_topic: "k/rgb/set",
      },
      says: ["k/b", "128"],
      attributes: { brightness: 128, brightness_pct: 50 },
      commands: [
        [{ on: true, brightness_pct: 100 }, ["k/b/set 255", "k/set ON"]],
        [{ color_rgb: "#010203" }, ["k/rgb/set 1,2,3", "k/set ON"]],
      ],
    },
    {
      component: "light",
      config: {
        schema: "json",
        command_topic: "k/set",
        state_topic: "k",
        supported_color_modes: ["color_temp", "rgb"],
        effect: true,
        effect_list: ["rainbow"],
      },
      says: ["k", { state: "ON", brightness: 51, color_temp: 200, color: { r: 255, g: 0, b: 16 }, effect: "rainbow" }],
      attributes: {
        on: true,
        brightness: 51,
        brightness_pct: 20,
        color_temp_k: 5000,
        color_rgb: "#ff0010",
        effect: "rainbow",
      },
      commands: [[{ on: true, brightness: 10 }, ['k/set {"state":"ON","brightness":10}']]],
    },
    {
      component: "light",
      config: {
        ...{ schema: "template", command_topic: "k/set", state_topic: "k" },
        ...{ command_on_template: "on,{{ brightness | default('') }}", command_off_template: "off" },
        ...{ state_template: "{{ value.split(',')[0] }}", brightness_template: "{{ value.split(',')[1] }}" },
      },
      says: ["k", "on,77"],
      attributes: { on: true, brightness: 77 },
      commands: [
        [{ on: false }, ["k/set off"]],
        [{ on: true, brightness: 5 }, ["k/set on,5"]],
      ],
    },
    {
      component: "cover",
      config: {
        command_topic: "k/set",
        state_topic: "k",
        position_topic: "k/p",
        set_position_topic: "k/p/set",
        position_open: 0,
        position_closed: 100,
      },
      says: ["k/p", "25"],
      attributes: { position: 75 },
      commands: [
        [{ position: 100 }, ["k/p/set 0"]],
        [{ state: "stop" }, ["k/set STOP"]],
      ],
    },
    {
      component: "climate",
      config: {
        ...{
          mode_command_topic: "k/m/set",
          mode_state_topic: "k/m",
          modes: ["off", "heat"],
          max_temp: 30,
          min_temp: 5,
        },
        ...{ temperature_command_topic: "k/t/set", temperature_state_topic: "k/t", current_temperature_topic: "k/c" },
      },
      says: ["k/c", "19.5"],
      attributes: { current_temperature: 19.5 },
      commands: [[{ mode: "heat", target_temperature: 21 }, ["k/m/set heat", "k/t/set 21"]]],
    },
    {
      component: "lock",
      config: { command_topic: "k/set", state_topic: "k" },
      says: ["k", "LOCKED"],
      attributes: { locked: true },
      commands: [[{ locked: false }, ["k/set UNLOCK"]]],
    },
    {
      component: "fan",
      config: {
        command_topic: "k/set",
        state_topic: "k",
        percentage_command_topic: "k/s/set",
        percentage_state_topic: "k/s",
        speed_range_max: 4,
      },
      says: ["k/s", "2"],
      attributes: { speed: 2, speed_pct: 50 },
      commands: [[{ on: true, speed_pct: 75 }, ["k/set ON", "k/s/set 3"]]],
    },
    {
      component: "select",
      config: { command_topic: "k/set", state_topic: "k", options: ["a", "b"] },
      says: ["k", "b"],
      attributes: { x: "b" },
      commands: [[{ x: "a" }, ["k/set a"]]],
    },
    {
      component: "number",
      config: { command_topic: "k/set", state_topic: "k", min: 0, max: 10, command_template: '{"n": {{ value }}}' },
      says: ["k", "4"],
      attributes: { x: 4 },
      commands: [[{ x: 7 }, ['k/set {"n":7}']]],
    },
    {
      component: "siren",
      config: {
        command_topic: "k/set",
        state_topic: "k",
        available_tones: ["loud"],
        command_template: "{{ value }} {{ tone | default('soft') }}",
      },
      says: ["k", "ON"],
      attributes: { on: true },
      commands: [[{ on: true, tone: "loud" }, ["k/set ON loud"]]],
    },
    {
      component: "vacuum",
      config: { command_topic: "k/set", state_topic: "k", set_fan_speed_topic: "k/f/set", fan_speed_list: ["low"] },
      says: ["k", { state: "docked", fan_speed: "low" }],
      attributes: { state: "docked", fan_speed: "low" },
      commands: [[{ command: "return_to_base" }, ["k/set return_to_base"]]],
    },
    {
      component: "valve",
      config: { command_topic: "k/set", state_topic: "k", reports_position: true },
      says: ["k", "40"],
      attributes: { position: 40 },
      commands: [[{ position: 0 }, ["k/set 0"]]],
    },
    {
      component: "alarm_control_panel",
      config: { command_topic: "k/set", state_topic: "k" },
      says: ["k", "armed_home"],
      attributes: { alarm: "armed_home" },
      commands: [[{ command: "arm_away" }, ["k/set ARM_AWAY"]]],
    },
    {
      component: "light",
      config: {
        ...{
          command_topic: "k/set",
          hs_command_topic: "k/hs/set",
          hs_state_topic: "k/hs",
          on_command_type: "brightness",
        },
        ...{ brightness_command_topic: "k/b/set", brightness_state_topic: "k/b", brightness_scale: 100 },
      },
      says: ["k/hs", "120,100"],
      attributes: { color_rgb: "#00ff00" },
      commands: [
        [{ on: true }, ["k/b/set 100"]],
        [{ on: true, color_rgb: "#0000ff", brightness: 5 }, ["k/hs/set 240,100", "k/b/set 5"]],
        [{ on: false }, ["k/set OFF"]],
      ],
    },
    {
      component: "light",
      config: {
        ...{ schema: "json", command_topic: "k/set", state_topic: "k", color_temp_kelvin: true },
        ...{ supported_color_modes: ["color_temp", "hs"], min_kelvin: 2000, max_kelvin: 6500 },
      },
      says: ["k", { state: "OFF", color_temp: 2700, color_mode: "color_temp" }],
      attributes: { on: false, color_temp_k: 2700, color_mode: "color_temp" },
      commands: [
        [{ on: true, color_temp_k: 3000, transition: 2 }, ['k/set {"state":"ON","color_temp":3000,"transition":2}']],
        [{ color_rgb: "#ff0000", flash: "short" }, ['k/set {"state":"ON","color":{"h":0,"s":100},"flash":2}']],
      ],
    },
    {
      component: "cover",
      config: {
        command_topic: "k/set",
        state_topic: "k",
        tilt_command_topic: "k/tilt/set",
        tilt_status_topic: "k/tilt",
      },
      says: ["k", "opening"],
      attributes: { state: "opening", moving: "opening" },
      commands: [
        [{ tilt: 30 }, ["k/tilt/set 30"]],
        [{ state: "close" }, ["k/set CLOSE"]],
      ],
    },
    {
      component: "climate",
      config: {
        ...{ temperature_unit: "F", temperature_command_topic: "k/t/set", temperature_state_topic: "k/t" },
        ...{ min_temp: 50, max_temp: 86, preset_mode_command_topic: "k/p/set", preset_modes: ["away"] },
        ...{ action_topic: "k/a", action_template: "{{ value_json.now }}", power_command_topic: "k/power" },
      },
      says: ["k/t", "68"],
      attributes: { target_temperature_f: 68, target_temperature: 20 },
      commands: [
        [{ target_temperature: 25 }, ["k/t/set 77"]],
        [{ preset_mode: "none", power: true }, ["k/p/set none", "k/power ON"]],
      ],
    },
    {
      component: "water_heater",
      config: { mode_command_topic: "k/m/set", mode_state_topic: "k/m", temperature_command_topic: "k/t/set" },
      says: ["k/m", "eco"],
      attributes: { mode: "eco" },
      commands: [[{ mode: "performance", target_temperature: 55 }, ["k/m/set performance", "k/t/set 55"]]],
    },
    {
      component: "humidifier",
      config: {
        ...{ command_topic: "k/set", state_topic: "k", target_humidity_command_topic: "k/h/set" },
        ...{ target_humidity_state_topic: "k/h", mode_command_topic: "k/m/set", modes: ["sleep", "auto"] },
      },
      says: ["k/h", "45"],
      attributes: { target_humidity: 45 },
      commands: [[{ on: true, target_humidity: 20, mode: "sleep" }, ["k/set ON", "k/h/set 20", "k/m/set sleep"]]],
    },
    {
      component: "fan",
      config: {
        ...{
          command_topic: "k/set",
          state_topic: "k",
          oscillation_command_topic: "k/o/set",
          oscillation_state_topic: "k/o",
        },
        ...{ direction_command_topic: "k/d/set", preset_mode_command_topic: "k/p/set", preset_modes: ["breeze"] },
      },
      says: ["k/o", "oscillate_on"],
      attributes: { oscillating: true },
      commands: [
        [
          { oscillating: false, direction: "reverse", preset_mode: "breeze" },
          ["k/o/set oscillate_off", "k/d/set reverse", "k/p/set breeze"],
        ],
      ],
    },
    {
      component: "lawn_mower",
      config: {
        ...{ activity_state_topic: "k", start_mowing_command_topic: "k/start", dock_command_topic: "k/dock" },
        dock_command_template: '{"go": "{{ value }}"}',
      },
      says: ["k", "mowing"],
      attributes: { activity: "mowing" },
      commands: [
        [{ command: "start_mowing" }, ["k/start start_mowing"]],
        [{ command: "dock" }, ['k/dock {"go":"dock"}']],
      ],
    },
    {
      component: "valve",
      config: { command_topic: "k/set", state_topic: "k", payload_stop: "STOP" },
      says: ["k", '{"state":"open"}'],
      attributes: { x: true, on: true, moving: "stopped" },
      commands: [
        [{ x: false }, ["k/set CLOSE"]],
        [{ stop: true }, ["k/set STOP"]],
      ],
    },
    {
      component: "valve",
      config: { command_topic: "k/set", state_topic: "k", reports_position: true },
      says: ["k", { state: "opening", position: 10 }],
      attributes: { position: 10, moving: "opening" },
    },
    {
      component: "lock",
      config: {
        ...{ command_topic: "k/set", state_topic: "k", payload_open: "OPEN", code_format: "^\\d{4}$" },
        command_template: '{"do":"{{ value }}","code":"{{ code }}"}',
      },
      says: ["k", "JAMMED"],
      attributes: { lock_state: "jammed" },
      commands: [
        [{ locked: true, code: "1234" }, ['k/set {"do":"LOCK","code":"1234"}']],
        [{ open: true, code: "1234" }, ['k/set {"do":"OPEN","code":"1234"}']],
      ],
    },
    {
      component: "alarm_control_panel",
      config: {
        ...{ command_topic: "k/set", state_topic: "k", code: "REMOTE_CODE", code_arm_required: false },
        ...{ command_template: "{{ action }} {{ code | default('-', true) }}", supported_features: ["arm_home"] },
      },
      says: ["k", "triggered"],
      attributes: { alarm: "triggered" },
      commands: [
        [{ command: "disarm", code: "4711" }, ["k/set DISARM 4711"]],
        [{ command: "arm_home" }, ["k/set ARM_HOME -"]],
      ],
    },
    {
      component: "device_tracker",
      config: { state_topic: "k", payload_home: "here", json_attributes_topic: "k/at" },
      says: ["k/at", { latitude: 48.2, longitude: 16.3, gps_accuracy: 12, ssid: "home" }],
      attributes: { latitude: 48.2, longitude: 16.3, gps_accuracy: 12, ssid: "home" },
    },
    {
      component: "device_tracker",
      config: { state_topic: "k", payload_home: "here" },
      says: ["k", "here"],
      attributes: { location: "home" },
    },
    {
      component: "text",
      config: { command_topic: "k/set", state_topic: "k", max: 5 },
      says: ["k", "hello"],
      attributes: { x: "hello" },
      commands: [[{ x: "world" }, ["k/set world"]]],
    },
    {
      component: "notify",
      config: { command_topic: "k/say" },
      commands: [[{ x: "The washing is done" }, ["k/say The washing is done"]]],
    },
    { component: "scene", config: { command_topic: "k/set" }, commands: [[{ x: true }, ["k/set ON"]]] },
    {
      component: "time",
      config: { command_topic: "k/set", state_topic: "k" },
      says: ["k", "07:30:00"],
      attributes: { x: "07:30:00" },
    },
    {
      component: "update",
      config: { state_topic: "k", latest_version_topic: "k/latest" },
      says: ["k", "1.2"],
      attributes: { installed_version: "1.2" },
    },
    {
      component: "sensor",
      config: { state_topic: "k", device_class: "battery", value_template: "{{ value_json.bat }}" },
      says: ["k", { bat: 55 }],
      attributes: { battery: 55 },
    },
    {
      component: "binary_sensor",
      config: { state_topic: "k", value_template: "{{ value_json.open }}", payload_on: true, payload_off: false },
      says: ["k", { open: true }],
      attributes: { open: true },
    },
    {
      component: "switch",
      config: {
        command_topic: "k/set",
        state_topic: "k",
        payload_on: "1",
        payload_off: "0",
        state_on: "yes",
        state_off: "no",
      },
      says: ["k", "yes"],
      attributes: { on: true },
      commands: [[{ on: false }, ["k/set 0"]]],
    },
    {
      component: "vacuum",
      config: {
        command_topic: "k/set",
        send_command_topic: "k/app",
        state_topic: "k",
        supported_features: ["start", "return_home"],
      },
      says: ["k", { state: "cleaning", battery_level: 61 }],
      attributes: { state: "cleaning", battery: 61 },
      commands: [[{ send_command: "zone 3" }, ["k/app zone 3"]]],
    },
    {
      component: "siren",
      config: { command_topic: "k/set", state_topic: "k" },
      says: ["k", { state: "ON" }],
      attributes: { on: true },
      commands: [
        [{ on: true, volume_level: 0.5, duration: 10 }, ['k/set {"state":"ON","volume_level":0.5,"duration":10}']],
      ],
    },
    { component: "camera", config: { topic: "k/picture" } },
    { component: "image", config: { image_topic: "k/picture" } },
    { component: "button", config: { command_topic: "k/set" }, commands: [[{ x: true }, ["k/set PRESS"]]] },
    {
      component: "update",
      config: { state_topic: "k", command_topic: "k/set", payload_install: "install" },
      says: ["k", { installed_version: "1", latest_version: "2" }],
      attributes: { installed_version: "1", latest_version: "2" },
      commands: [[{ install_update: true }, ["k/set install"]]],
    },
  ];
  test.each(cases.map((one, at) => [`${at} ${one.component}`, one] as const))("%s", async (_name, one) => {
    using rig = createRig();
    await announce(rig, one.component, one.config);
    expect(rig.discovery.list().map(({ problem }) => problem)).toEqual([null]);
    if (one.says) say(rig, ...one.says);
    if (one.attributes) expect(kettle(rig).attributes).toMatchObject(one.attributes);
    for (const [wanted, sent] of one.commands ?? []) expect(await command(rig, wanted)).toEqual(sent);
  });
});

test("triggers, events and tags are actions, each time anew", async () => {
  using rig = createRig();
  await announce(rig, "device_automation", {
    automation_type: "trigger",
    topic: "k/action",
    payload: "on_press",
    type: "short_press",
    subtype: "button_1",
  });
  await announce(rig, "event", { state_topic: "k/event", event_types: ["ring"] }, { id: "e" });
  await announce(rig, "tag", { topic: "k/tag", value_template: "{{ value_json.uid }}" }, { id: "t" });
  for (const _ of [1, 2]) say(rig, "k/action", "on_press");
  say(rig, "k/action", "other");
  say(rig, "k/event", { event_type: "ring" });
  say(rig, "k/event", { event_type: "unknown" });
  say(rig, "k/tag", { uid: "E9" });
  expect(rig.actions.map(({ action }) => action)).toEqual(["on_press", "on_press", "ring", "tag_E9"]);
});

describe("availability", () => {
  const list = [
    { topic: "k/a" },
    { topic: "k/b", value_template: "{{ value_json.state }}", payload_available: "up", payload_not_available: "down" },
  ];
  test.each([
    ["all", [true, false, true]],
    ["any", [true, true, true]],
    ["latest", [true, false, true]],
  ])("%s", async (mode, wanted) => {
    using rig = createRig();
    await announce(rig, "sensor", { state_topic: "k", availability: list, availability_mode: mode });
    const seen: boolean[] = [];
    say(rig, "k/a", "online");
    say(rig, "k/b", { state: "up" });
    seen.push(kettle(rig).available);
    say(rig, "k/b", { state: "down" });
    seen.push(kettle(rig).available);
    say(rig, "k/b", { state: "up" });
    seen.push(kettle(rig).available);
    expect(seen).toEqual(wanted as boolean[]);
  });
});

test("an attribute whose entity is away keeps its value, and is not commanded", async () => {
  using rig = createRig();
  const of = (part: string) => ({
    ...{ state_topic: `k/${part}`, command_topic: `k/${part}/set`, object_id: part },
    availability_topic: `k/${part}/lwt`,
  });
  await announce(rig, "switch", of("lamp"), { id: "lamp" });
  await announce(rig, "number", of("limit"), { id: "limit" });
  await announce(rig, "sensor", { state_topic: "k/x", object_id: "x" }, { id: "x" });
  for (const part of ["lamp", "limit"]) say(rig, `k/${part}/lwt`, "online");
  say(rig, "k/lamp", "ON");
  say(rig, "k/limit", "5");
  const name = Object.keys(kettle(rig).attributes).find((one) => one !== "on") ?? "";
  say(rig, "k/limit/lwt", "offline");
  expect(kettle(rig)).toMatchObject({ available: true, unavailable: [name], attributes: { on: true, [name]: 5 } });
  expect(rig.events.at(-1)).toEqual({ type: "device_attributes_unavailable", device_id: "abc", unavailable: [name] });
  say(rig, "k/lamp/lwt", "offline");
  expect(kettle(rig)).toMatchObject({ available: false, unavailable: [] });
  say(rig, "k/lamp/lwt", "online");
  expect(kettle(rig)).toMatchObject({ available: true, unavailable: [name] });
  say(rig, "k/limit/lwt", "online");
  expect(kettle(rig)).toMatchObject({ available: true, unavailable: [] });
});

test("what is announced no more has no value; when it comes back, it has its name", async () => {
  using rig = createRig();
  const of = (part: string, kind: string) => ({
    ...{
      state_topic: `k/${part}`,
      object_id: part,
      device_class: kind,
      unit_of_measurement: kind === "pressure" ? "kPa" : "°C",
    },
  });
  await announce(rig, "sensor", of("t", "temperature"), { id: "t" });
  await announce(rig, "sensor", of("p", "pressure"), { id: "p" });
  say(rig, "k/t", "21.5");
  say(rig, "k/p", "101.3");
  const before = kettle(rig).attributes;
  expect(before).toMatchObject({ temperature: 21.5, pressure: 1013 });
  rig.publish("homeassistant/sensor/p/config", "", { account: "esp" });
  await rig.clock.advance(1000);
  expect(kettle(rig).attributes).toEqual({ temperature: 21.5 });
  await announce(rig, "sensor", of("p", "pressure"), { id: "p" });
  expect(kettle(rig).attributes).toEqual({ temperature: 21.5 });
  say(rig, "k/p", "101.3");
  expect(kettle(rig).attributes).toEqual(before);
});

describe("an announcement that cannot be used is listed with what is wrong, and leaves the rest of the device", () => {
  test.each<[string, object | string, string]>([
    ["sensor", "not json", "no JSON object"],
    ["sensor", { unit_of_measurement: "W" }, "state_topic is missing"],
    ["sensor", { state_topic: "a/#" }, "would read what is not the device's"],
    ["sensor", { state_topic: "+/state" }, "needs two levels without wildcards"],
    ["sensor", { state_topic: "home/x/+" }, "its last among them"],
    ["sensor", { state_topic: "home/x+y/z" }, "is no topic"],
    ["switch", { command_topic: "home/+/set" }, "is no topic"],
    ["sensor", { state_topic: "k", value_template: "{{ states('x') }}" }, "states() is not supported"],
    ["select", { command_topic: "k/set" }, "options is missing"],
    ["teleporter", { state_topic: "k" }, "teleporter: seen, not understood"],
    ["sensor", { state_topic: "k", availability: [{}] }, "availability: needs a topic"],
  ])("%s %j", async (component, config, problem) => {
    using rig = createRig();
    await announce(rig, "binary_sensor", { state_topic: "k/ok" }, { id: "ok" });
    if (typeof config === "string") {
      rig.publish(`homeassistant/${component}/x/config`, config, { account: "esp" });
      await rig.clock.advance(1000);
    } else await announce(rig, component, config);
    const broken = rig.discovery.list().find((one) => one.problem !== null);
    expect(broken).toMatchObject({
      account: "esp",
      source: "homeassistant",
      problem: expect.stringContaining(problem),
    });
    say(rig, "k/ok", "ON");
    expect(kettle(rig).attributes).toEqual({ ok: true });
  });
});

test("what nothing is understood of is no device, until something is", async () => {
  using rig = createRig();
  await announce(rig, "teleporter", { state_topic: "k" });
  expect([...rig.registry.list()]).toEqual([]);
  expect(rig.discovery.list()).toHaveLength(1);
  await announce(rig, "sensor", { state_topic: "k/s" });
  expect(kettle(rig).id).toBe("abc");
});

test("nobody announces a topic that they may not publish to themselves", async () => {
  using rig = createRig({ mayPublish: (topic) => topic.startsWith("k/") });
  await announce(rig, "switch", { state_topic: "k/s", command_topic: "somebody/else/set" });
  expect([...rig.registry.list()]).toEqual([]);
  expect(rig.discovery.list()[0]?.problem).toContain("somebody/else/set");
});
