import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { createRig } from "./rig.ts";
import {
  type Gen2,
  HT_FRAME,
  PLUS_1PM,
  PLUS_2PM_COVER,
  PLUS_I4,
  PRO_3EM,
  PRO_CCT,
  RGBW_PM,
  WALL_DISPLAY,
} from "./shelly-messages.ts";

const ACCOUNT = { account: "shelly" };
type Rig = ReturnType<typeof createRig>;

/** Answers each question that the hub asked of the device, as its firmware does. */
function answer(rig: Rig, { info, config, status }: Gen2, prefix: string): void {
  const results: Record<string, unknown> = {
    ...{ "Shelly.GetDeviceInfo": info, "Shelly.GetConfig": config, "Shelly.GetStatus": status },
  };
  for (const { topic, payload } of rig.published.splice(0)) {
    if (topic !== `${prefix}/rpc`) continue;
    const { id, src, method } = JSON.parse(payload);
    rig.publish(`${src}/rpc`, { id, src: info.id, dst: src, result: results[method] }, ACCOUNT);
  }
}

/** The device has come online and has been asked what it is. */
function described(device: Gen2, { prefix = device.prefix, approve = "auto" as "auto" | "ask" } = {}) {
  const rig = createRig({ discovery: { approve } });
  const id = String(device.info.mac).toLowerCase();
  rig.publish(`${prefix}/online`, "true", { ...ACCOUNT, retain: true });
  answer(rig, device, prefix);
  return {
    ...rig,
    id,
    device: () => rig.registry.get(id),
    state: () => rig.registry.get(id).attributes,
    properties: () => rig.registry.get(id).details.schema?.properties as Record<string, object>,
    says: (end: string, payload: unknown) => rig.publish(`${prefix}/${end}`, payload, ACCOUNT),
    notifies: (params: object, method = "NotifyStatus") =>
      rig.publish(`${prefix}/events/rpc`, { src: device.info.id, dst: `${prefix}/events`, method, params }, ACCOUNT),
    async command(wanted: object): Promise<JsonObject[]> {
      await rig.discovery.command(id, wanted as never);
      return rig.published.splice(0).map(({ topic, payload }) => {
        const { id: _id, src, ...call } = JSON.parse(payload);
        expect([topic, src]).toEqual([`${prefix}/rpc`, `${prefix}/hub`]);
        return call;
      });
    },
    [Symbol.dispose]: () => rig[Symbol.dispose](),
  };
}

