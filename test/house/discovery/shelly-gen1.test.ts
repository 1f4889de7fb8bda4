import { describe, expect, test } from "bun:test";
import { createShellySource } from "../../../src/house/discovery/sources/shelly/source.ts";
import { createRig } from "./rig.ts";

const ACCOUNT = { account: "shelly" };
const MAC = "C45BBE04713C";
const DEVICE = MAC.toLowerCase();

/** A device that has announced itself, on both topics, as the firmware does. */
function announced(id: string, model: string, { mode, settled = true }: { mode?: string; settled?: boolean } = {}) {
  const rig = createRig();
  const base = `shellies/${id}`;
  const announcement = {
    ...{ id, model, mac: MAC, ip: "192.168.1.61", new_fw: false, fw_ver: "20230913-114150/v1.14.0-gcb84623" },
    ...(mode !== undefined && { mode }),
  };
  const announce = (more: object = {}): void => {
    for (const topic of ["shellies/announce", `${base}/announce`])
      rig.publish(topic, { ...announcement, ...more }, ACCOUNT);
  };
  announce();
  const asked = rig.sent();
  return {
    ...{ ...rig, asked, announce, base },
    settle: () => rig.clock.advance(settled ? 3000 : 0),
    device: () => rig.registry.get(DEVICE),
    state: () => rig.registry.get(DEVICE).attributes,
    properties: () => rig.registry.get(DEVICE).details.schema?.properties as Record<string, object>,
    says: (topics: Record<string, unknown>, more?: { retain: boolean }) => {
      for (const [end, payload] of Object.entries(topics))
        rig.publish(`${base}/${end}`, payload, { ...ACCOUNT, ...more });
    },
    async command(wanted: object): Promise<[string, unknown][]> {
      await rig.discovery.command(DEVICE, wanted as never);
      return rig.sent().map(({ topic, payload }) => [topic.slice(base.length + 1), payload]);
    },
    [Symbol.dispose]: () => rig[Symbol.dispose](),
  };
}

test("all are asked to announce themselves when the hub is there", () => {
  const source = createShellySource({} as never);
  expect(source.birth?.()).toEqual([{ topic: "shellies/command", payload: "announce", qos: 0, retain: false }]);
});

describe("a plug", () => {
  test("is there with its model and its state, for which it was asked once", () => {
    using plug = announced("shellyplug-s-04713C", "SHPLG-S");
    expect(plug.asked).toEqual([{ topic: "shellies/shellyplug-s-04713C/command", payload: "update" }]);
    plug.says({ "relay/0": "on", "relay/0/power": "43.21", "relay/0/energy": "1234" });
    plug.says({ temperature: "31.08", temperature_f: "87.94", overtemperature: "0" });
    expect(plug.device()).toMatchObject({
      ...{ name: "shellyplug-s-04713C", deviceType: "switch", pluginId: "shelly", available: true },
      details: { manufacturer: "Shelly", model: "SHPLG-S" },
      attributes: {
        on: true,
        power: 43.21,
        energy_wmin: 1234,
        energy: 0.020567,
        temperature: 31.08,
        overtemperature: false,
      },
    });
    expect(plug.properties()).toMatchObject({
      power: { unit: "W", readOnly: true },
      energy_wmin: { unit: "Wmin" },
      energy: { unit: "kWh", derived: true, of: "energy_wmin", word: "energy" },
      temperature: { category: "diagnostic" },
    });
    plug.says({ "relay/0": "overpower" });
    expect(plug.state().on).toBe(false);
  });

  test("is switched, and refuses what it cannot do", async () => {
    using plug = announced("shellyplug-s-04713C", "SHPLG-S");
    expect(await plug.command({ on: true })).toEqual([["relay/0/command", "on"]]);
    expect(await plug.command({ on: false })).toEqual([["relay/0/command", "off"]]);
    expect(await plug.command({ on: "toggle" })).toEqual([["relay/0/command", "toggle"]]);
    await expect(plug.command({ on: "on" })).rejects.toThrow('on: must be true, false or "toggle"');
    await expect(plug.command({ power: 1 })).rejects.toThrow("power: the device only reports it");
    await expect(plug.command({ position: 1 })).rejects.toThrow("position: the device has no such attribute");
  });

  test("is available as its will says, even where that came first", () => {
    using rig = createRig();
    rig.publish("shellies/plug/online", "false", { ...ACCOUNT, retain: true });
    expect(rig.published.map(({ topic, payload }) => `${topic} ${payload}`)).toEqual([
      "shellies/plug/command announce",
    ]);
    rig.publish("shellies/announce", { id: "plug", model: "SHPLG-S", mac: MAC }, ACCOUNT);
    expect(rig.registry.get(DEVICE).available).toBe(false);
    rig.publish("shellies/plug/online", "true", ACCOUNT);
    expect(rig.registry.get(DEVICE).available).toBe(true);
    expect(rig.published.some(({ topic }) => topic.endsWith("/rpc"))).toBe(false);
  });
});

