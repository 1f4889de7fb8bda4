import { describe, expect, test } from "bun:test";
import { createRig } from "./rig.ts";
import { announce, BRIDGE, BUTTON, COORDINATOR, command, furnished, idsOf, LAMP, lampOf } from "./zigbee2mqtt-house.ts";

test("a lamp is there with its name, type, maker and true types; the coordinator is its bridge", async () => {
  using rig = await furnished();
  rig.publish("zigbee2mqtt/living/lamp", {
    state: "ON",
    brightness: 127,
    color_temp: 250,
    color: { x: 0.32, y: 0.33 },
    linquality: 90,
  });
  expect(idsOf(rig)).toEqual([BUTTON.ieee_address, LAMP.ieee_address, BRIDGE]);
  expect(lampOf(rig)).toMatchObject({
    ...{ name: "living/lamp", deviceType: "light", pluginId: "z2m", available: true },
    details: { manufacturer: "Maker", model: "LED1", parent_device_id: BRIDGE },
    attributes: {
      on: true,
      brightness: 127,
      brightness_pct: 50,
      color_temp: 250,
      color_temp_k: 4000,
      color_rgb: expect.stringMatching(/^#[\da-f]{6}$/),
    },
  });
  expect(lampOf(rig).details.schema).toMatchObject({
    properties: {
      brightness: { type: "number", minimum: 0, maximum: 254 },
      linkquality: { readOnly: true, category: "diagnostic", unit: "lqi" },
      power_on_behavior: { enum: ["off", "on"], category: "config" },
    },
  });
});

test("commands in the hub's words are one message as the device expects it", async () => {
  using rig = await furnished();
  const lamp = (wanted: object) => command(rig, LAMP.ieee_address, wanted);
  expect(await lamp({ on: true, brightness_pct: 50, color_temp_k: 2700, transition: 2 })).toEqual([
    { topic: "zigbee2mqtt/living/lamp/set", payload: { state: "ON", brightness: 127, color_temp: 370, transition: 2 } },
  ]);
  expect(await lamp({ color_rgb: "#ff8000" })).toEqual([
    { topic: "zigbee2mqtt/living/lamp/set", payload: { color: { r: 255, g: 128, b: 0 } } },
  ]);
  expect(await lamp({ on: "toggle" })).toEqual([
    { topic: "zigbee2mqtt/living/lamp/set", payload: { state: "TOGGLE" } },
  ]);
});

describe("a command that cannot be is refused with the attribute and what is wrong", () => {
  test.each([
    [{ linkquality: 1 }, "linkquality: the device only reports it"],
    [{ colour: "#ff0000" }, "colour: the device has no such attribute"],
    [{ brightness: 300 }, "brightness: must be from 0 to 254, not 300"],
    [{ power_on_behavior: "maybe" }, "power_on_behavior: must be one of off, on"],
    [{ on: "ON" }, 'on: must be true or false, or "toggle"'],
    [{ color_rgb: "red" }, "color_rgb: must be a colour"],
    [{ color_temp_k: 100 }, "color_temp_k: must be a number from 2000 to 6540 K"],
  ])("%j", async (wanted, message) => {
    using rig = await furnished();
    await expect(rig.discovery.command(LAMP.ieee_address, wanted as never)).rejects.toThrow(message);
    expect(rig.sent()).toEqual([]);
  });
});

test("a press is an event each time, also when it comes again; a retained one is none", async () => {
  using rig = await furnished();
  rig.publish("zigbee2mqtt/button", { action: "single", battery: 80 }, { retain: true });
  expect(rig.actions).toEqual([]);
  rig.publish("zigbee2mqtt/button", { action: "single", battery: 80 });
  rig.publish("zigbee2mqtt/button", { action: "single", battery: 80 });
  rig.publish("zigbee2mqtt/button", { action: "", battery: 80 });
  expect(rig.actions).toEqual([
    { device_id: BUTTON.ieee_address, action: "single" },
    { device_id: BUTTON.ieee_address, action: "single" },
  ]);
  expect(rig.registry.get(BUTTON.ieee_address).attributes).toMatchObject({ action: "single", battery: 80 });
});

test("a rename there is the name here, unless a person gave one; a device that goes is kept and not available", async () => {
  using rig = await furnished();
  await announce(rig, [COORDINATOR, { ...LAMP, friendly_name: "lamp 2" }, BUTTON]);
  expect(lampOf(rig).name).toBe("lamp 2");
  rig.publish("zigbee2mqtt/lamp 2", { state: "OFF" });
  expect(lampOf(rig).attributes.on).toBe(false);
  rig.registry.edit(LAMP.ieee_address, { name: "Lamp" });
  await announce(rig, [COORDINATOR, LAMP, BUTTON]);
  expect(lampOf(rig).name).toBe("Lamp");
  await announce(rig, [COORDINATOR, BUTTON]);
  expect(lampOf(rig)).toMatchObject({ name: "Lamp", available: false });
  await expect(rig.discovery.command(LAMP.ieee_address, { on: true })).rejects.toThrow("has not announced itself");
  await announce(rig, [COORDINATOR, LAMP, BUTTON]);
  expect(lampOf(rig)).toMatchObject({ name: "Lamp", available: true });
});

test("availability is reported by the device and by its bridge", async () => {
  using rig = await furnished();
  rig.publish("zigbee2mqtt/living/lamp/availability", { state: "offline" });
  expect(lampOf(rig).available).toBe(false);
  rig.publish("zigbee2mqtt/living/lamp/availability", "online");
  expect(lampOf(rig).available).toBe(true);
  rig.publish("zigbee2mqtt/bridge/state", { state: "offline" });
  expect([lampOf(rig).available, rig.registry.get(BUTTON.ieee_address).available]).toEqual([false, false]);
});

test("only the account that announced a device speaks for it", async () => {
  using rig = await furnished();
  rig.publish("zigbee2mqtt/living/lamp", { state: "ON" }, { account: "somebody" });
  expect(lampOf(rig).attributes).toEqual({});
});

test("with ask, a device waits until somebody accepts it", async () => {
  using rig = await furnished({ discovery: { approve: "ask" } });
  expect([...rig.registry.list()]).toEqual([]);
  const waiting = rig.discovery.list();
  expect(waiting.map(({ state, name }) => `${state} ${name}`)).toEqual([
    ...["waiting Zigbee2MQTT", "waiting living/lamp", "waiting button"],
  ]);
  expect(rig.discovery.decide(waiting[1]?.id ?? "", "accepted")).toMatchObject({
    state: "accepted",
    device_id: LAMP.ieee_address,
  });
  expect(rig.discovery.decide(waiting[2]?.id ?? "", "ignored")).toMatchObject({ state: "ignored", device_id: null });
  rig.publish("zigbee2mqtt/living/lamp", { state: "ON" });
  expect(lampOf(rig).attributes).toMatchObject({ on: true });
});

test("Home Assistant's messages of the same bridge make no second device", async () => {
  using rig = await furnished();
  rig.publish("homeassistant/light/0x00158d0001a2b3c4/light/config", {
    ...{
      schema: "json",
      command_topic: "zigbee2mqtt/living/lamp/set",
      state_topic: "zigbee2mqtt/living/lamp",
      unique_id: "x",
    },
    device: { identifiers: ["zigbee2mqtt_0x00158d0001a2b3c4"], name: "living/lamp" },
    origin: { name: "Zigbee2MQTT" },
  });
  await rig.clock.advance(1000);
  expect(idsOf(rig)).toHaveLength(3);
});

test("new firmware is reported beside the device's own object, and looked for on command", async () => {
  using rig = await furnished();
  const update = { state: "available", installed_version: 5, latest_version: 6 };
  rig.publish("zigbee2mqtt/living/lamp", { update });
  expect(lampOf(rig).attributes).toEqual({
    ...{ update, update_available: true, update_in_progress: false, update_state: "available" },
    ...{ installed_version: 5, latest_version: 6 },
  });
  rig.publish("zigbee2mqtt/living/lamp", { update: { ...update, state: "updating", progress: 12.5 } });
  expect(lampOf(rig).attributes).toMatchObject({ update_in_progress: true, update_progress: 12.5 });
  expect(lampOf(rig).details.schema).toMatchObject({ properties: { update_available: { category: "diagnostic" } } });
  const id = LAMP.ieee_address;
  expect(await command(rig, id, { command: "ota_check" })).toEqual([
    { topic: "zigbee2mqtt/bridge/request/device/ota_update/check", payload: { id } },
  ]);
  for (const wanted of [{ command: "ota_update" }, { install_update: true }])
    expect(await command(rig, id, wanted)).toEqual([
      { topic: "zigbee2mqtt/bridge/request/device/ota_update/update", payload: { id } },
    ]);
  await expect(command(rig, id, { install_update: false })).rejects.toThrow("install_update: ");
  await expect(command(rig, BUTTON.ieee_address, { command: "ota_check" })).rejects.toThrow(
    "command: must be one of rename, remove, interview, configure",
  );
});

test("a device is renamed and removed by command; removing it in the hub does not unpair it", async () => {
  using rig = await furnished();
  const id = LAMP.ieee_address;
  expect(await command(rig, id, { command: "rename", to: "hall/lamp" })).toEqual([
    { topic: "zigbee2mqtt/bridge/request/device/rename", payload: { from: id, to: "hall/lamp" } },
  ]);
  expect(await command(rig, id, { command: "remove", force: true })).toEqual([
    { topic: "zigbee2mqtt/bridge/request/device/remove", payload: { id, force: true } },
  ]);
  rig.registry.remove(id);
  expect(rig.sent()).toEqual([]);
  rig.publish("zigbee2mqtt/living/lamp", { state: "ON" });
  expect(idsOf(rig)).toEqual([BUTTON.ieee_address, BRIDGE]);
});

test("states that come before the description are not lost; a press among them is none", async () => {
  using rig = createRig();
  rig.publish("zigbee2mqtt/living/lamp", { state: "OFF", brightness: 1 }, { retain: true });
  rig.publish("zigbee2mqtt/living/lamp", { state: "ON", brightness: 2 }, { retain: true });
  rig.publish("zigbee2mqtt/living/lamp/availability", { state: "offline" }, { retain: true });
  rig.publish("zigbee2mqtt/button", { action: "single", battery: 50 });
  await announce(rig, [COORDINATOR, LAMP, BUTTON]);
  expect(lampOf(rig)).toMatchObject({ available: false, attributes: { on: true, brightness: 2 } });
  expect(rig.registry.get(BUTTON.ieee_address).attributes).toMatchObject({ battery: 50 });
  expect(rig.actions).toEqual([]);
});

test("states of a base topic of one's own come early as well, after any word of its bridge", async () => {
  using rig = createRig();
  rig.publish("attic/zigbee/bridge/state", { state: "online" });
  rig.publish("attic/zigbee/living/lamp", { state: "ON" });
  rig.publish("attic/zigbee/bridge/devices", [COORDINATOR, LAMP]);
  await rig.clock.advance(10);
  expect(lampOf(rig).attributes).toMatchObject({ on: true });
  expect(idsOf(rig)).toEqual([LAMP.ieee_address, "attic_zigbee_bridge"]);
});

test("a device is there only while its bridge is, and what was out of reach before stays so", async () => {
  using rig = await furnished();
  const available = () => [BRIDGE, LAMP.ieee_address, BUTTON.ieee_address].map((id) => rig.registry.get(id).available);
  rig.publish("zigbee2mqtt/button/availability", "offline");
  expect(available()).toEqual([true, true, false]);
  rig.publish("zigbee2mqtt/bridge/state", "offline");
  rig.publish("zigbee2mqtt/living/lamp/availability", { state: "online" });
  expect(available()).toEqual([false, false, false]);
  rig.publish("zigbee2mqtt/bridge/state", { state: "online" });
  expect(available()).toEqual([true, true, false]);
  rig.publish("zigbee2mqtt/button/availability", "");
  expect(available()).toEqual([true, true, false]);
});

test("a property that is exposed twice takes the values of both", async () => {
  using rig = createRig();
  const choice = (values: string[]) => ({ type: "enum", name: "state", property: "state", access: 3, values });
  const exposes = [choice(["lock", "unlock"]), { type: "cover", features: [choice(["OPEN", "CLOSE"])] }];
  await announce(rig, [{ ...LAMP, definition: { ...LAMP.definition, exposes } }]);
  const [topic, id] = ["zigbee2mqtt/living/lamp/set", LAMP.ieee_address];
  expect(await command(rig, id, { state: "unlock" })).toEqual([{ topic, payload: { state: "unlock" } }]);
  expect(await command(rig, id, { state: "OPEN" })).toEqual([{ topic, payload: { state: "OPEN" } }]);
  await expect(command(rig, id, { state: "ajar" })).rejects.toThrow("state: must be one of lock, unlock");
});