describe("a relay with a meter", () => {
  test("is asked what it is, and is there with its name, model and state", () => {
    const rig = createRig();
    rig.publish(`${PLUS_1PM.prefix}/online`, "true", { ...ACCOUNT, retain: true });
    expect(rig.published.map(({ topic, payload }) => `${topic} ${JSON.parse(payload).method}`)).toEqual([
      "shellyplus1pm-441793a3b2c4/rpc Shelly.GetDeviceInfo",
      "shellyplus1pm-441793a3b2c4/rpc Shelly.GetConfig",
      "shellyplus1pm-441793a3b2c4/rpc Shelly.GetStatus",
    ]);
    rig[Symbol.dispose]();
    using boiler = described(PLUS_1PM);
    expect(boiler.device()).toMatchObject({
      ...{ name: "Boiler", deviceType: "switch", pluginId: "shelly", available: true },
      details: { manufacturer: "Shelly", model: "SNSW-001P16EU" },
      attributes: {
        ...{
          on: false,
          power: 0,
          voltage: 231.4,
          current: 0.19,
          freq: 50,
          energy: 1.2045,
          energy_wh: 1204.5,
          input: false,
          rssi: -58,
        },
        device_temperature: 44.1,
      },
    });
    expect(boiler.properties()).toMatchObject({
      on: { type: "boolean", description: "Pump" },
      power: { unit: "W", readOnly: true },
      device_temperature: { category: "diagnostic" },
    });
  });

  test("is switched by calls", async () => {
    using boiler = described(PLUS_1PM);
    expect(await boiler.command({ on: true })).toEqual([{ method: "Switch.Set", params: { id: 0, on: true } }]);
    expect(await boiler.command({ on: "toggle" })).toEqual([{ method: "Switch.Toggle", params: { id: 0 } }]);
    await expect(boiler.command({ on: "ON" })).rejects.toThrow('on: must be true, false or "toggle"');
    await expect(boiler.command({ power: 1 })).rejects.toThrow("power: the device only reports it");
    await expect(boiler.command({ brightness_pct: 1 })).rejects.toThrow(
      "brightness_pct: the device has no such attribute",
    );
  });

  test("reports what changes, and whole components where it is ordered to", () => {
    using boiler = described(PLUS_1PM);
    boiler.notifies({ ts: 1, "switch:0": { id: 0, output: true, source: "MQTT" } });
    boiler.notifies({ ts: 2, "switch:0": { id: 0, apower: 1820.3, current: "7.9" } });
    expect(boiler.state()).toMatchObject({ on: true, power: 1820.3, current: 7.9, voltage: 231.4 });
    boiler.says("status/switch:0", { id: 0, output: false, apower: 0 });
    expect(boiler.state()).toMatchObject({ on: false, power: 0 });
  });

  test("is available as its will says", () => {
    using boiler = described(PLUS_1PM);
    boiler.says("online", "false");
    expect(boiler.device().available).toBe(false);
    boiler.says("online", "true");
    expect(boiler.device().available).toBe(true);
  });

  test("that refuses a command says so", async () => {
    using boiler = described(PLUS_1PM);
    const refuse = async (error: object | undefined) => {
      await boiler.discovery.command(boiler.id, { on: true });
      const { id, src } = JSON.parse(boiler.published.splice(0)[0]?.payload ?? "");
      boiler.publish(`${src}/rpc`, { id, dst: src, ...(error ? { error } : { result: { was_on: false } }) }, ACCOUNT);
      return boiler.discovery.list()[0];
    };
    expect(await refuse({ code: -114, message: "Overtemperature" })).toMatchObject({
      ...{ state: "accepted", problem: "Switch.Set was refused: Overtemperature (-114)" },
    });
    for (let count = 0; count < 4; count++) expect(await refuse(undefined)).toMatchObject({ problem: null });
    expect(boiler.state().on).toBe(false);
    expect(boiler.properties().on).toMatchObject({ type: "boolean", description: "Pump" });
  });
});

describe("a cover", () => {
  test("reports its position in everybody's words and is moved", async () => {
    using cover = described(PLUS_2PM_COVER);
    expect(cover.device()).toMatchObject({
      deviceType: "cover",
      attributes: { position: 50, moving: "stopped", state: "stopped", tilt: 10, input_1: false },
    });
    cover.notifies({ "cover:0": { id: 0, state: "closing", apower: 120 } });
    expect(cover.state()).toMatchObject({ moving: "closing", power: 120 });
    cover.notifies({ "cover:0": { id: 0, state: "closed", current_pos: 0 } });
    expect(cover.state()).toMatchObject({ moving: "stopped", state: "closed", position: 0 });
    const goTo = (params: object) => [{ method: "Cover.GoToPosition", params: { id: 0, ...params } }];
    expect(await cover.command({ position: 40 })).toEqual(goTo({ pos: 40 }));
    expect(await cover.command({ position: 40, tilt: 20 })).toEqual(goTo({ pos: 40, slat_pos: 20 }));
    expect(await cover.command({ tilt_pct: 20 })).toEqual(goTo({ slat_pos: 20 }));
    expect(await cover.command({ command: "stop" })).toEqual([{ method: "Cover.Stop", params: { id: 0 } }]);
    await expect(cover.command({ position: 101 })).rejects.toThrow("position: must be a number from 0 to 100");
    await expect(cover.command({ command: "toString" })).rejects.toThrow("command: must be one of open, close, stop");
  });

  test("that is not calibrated is at its ends by its state", async () => {
    const { status } = PLUS_2PM_COVER;
    const uncalibrated = { id: 0, source: "init", state: "open", pos_control: false, current_pos: null };
    using cover = described({ ...PLUS_2PM_COVER, status: { ...status, "cover:0": uncalibrated } });
    expect(cover.state()).toMatchObject({ position: 100, moving: "stopped" });
    cover.notifies({ "cover:0": { id: 0, state: "closed" } });
    expect(cover.state()).toMatchObject({ position: 0 });
    expect(await cover.command({ position: 100 })).toEqual([{ method: "Cover.Open", params: { id: 0 } }]);
    await expect(cover.command({ position: 40 })).rejects.toThrow("position: must be 0 (closed) or 100 (open)");
  });
});