test("a relay of two, and the same device as a roller", async () => {
  using device = announced("shellyswitch25-1", "SHSW-25", { mode: "relay" });
  device.says({ "relay/0": "off", "relay/1": "on", "relay/1/power": "12.5", voltage: "231.02", "input/1": "1" });
  expect(device.state()).toMatchObject({ on_0: false, on_1: true, power_1: 12.5, voltage: 231.02, input_1: true });
  expect(await device.command({ on_1: false })).toEqual([["relay/1/command", "off"]]);
  device.announce({ mode: "roller" });
  device.sent();
  device.says({ "roller/0": "open", "roller/0/pos": "40", "roller/0/power": "110" });
  expect(device.device()).toMatchObject({
    deviceType: "cover",
    attributes: { moving: "opening", position: 40, power: 110 },
  });
  expect(device.properties().on_0).toBeUndefined();
  device.says({ "roller/0": "stop", "roller/0/pos": "-1" });
  expect(device.state()).toMatchObject({ moving: "stopped", position: 40 });
  expect(await device.command({ position: 60 })).toEqual([["roller/0/command/pos", 60]]);
  expect(await device.command({ command: "open" })).toEqual([["roller/0/command", "open"]]);
});

describe("a light takes everything in one message", () => {
  test("a dimmer", async () => {
    using dimmer = announced("shellydimmer2-1", "SHDM-2");
    dimmer.says({
      "light/0": "on",
      "light/0/status": { ison: true, has_timer: false, mode: "white", brightness: 55, transition: 0 },
      ...{ "light/0/power": "18.4", "input/0": "0" },
    });
    expect(dimmer.device()).toMatchObject({
      deviceType: "light",
      attributes: { on: true, brightness: 55, brightness_pct: 55, power: 18.4, input_0: false },
    });
    expect(await dimmer.command({ on: true, brightness_pct: 30, transition: 1.5 })).toEqual([
      ["light/0/set", { turn: "on", brightness: 30, transition: 1500 }],
    ]);
    await expect(dimmer.command({ brightness_pct: 130 })).rejects.toThrow(
      "brightness_pct: must be a number from 0 to 100",
    );
  });

  test("a bulb of warm and cold white", async () => {
    using duo = announced("ShellyBulbDuo-1", "SHBDUO-1");
    duo.says({ "light/0/status": { ison: true, brightness: 20, white: 10, temp: 2900 } });
    expect(duo.state()).toMatchObject({ on: true, brightness_pct: 20, temp: 2900, color_temp_k: 2900 });
    expect(await duo.command({ color_temp_k: 4000, brightness_pct: 80 })).toEqual([
      ["light/0/set", { temp: 4000, brightness: 80 }],
    ]);
    await expect(duo.command({ color_temp_k: 2000 })).rejects.toThrow(
      "color_temp_k: must be a number from 2700 to 6500",
    );
  });

  test("a strip of colours", async () => {
    using strip = announced("shellyrgbw2-1", "SHRGBW2", { mode: "color" });
    strip.says({
      "color/0/status": {
        ison: true,
        mode: "color",
        red: 255,
        green: 128,
        blue: 0,
        white: 0,
        gain: 70,
        effect: 0,
        power: 9.8,
      },
    });
    expect(strip.state()).toMatchObject({ on: true, red: 255, gain: 70, brightness_pct: 70, color_rgb: "#ff8000" });
    expect(await strip.command({ on: true, color_rgb: "#0000ff", brightness_pct: 50 })).toEqual([
      ["color/0/set", { turn: "on", red: 0, green: 0, blue: 255, gain: 50 }],
    ]);
  });

  test("four white strips", async () => {
    using strips = announced("shellyrgbw2-1", "SHRGBW2", { mode: "white" });
    strips.says({ "white/2/status": { ison: true, mode: "white", brightness: 33 }, "white/2/power": "4.2" });
    expect(strips.state()).toMatchObject({ on_2: true, brightness_pct_2: 33, power_2: 4.2 });
    expect(await strips.command({ on_3: false, brightness_pct_2: 50 })).toEqual([
      ["white/3/set", { turn: "off" }],
      ["white/2/set", { brightness: 50 }],
    ]);
  });

  test("a bulb that shows a colour or white", async () => {
    using bulb = announced("shellycolorbulb-1", "SHCB-1");
    const status = {
      ison: true,
      red: 0,
      green: 255,
      blue: 0,
      white: 0,
      gain: 40,
      temp: 4000,
      brightness: 90,
      effect: 0,
    };
    bulb.says({ "color/0/status": { ...status, mode: "color" } });
    expect(bulb.state()).toMatchObject({ brightness_pct: 40, color_rgb: "#00ff00", color_temp_k: 4000 });
    expect(await bulb.command({ brightness_pct: 50 })).toEqual([["color/0/set", { gain: 50 }]]);
    expect(await bulb.command({ color_temp_k: 3000, brightness_pct: 50 })).toEqual([
      ["color/0/set", { mode: "white", temp: 3000, brightness: 50 }],
    ]);
    bulb.says({ "color/0/status": { ...status, mode: "white" } });
    expect(bulb.state().brightness_pct).toBe(90);
    expect(await bulb.command({ brightness_pct: 10 })).toEqual([["color/0/set", { brightness: 10 }]]);
    expect(await bulb.command({ color_rgb: "#ff0000", brightness_pct: 10 })).toEqual([
      ["color/0/set", { mode: "color", red: 255, green: 0, blue: 0, gain: 10 }],
    ]);
  });
});