describe("a light", () => {
  test("of all colours takes everything in one call", async () => {
    using light = described(RGBW_PM);
    expect(light.device()).toMatchObject({
      deviceType: "light",
      attributes: {
        ...{ on: true, brightness: 60, brightness_pct: 60, rgb: [255, 128, 0], color_rgb: "#ff8000", white: 20 },
      },
    });
    expect(await light.command({ on: true, brightness_pct: 40, color_rgb: "#0000ff", transition: 2 })).toEqual([
      { method: "RGBW.Set", params: { id: 0, on: true, brightness: 40, rgb: [0, 0, 255], transition_duration: 2 } },
    ]);
    await expect(light.command({ rgb: [1, 2] })).rejects.toThrow("rgb: must be a list of red, green and blue");
    await expect(light.command({ color_rgb: 3 })).rejects.toThrow("color_rgb: must be a colour");
  });

  test("of warm and cold white has the range that it says; a second light has names of its own", async () => {
    using light = described(PRO_CCT);
    expect(light.state()).toMatchObject({
      on: false,
      brightness_pct: 30,
      ct: 3000,
      color_temp_k: 3000,
      on_light_0: true,
    });
    expect(light.properties().color_temp_k).toMatchObject({ minimum: 2700, maximum: 5000, unit: "K", derived: true });
    expect(await light.command({ color_temp_k: 4000, brightness_pct: 10 })).toEqual([
      { method: "CCT.Set", params: { id: 0, ct: 4000, brightness: 10 } },
    ]);
    await expect(light.command({ color_temp_k: 6500 })).rejects.toThrow(
      "color_temp_k: must be a number from 2700 to 5000",
    );
  });
});

test("a press fires each time, with the number of its input", () => {
  using buttons = described(PLUS_I4);
  expect(buttons.device()).toMatchObject({ deviceType: "button", attributes: { rssi: -58 } });
  const press = (id: number, event: string) =>
    buttons.notifies({ ts: 1, events: [{ component: `input:${id}`, id, event, ts: 1 }] }, "NotifyEvent");
  for (const event of ["btn_down", "single_push", "single_push"]) press(2, event);
  press(0, "long_push");
  buttons.notifies({ events: [{ component: "sys", event: "ota_progress" }, null, { component: 1 }] }, "NotifyEvent");
  expect(buttons.actions.map(({ action }) => action)).toEqual([
    ...["2_btn_down", "2_single_push", "2_single_push", "0_long_push"],
  ]);
  using single = described(PLUS_1PM);
  single.notifies({ events: [{ component: "input:0", id: 0, event: "double_push", ts: 1 }] }, "NotifyEvent");
  const beacon = { component: "bthomedevice:200", id: 200, event: "long_push", idx: 1, ts: 2.5 };
  single.notifies({ events: [beacon] }, "NotifyEvent");
  expect(single.actions).toEqual([
    { device_id: single.id, action: "double_push" },
    { device_id: single.id, action: "200_long_push", data: { idx: 1 } },
  ]);
});

test("a meter of three phases measures each and all", () => {
  using meter = described(PRO_3EM);
  expect(meter.device()).toMatchObject({
    deviceType: "sensor",
    attributes: {
      power: 220.5,
      a_power: 250.5,
      c_power: -40,
      b_voltage: 229.8,
      energy: 12.34567,
      energy_wh: 12345.67,
      energy_returned: 89.1,
    },
  });
});

test("a thermostat speaks everybody's words", async () => {
  using wall = described(WALL_DISPLAY);
  expect(wall.device()).toMatchObject({
    deviceType: "climate",
    attributes: {
      ...{ current_temperature: 20.4, target_temperature: 21, action: "heating", humidity: 44, illuminance: 12 },
      illumination: "dark",
    },
  });
  expect(await wall.command({ target_temperature: 19.5 })).toEqual([
    { method: "Thermostat.SetConfig", params: { id: 0, config: { id: 0, target_C: 19.5 } } },
  ]);
  expect(wall.state()).toMatchObject({ mode: "heat" });
  expect(await wall.command({ mode: "off" })).toEqual([
    { method: "Thermostat.SetConfig", params: { id: 0, config: { id: 0, enable: false } } },
  ]);
  await expect(wall.command({ mode: "cool" })).rejects.toThrow("mode: must be one of off, heat");
});