describe("presses", () => {
  test("fire each time they are counted; what is repeated, retained or older than the hub is none", async () => {
    using buttons = announced("shellyix3-1", "SHIX3-1");
    expect(buttons.device().deviceType).toBe("button");
    const press = (input: number, event: string, event_cnt: number, more?: { retain: boolean }) =>
      buttons.says({ [`input_event/${input}`]: { event, event_cnt } }, more);
    press(0, "S", 7);
    press(1, "", 0);
    expect(buttons.actions).toEqual([]);
    await buttons.settle();
    press(0, "S", 7);
    press(0, "S", 8);
    press(0, "S", 9);
    press(0, "S", 9);
    press(1, "SS", 1);
    press(2, "L", 1);
    press(2, "SSS", 2, { retain: true });
    expect(buttons.actions.map(({ action }) => action)).toEqual([
      ...["0_single_push", "0_single_push", "1_double_push", "2_long_push"],
    ]);
    buttons.says({ "input/2": "1" });
    expect(buttons.state().input_2).toBe(true);
  });

  test("of a button that sleeps count from the first", () => {
    using button = announced("shellybutton1-1", "SHBTN-2");
    button.says({ "sensor/battery": "88", "input_event/0": { event: "S", event_cnt: 1 }, online: "false" });
    expect(button.actions).toEqual([{ device_id: DEVICE, action: "single_push" }]);
    expect(button.device()).toMatchObject({ available: true, attributes: { battery: 88, action: "single_push" } });
  });
});

describe("sensors", () => {
  test.each<[string, string, Record<string, unknown>, object]>([
    [
      ...(["SHHT-1", "sensor"] as const),
      { "sensor/temperature": "21.25", "sensor/humidity": "44.5", "sensor/battery": "93", "sensor/error": "0" },
      { temperature: 21.25, humidity: 44.5, battery: 93 },
    ],
    [
      ...(["SHDW-2", "binary_sensor"] as const),
      {
        ...{ "sensor/state": "open", "sensor/tilt": "12", "sensor/vibration": "0", "sensor/lux": "310" },
        ...{ "sensor/battery": "100", "sensor/temperature": "20.1" },
      },
      { open: true, tilt: 12, vibration: false, lux: 310, battery: 100, temperature: 20.1 },
    ],
    ["SHWT-1", "binary_sensor", { "sensor/flood": "true", "sensor/battery": "70" }, { flood: true, battery: 70 }],
    ["SHMOS-01", "binary_sensor", { "sensor/motion": "true", "sensor/lux": "7" }, { motion: true, lux: 7 }],
    [
      ...(["SHMOS-01", "binary_sensor"] as const),
      { status: { motion: true, timestamp: 1768478400, active: true, vibration: false, lux: 160, bat: 98 } },
      { motion: true, vibration: false, lux: 160, battery: 98 },
    ],
    [
      ...(["SHMOS-01", "binary_sensor"] as const),
      {
        info: {
          ...{
            wifi_sta: { connected: true, rssi: -43 },
            lux: { value: 160, illumination: "twilight", is_valid: true },
          },
          ...{ sensor: { vibration: true, motion: false, active: true }, bat: { value: 100, voltage: 4.149 } },
        },
      },
      { motion: false, vibration: true, lux: 160, battery: 100, rssi: -43 },
    ],
    [
      ...(["SHEM", "switch"] as const),
      { "emeter/1/power": "-120.5", "emeter/1/total": "4567.8", "emeter/1/total_returned": "12", "relay/0": "off" },
      { power_1: -120.5, total_1: 4567.8, total_returned_1: 12, on: false },
    ],
    ["SHEM-3", "switch", { "emeter/2/current": "1.5", "emeter/2/pf": "0.98" }, { current_2: 1.5, pf_2: 0.98 }],
  ])("%s is a %s: %j", async (model, type, topics, attributes) => {
    using sensor = announced("sensor-1", model);
    sensor.says(topics);
    await sensor.settle();
    expect(sensor.device()).toMatchObject({ deviceType: type, attributes });
  });

  test("one that sleeps is not gone", () => {
    using sensor = announced("shellyht-1", "SHHT-1");
    sensor.says({ online: "false" });
    expect(sensor.device().available).toBe(true);
  });

  test("a radiator valve speaks everybody's words", async () => {
    using valve = announced("shellytrv-1", "SHTRV-01");
    valve.says({
      info: {
        wifi_sta: { connected: true, ssid: "house", rssi: -61 },
        thermostats: [
          {
            ...{ pos: 35, target_t: { enabled: true, value: 21.5, units: "C" }, schedule: false, window_open: false },
            tmp: { value: 19.8, units: "C", is_valid: true },
          },
        ],
        bat: { value: 84, voltage: 3.9 },
      },
    });
    expect(valve.device()).toMatchObject({
      deviceType: "climate",
      attributes: { current_temperature: 19.8, target_temperature: 21.5, position: 35, action: "heating", battery: 84 },
    });
    valve.says({ status: { target_t: { enabled: true, value: 18 }, tmp: { value: 20.2 }, pos: 0 } });
    expect(valve.state()).toMatchObject({ current_temperature: 20.2, target_temperature: 18, action: "idle" });
    expect(await valve.command({ target_temperature: 22.5 })).toEqual([["thermostat/0/command/target_t", 22.5]]);
    await expect(valve.command({ target_temperature: 40 })).rejects.toThrow(
      "target_temperature: must be a number from 4 to 31",
    );
  });
});