describe("a sensor that sleeps", () => {
  test("answers nothing: it is described from what it says when it wakes, and is not gone in between", () => {
    using rig = createRig();
    const prefix = "shellyhtg3-84fce63ad204";
    rig.publish(`${prefix}/online`, "true", ACCOUNT);
    rig.publish(`${prefix}/events/rpc`, HT_FRAME, ACCOUNT);
    rig.publish(`${prefix}/online`, "false", ACCOUNT);
    expect(rig.registry.get("84fce63ad204")).toMatchObject({
      ...{ name: prefix, deviceType: "sensor", available: true, details: { model: "shellyhtg3" } },
      attributes: { temperature: 19.7, humidity: 47.3, battery: 72, battery_voltage: 5.41, external_power: false },
    });
    const later = { ...HT_FRAME, params: { ...HT_FRAME.params, "temperature:0": { id: 0, tC: 18.1 } } };
    rig.publish(`${prefix}/events/rpc`, later, ACCOUNT);
    expect(rig.registry.get("84fce63ad204").attributes.temperature).toBe(18.1);
  });
});

describe("names and places", () => {
  test("a prefix may have levels; with another prefix it is the same device", async () => {
    using boiler = described(PLUS_1PM, { prefix: "house/cellar/boiler" });
    expect(await boiler.command({ on: true })).toHaveLength(1);
    boiler.publish("boiler/online", "true", ACCOUNT);
    answer(boiler as unknown as Rig, PLUS_1PM, "boiler");
    expect([...boiler.registry.list()].map(({ id }) => id)).toEqual([boiler.id]);
    await boiler.discovery.command(boiler.id, { on: true });
    expect(boiler.published.splice(0).map(({ topic }) => topic)).toEqual(["boiler/rpc"]);
    boiler.publish("boiler/events/rpc", { method: "NotifyStatus", params: { "switch:0": { output: true } } }, ACCOUNT);
    expect(boiler.device()).toMatchObject({ available: true, attributes: { on: true } });
    boiler.events.splice(0);
    boiler.publish("boiler/online", "true", ACCOUNT);
    answer(boiler as unknown as Rig, PLUS_1PM, "boiler");
    expect(boiler.events.filter(({ type }) => type === "device_availability_changed")).toEqual([]);
  });

  test("it is described in whatever order it answers, also where it does not report its configuration", () => {
    using rig = createRig();
    const { prefix, info, config, status } = PLUS_1PM;
    const reply = (id: number, more: object) => rig.publish(`${prefix}/hub/rpc`, { id, src: prefix, ...more }, ACCOUNT);
    rig.publish(`${prefix}/online`, "true", ACCOUNT);
    reply(3, { result: status });
    expect([...rig.registry.list()]).toEqual([]);
    reply(1, { result: info });
    expect(rig.registry.get("441793a3b2c4").attributes.on).toBe(false);
    reply(2, { result: config });
    expect(rig.registry.get("441793a3b2c4").details.schema?.properties).toMatchObject({ on: { description: "Pump" } });
    reply(2, { error: { code: 404, message: "No handler" } });
    expect(rig.discovery.list()).toMatchObject([{ state: "accepted", problem: null }]);
  });

  test("one that waited for a person is asked for its state when it is let in", () => {
    using boiler = described(PLUS_1PM, { approve: "ask" });
    expect([...boiler.registry.list()]).toEqual([]);
    boiler.discovery.decide(boiler.discovery.list()[0]?.id ?? "", "accepted");
    answer(boiler as unknown as Rig, PLUS_1PM, PLUS_1PM.prefix);
    expect(boiler.state()).toMatchObject({ on: false, voltage: 231.4 });
  });

  test("what has changed in its configuration is asked for again", async () => {
    using boiler = described(PLUS_1PM);
    boiler.notifies(
      { events: [{ component: "switch:0", id: 0, event: "config_changed", restart_required: false }] },
      "NotifyEvent",
    );
    boiler.notifies({ events: [{ component: "sys", event: "config_changed" }] }, "NotifyEvent");
    await boiler.clock.advance(2000);
    expect(boiler.published).toHaveLength(3);
    answer(boiler as unknown as Rig, { ...PLUS_1PM, info: { ...PLUS_1PM.info, name: "Heater" } }, PLUS_1PM.prefix);
    expect(boiler.device().name).toBe("Heater");
    expect(boiler.actions).toEqual([]);
  });

  test("Home Assistant's messages for the same address make no second device", async () => {
    using boiler = described(PLUS_1PM);
    boiler.publish(
      "homeassistant/switch/x/config",
      {
        ...{ command_topic: "x/set", state_topic: "x", unique_id: "x" },
        device: { connections: [["mac", "44:17:93:a3:b2:c4"]], name: "Other" },
      },
      ACCOUNT,
    );
    await boiler.clock.advance(1000);
    expect([...boiler.registry.list()].map(({ id }) => id)).toEqual([boiler.id]);
  });

  test("of two accounts with the same address the first keeps the device", () => {
    using boiler = described(PLUS_1PM);
    boiler.publish("stolen/online", "true", { account: "somebody" });
    const frame = { ...HT_FRAME, params: { ...HT_FRAME.params, sys: { mac: "441793A3B2C4" } } };
    boiler.publish("stolen/events/rpc", frame, { account: "somebody" });
    expect(boiler.device()).toMatchObject({ pluginId: "shelly", name: "Boiler" });
    expect(boiler.state().temperature).toBeUndefined();
  });
});