describe("a model that nobody knows", () => {
  test("is what it reports", async () => {
    using device = announced("shellynew-1", "SHNEW-9");
    expect([...device.registry.list()]).toEqual([]);
    device.says({ "relay/0": "on", "relay/1": "off", "ext_temperature/0": "4.5", "constructor/0": "x", toString: "x" });
    await device.settle();
    expect(device.device()).toMatchObject({
      deviceType: "switch",
      attributes: { on_0: true, on_1: false, ext_temperature: 4.5 },
    });
    device.says({ "relay/1": "on" });
    expect(device.state().on_1).toBe(true);
    expect(await device.command({ on_0: false })).toEqual([["relay/0/command", "off"]]);
  });

  test("says what a known model has not: that comes with it", async () => {
    using device = announced("shelly1-1", "SHSW-1");
    device.says({ "relay/0": "on", "ext_temperature/0": "17.25", "ext_temperature/1": "18" });
    await device.settle();
    expect(device.state()).toMatchObject({ on: true, ext_temperature_0: 17.25, ext_temperature_1: 18 });
  });

  test("is received before it announces itself", async () => {
    using rig = createRig();
    rig.publish("shellies/x/relay/0", "on", ACCOUNT);
    rig.publish("shellies/x/relay/0", "off", ACCOUNT);
    expect(rig.sent()).toEqual([{ topic: "shellies/x/command", payload: "announce" }]);
    rig.publish("shellies/announce", { id: "x", model: "SHNEW-9", mac: MAC }, ACCOUNT);
    await rig.clock.advance(1000);
    expect(rig.registry.get(DEVICE).attributes).toEqual({ on: false });
  });
});

test("one that waited for a person is asked for its state when it is let in", () => {
  using rig = createRig({ discovery: { approve: "ask" } });
  rig.publish("shellies/announce", { id: "plug", model: "SHPLG-S", mac: MAC }, ACCOUNT);
  rig.sent();
  rig.discovery.decide(rig.discovery.list()[0]?.id ?? "", "accepted");
  expect(rig.sent()).toEqual([{ topic: "shellies/plug/command", payload: "update" }]);
  rig.publish("shellies/plug/relay/0", "on", ACCOUNT);
  expect(rig.registry.get(DEVICE).attributes.on).toBe(true);
});

test("with another name it is the same device", async () => {
  using plug = announced("shellyplug-s-04713C", "SHPLG-S");
  plug.publish("shellies/announce", { id: "kitchen", model: "SHPLG-S", mac: MAC }, ACCOUNT);
  plug.sent();
  plug.publish("shellies/kitchen/relay/0", "on", ACCOUNT);
  expect([...plug.registry.list()].map(({ id }) => id)).toEqual([DEVICE]);
  expect(plug.device()).toMatchObject({ available: true, attributes: { on: true } });
  await plug.discovery.command(DEVICE, { on: false });
  expect(plug.sent()).toEqual([{ topic: "shellies/kitchen/relay/0/command", payload: "off" }]);
});

describe("what no device should announce makes none", () => {
  test.each<[string, unknown]>([
    ["cut off", '{"id":"shellyplug-s-04713C","mo'],
    ["a megabyte", JSON.stringify({ id: "x", model: "y".repeat(1_000_000), mac: MAC })],
    ["no address", { id: "x", model: "SHPLG-S", mac: "../../x" }],
    ["a name of several levels", { id: "x/../y", model: "SHPLG-S", mac: MAC }],
    ["a wildcard", { id: "#", model: "SHPLG-S", mac: MAC }],
    ["no model", { id: "x", mac: MAC }],
    ["a list", []],
  ])("%s", (_name, announcement) => {
    using rig = createRig();
    rig.publish("shellies/announce", announcement, ACCOUNT);
    expect([...rig.registry.list()]).toEqual([]);
    expect(rig.discovery.list()).toMatchObject([
      { state: "broken", problem: expect.stringContaining("an announcement needs id, mac and model") },
    ]);
    expect(rig.published).toEqual([]);
  });

  test("a model that is named like a part of the language", async () => {
    using device = announced("x", "constructor");
    device.says({ "relay/0": "on" });
    await device.settle();
    expect(device.state()).toEqual({ on: true });
  });

  test("a device of somebody else", () => {
    using rig = createRig({
      mayPublish: (topic) => topic.startsWith("shellies/mine/") || topic === "shellies/announce",
    });
    rig.publish("shellies/announce", { id: "theirs", model: "SHPLG-S", mac: MAC }, ACCOUNT);
    expect([...rig.registry.list()]).toEqual([]);
    expect(rig.discovery.list()).toMatchObject([
      { problem: expect.stringContaining("theirs, whose topics it may not publish") },
    ]);
  });

  test("values that are none", () => {
    using plug = announced("x", "SHDM-2");
    plug.says({ "light/0/power": "much", "light/0/status": '{"ison":tr', "input/0": "7", temperature: "" });
    plug.says({ "light/0/status": { ison: "maybe", brightness: [] } });
    plug.says({ "light/0/power": "x".repeat(1_000_000) });
    expect(plug.state()).toEqual({});
  });
});

test("a gas alarm reports whether there is gas, and how much in words of its own", async () => {
  using alarm = announced("shellygas-1", "SHGS-1");
  alarm.says({ "sensor/gas": "none", "sensor/concentration": "2" });
  await alarm.settle();
  expect(alarm.device()).toMatchObject({ deviceType: "binary_sensor", attributes: { gas: false, gas_own: "none" } });
  alarm.says({ "sensor/gas": "mild" });
  expect(alarm.state()).toMatchObject({ gas: true, gas_own: "mild" });
  alarm.says({ "sensor/gas": "test" });
  expect(alarm.state()).toMatchObject({ gas: false, gas_own: "test" });
  alarm.says({ "sensor/gas": "unknown" });
  expect(alarm.state()).not.toHaveProperty("gas");
});

test("a radiator valve that its owner has set to Fahrenheit is in Celsius here", async () => {
  using valve = announced("shellytrv-2", "SHTRV-01");
  const status = { pos: 0, target_t: { enabled: true, value: 70, units: "F" }, tmp: { value: 68, units: "F" } };
  valve.says({ status: { ...status, window_open: true } });
  expect(valve.state()).toMatchObject({ current_temperature: 20, target_temperature: 21.1, open: true });
  expect(await valve.command({ target_temperature: 20 })).toEqual([["thermostat/0/command/target_t", 68]]);
});

test("a flood sensor, a door sensor and a motion sensor speak everybody's words", async () => {
  using flood = announced("shellyflood-1", "SHWT-1");
  flood.says({ "sensor/flood": "true" });
  expect(flood.state()).toMatchObject({ flood: true, leak: true });
  using door = announced("shellydw2-1", "SHDW-2");
  door.says({ "sensor/state": "open", "sensor/lux": "310" });
  expect(door.state()).toMatchObject({ open: true, illuminance: 310 });
  door.says({ "sensor/state": "close" });
  expect(door.state()).toMatchObject({ open: false });
});

test("a roller that is not calibrated is at its ends, and goes there", async () => {
  using device = announced("shellyswitch25-2", "SHSW-25", { mode: "roller" });
  await device.settle();
  device.says({ "roller/0": "open", "roller/0/pos": "-1" });
  expect(device.state()).toMatchObject({ moving: "opening" });
  expect(device.state().position).toBeUndefined();
  device.says({ "roller/0": "stop" });
  expect(device.state()).toMatchObject({ moving: "stopped", position: 100 });
  expect(await device.command({ position: 0 })).toEqual([["roller/0/command", "close"]]);
  await expect(device.command({ position: 50 })).rejects.toThrow("position: must be 0 (closed) or 100 (open)");
});

test("it says its version, its address and its own page", async () => {
  using device = announced("shellyplug-s-9", "SHPLG-S");
  await device.settle();
  expect(device.device().details).toMatchObject({
    ...{ sw_version: "20230913-114150/v1.14.0-gcb84623", configuration_url: "http://192.168.1.61/" },
    connections: [["mac", "c4:5b:be:04:71:3c"]],
  });
});