describe("what no device should say changes nothing", () => {
  test.each<[string, string, unknown]>([
    ["an answer cut off", "hub/rpc", '{"id":1,"result":{"mac":"4417'],
    ["an answer of a megabyte", "hub/rpc", { id: 3, result: { x: "y".repeat(1_000_000) } }],
    ["an answer to nothing", "hub/rpc", { id: 4711, result: {} }],
    ["an answer with a number of a prototype", "hub/rpc", { id: 0.5, result: { mac: "AABBCCDDEEFF" } }],
    ["an event cut off", "events/rpc", '{"method":"NotifyStatus","params":{"swi'],
    ["components that are none", "events/rpc", { method: "NotifyStatus", params: { "switch:0": 3, "cover:0": [] } }],
    ["texts for truths", "events/rpc", { method: "NotifyStatus", params: { "switch:0": { output: "yes" } } }],
    ["an event that is none", "events/rpc", { method: "NotifyEvent", params: { events: "all" } }],
  ])("%s", (_name, end, payload) => {
    using boiler = described(PLUS_1PM);
    const before = structuredClone(boiler.state());
    boiler.says(end, payload);
    expect(boiler.state()).toEqual(before);
    expect(boiler.actions).toEqual([]);
    expect([...boiler.registry.list()]).toHaveLength(1);
    boiler.notifies({ "switch:0": { output: true } });
    expect(boiler.state().on).toBe(true);
  });

  test("hostile addresses and components make no device", () => {
    using rig = createRig();
    const frame = (mac: unknown, more: object = {}) => ({
      ...{ src: "x", method: "NotifyFullStatus", params: { sys: { mac }, ...more } },
    });
    for (const mac of ["../../x", "", null, {}, "4417", "44:17:93:a3:b2:zz"])
      rig.publish("a/events/rpc", frame(mac, { "switch:0": { output: true } }), ACCOUNT);
    expect([...rig.registry.list()]).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`switch:${at}`, { output: true }]));
    rig.publish("b/events/rpc", frame("AABBCCDDEEFF", many), ACCOUNT);
    expect(Object.keys(rig.registry.get("aabbccddeeff").attributes).length).toBeLessThanOrEqual(100);
  });

  test("an account that may not publish to the device's topics makes none", () => {
    using rig = createRig({ mayPublish: (topic) => topic.endsWith("/events/rpc") });
    rig.publish(
      "ht/events/rpc",
      { ...HT_FRAME, params: { ...HT_FRAME.params, "switch:0": { output: true } } },
      ACCOUNT,
    );
    expect([...rig.registry.list()]).toEqual([]);
    expect(rig.discovery.list()).toMatchObject([
      { state: "broken", problem: expect.stringContaining("may not publish to itself") },
    ]);
  });

  test("one account announces 500 devices at most, and others still theirs", () => {
    using rig = createRig();
    for (let at = 0; at < 520; at++) rig.publish(`d${at}/online`, "true", { account: "flood" });
    expect(rig.published).toHaveLength(1500);
    rig.publish("mine/online", "true", ACCOUNT);
    expect(rig.published).toHaveLength(1503);
  });
});
