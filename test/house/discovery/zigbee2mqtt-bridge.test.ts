import { describe, expect, test } from "bun:test";
import { createRig } from "./rig.ts";
import {
  announce,
  BRIDGE,
  BUTTON,
  COORDINATOR,
  command,
  DEVICES,
  furnished,
  GROUP,
  INFO,
  idsOf,
  LAMP,
  lampOf,
  RELAYS,
  type Rig,
} from "./zigbee2mqtt-house.ts";

const REQUEST = "zigbee2mqtt/bridge/request";
const GROUP_ID = "zigbee2mqtt_group_1";

async function grouped(): Promise<Rig> {
  const rig = createRig();
  rig.publish("zigbee2mqtt/bridge/info", INFO);
  await announce(rig, [COORDINATOR, LAMP, BUTTON, RELAYS]);
  rig.publish("zigbee2mqtt/bridge/groups", [GROUP]);
  await rig.clock.advance(10);
  return rig;
}

test("the bridge is a device with what it runs, and says whether others may join", async () => {
  using rig = await grouped();
  expect(rig.registry.get(BRIDGE)).toMatchObject({
    ...{ name: "Zigbee2MQTT", deviceType: "bridge", available: true },
    attributes: {
      ...{ permit_join: false, version: "2.14.1", coordinator_type: "EmberZNet" },
      ...{ channel: 15, restart_required: false, log_level: "info" },
    },
  });
  rig.publish("zigbee2mqtt/bridge/info", { ...INFO, permit_join: true, permit_join_end: 1_800_000_000_000 });
  expect(rig.registry.get(BRIDGE).attributes).toMatchObject({ permit_join: true, permit_join_end: 1_800_000_000_000 });
  rig.publish("zigbee2mqtt/bridge/info", { ...INFO, version: 3, coordinator: "x", network: [], log_level: null });
  const { attributes } = rig.registry.get(BRIDGE);
  expect(attributes).toMatchObject({ permit_join: false, version: "2.14.1", channel: 15 });
  expect(attributes).not.toHaveProperty("permit_join_end");
});

describe("a command for the bridge is the request it means", () => {
  test.each<[object, string, object | string]>([
    [{ permit_join: true }, "permit_join", { time: 254 }],
    [{ permit_join: false }, "permit_join", { time: 0 }],
    [{ log_level: "debug" }, "options", { options: { advanced: { log_level: "debug" } } }],
    [{ command: "permit_join" }, "permit_join", { time: 254 }],
    [{ command: "permit_join", time: 120, device: "relays" }, "permit_join", { time: 120, device: "relays" }],
    [{ command: "restart" }, "restart", ""],
    [{ command: "rename", device: "living/lamp", to: "hall" }, "device/rename", { from: "living/lamp", to: "hall" }],
    [
      { command: "remove", device: LAMP.ieee_address, force: true },
      "device/remove",
      { id: LAMP.ieee_address, force: true },
    ],
    [{ command: "rename", device: GROUP_ID, to: "lamps" }, "group/rename", { from: "all lamps", to: "lamps" }],
    [{ command: "remove", device: "all lamps" }, "group/remove", { id: "all lamps", force: false }],
    [{ command: "add_group", name: "kitchen" }, "group/add", { friendly_name: "kitchen" }],
  ])("%j", async (wanted, request, payload) => {
    using rig = await grouped();
    expect(await command(rig, BRIDGE, wanted)).toEqual([{ topic: `${REQUEST}/${request}`, payload }] as never);
  });
});

describe("a command that cannot be is refused with what is wrong", () => {
  test.each([
    [{ command: "explode" }, "command: must be one of permit_join, rename, remove, add_group, restart"],
    [{ command: "__proto__" }, "command: must be one of"],
    [{ command: "rename", device: "nobody", to: "x" }, 'device: the bridge has no device or group "nobody"'],
    [{ command: "rename", device: "button", to: "a/#" }, "to: must be a name without + and #"],
    [{ command: "rename", device: "button" }, "to: must be a name"],
    [{ command: "remove", device: "button", force: "yes" }, "force: must be true or false"],
    [{ command: "permit_join", time: 3600 }, "time: must be whole seconds from 0 to 254"],
    [{ command: "restart", now: true }, "now: the command takes nothing else"],
    [{ command: "remove", device: "button", to: "x" }, "to: the command takes only device, force"],
    [{ permit_join: "yes" }, "permit_join: must be true or false"],
    [{ log_level: "loud" }, "log_level: must be one of error, warning, info, debug"],
    [{ version: "3" }, "version: the device only reports it"],
    [{ colour: "red" }, "colour: the device has no such attribute"],
  ])("%j", async (wanted, message) => {
    using rig = await grouped();
    await expect(command(rig, BRIDGE, wanted)).rejects.toThrow(message);
    expect(rig.sent()).toEqual([]);
  });
});

test("what the bridge refuses is reported with the bridge, until something succeeds", async () => {
  using rig = await grouped();
  const problem = () => rig.discovery.list().find(({ device_id }) => device_id === BRIDGE)?.problem;
  const response = (status: string, more: object = {}) =>
    rig.publish("zigbee2mqtt/bridge/response/device/rename", { data: {}, status, ...more });
  response("error", { error: "friendly_name 'hall' is already in use" });
  expect(problem()).toBe("it refused device/rename: friendly_name 'hall' is already in use");
  response("ok");
  expect(problem()).toBeNull();
});

test("a device that did not take a command is reported with the device, until it is seen again", async () => {
  using rig = await furnished();
  const problem = () => rig.discovery.list().find(({ device_id }) => device_id === LAMP.ieee_address)?.problem;
  const log = (level: string, message: unknown) => rig.publish("zigbee2mqtt/bridge/logging", { level, message });
  log("info", "Publish 'set' 'state' to 'living/lamp' failed: 'no'");
  log("error", "Publish 'set' 'state' to 'nobody' failed: 'no'");
  log("error", { Publish: 1 });
  expect(problem()).toBeNull();
  log("error", "Publish 'set' 'state' to 'living/lamp' failed: 'Error: no answer'");
  expect(problem()).toBe("it did not take state: Error: no answer");
  expect(rig.refusals).toEqual([{ deviceId: expect.any(String), message: "it did not take state: Error: no answer" }]);
  rig.publish("zigbee2mqtt/living/lamp", { state: "ON" });
  expect(problem()).toBeNull();
});

test("a group takes what its members take, in the hub's words, and names them", async () => {
  using rig = await grouped();
  expect(rig.registry.get(GROUP_ID)).toMatchObject({
    ...{ name: "all lamps", deviceType: "light", available: true },
    details: { parent_device_id: BRIDGE },
    attributes: {
      members: [
        { device_id: LAMP.ieee_address, name: "living/lamp" },
        { device_id: RELAYS.ieee_address, name: "relays" },
      ],
    },
  });
  rig.publish("zigbee2mqtt/all lamps", { state: "ON", brightness: 254, color_temp: 500 });
  expect(rig.registry.get(GROUP_ID).attributes).toMatchObject({
    ...{ on: true, brightness: 254, brightness_pct: 100, color_temp_k: 2000 },
  });
  expect(await command(rig, GROUP_ID, { on: false, brightness_pct: 0, transition: 1 })).toEqual([
    { topic: "zigbee2mqtt/all lamps/set", payload: { state: "OFF", brightness: 0, transition: 1 } },
  ]);
  expect(await command(rig, GROUP_ID, { scene_recall: 3 })).toEqual([
    { topic: "zigbee2mqtt/all lamps/set", payload: { scene_recall: 3 } },
  ]);
  expect(await command(rig, GROUP_ID, { command: "add_member", device: "button" })).toEqual([
    { topic: `${REQUEST}/group/members/add`, payload: { group: "all lamps", device: "button" } },
  ]);
  await expect(command(rig, GROUP_ID, { power_on_behavior: "on" })).rejects.toThrow("no such attribute");
});

test("a group of single relays has what those have, whatever they are called in the device", async () => {
  using rig = await grouped();
  rig.publish("zigbee2mqtt/bridge/groups", [
    { ...GROUP, members: [{ ieee_address: RELAYS.ieee_address, endpoint: 2 }] },
  ]);
  await rig.clock.advance(10);
  expect(await command(rig, GROUP_ID, { on: "toggle" })).toEqual([
    { topic: "zigbee2mqtt/all lamps/set", payload: { state: "TOGGLE" } },
  ]);
  expect(rig.registry.get(GROUP_ID).deviceType).toBe("switch");
});

test("groups come before their members, change with them and go", async () => {
  using rig = createRig();
  rig.publish("zigbee2mqtt/bridge/groups", [GROUP, { ...GROUP, id: 901, friendly_name: "default_bind_group" }]);
  await announce(rig, [COORDINATOR]);
  expect(idsOf(rig)).toEqual([BRIDGE, GROUP_ID]);
  await expect(command(rig, GROUP_ID, { on: true })).rejects.toThrow("no such attribute");
  await announce(rig, [COORDINATOR, LAMP]);
  expect(await command(rig, GROUP_ID, { on: true })).toHaveLength(1);
  rig.publish("zigbee2mqtt/bridge/groups", []);
  expect(rig.registry.get(GROUP_ID).available).toBe(false);
});

describe("two bridges", () => {
  const attic = (topic: string) => `attic/bridge/${topic}`;
  const problemOf = (rig: Rig, account: string, base: string) =>
    rig.discovery.list().find(({ id }) => id === `zigbee2mqtt:${account}:${base}/${LAMP.ieee_address}`)?.problem;

  test("of different bases have devices of their own", async () => {
    using rig = await furnished();
    rig.publish(attic("devices"), [
      { ...COORDINATOR, ieee_address: "0x02" },
      { ...BUTTON, ieee_address: "0x03" },
    ]);
    await rig.clock.advance(10);
    expect(idsOf(rig)).toEqual([BUTTON.ieee_address, LAMP.ieee_address, "0x03", "attic_bridge", BRIDGE]);
    expect(rig.registry.get("attic_bridge").name).toBe("Zigbee2MQTT (attic)");
  });

  test("with the same device: the first has it, the other is refused, and gets it once it is free", async () => {
    using rig = await furnished();
    rig.publish(attic("devices"), [{ ...LAMP, friendly_name: "mine" }], { account: "other" });
    rig.publish("attic/mine", { state: "ON" }, { account: "other" });
    await rig.clock.advance(10);
    expect(lampOf(rig)).toMatchObject({ name: "living/lamp", pluginId: "z2m", attributes: {} });
    expect(problemOf(rig, "other", "attic")).toBe("z2m announces it already, at zigbee2mqtt");
    rig.publish(attic("devices"), [{ ...LAMP, friendly_name: "mine" }]);
    await announce(rig, [COORDINATOR, BUTTON]);
    await rig.clock.advance(10);
    expect(lampOf(rig).name).toBe("mine");
    rig.publish("attic/mine", { state: "ON" });
    expect(lampOf(rig)).toMatchObject({ available: true, attributes: { on: true } });
  });

  test("after a change of the base topic, what is left of the old one does not stand in the way", async () => {
    using rig = await furnished();
    rig.publish("zigbee2mqtt/bridge/state", { state: "offline" });
    rig.publish(attic("state"), { state: "online" });
    rig.publish(attic("devices"), [COORDINATOR, LAMP, BUTTON]);
    await rig.clock.advance(10);
    rig.publish("attic/living/lamp", { state: "ON" });
    expect(lampOf(rig)).toMatchObject({
      ...{ available: true, attributes: { on: true }, details: { parent_device_id: BRIDGE } },
    });
    expect(rig.registry.get(BRIDGE)).toMatchObject({ name: "Zigbee2MQTT (attic)", available: true });
  });

  test("that both look alive: the old one gives way when it goes offline", async () => {
    using rig = await furnished();
    rig.publish(attic("devices"), [COORDINATOR, LAMP]);
    expect(problemOf(rig, "z2m", "attic")).toContain("announces it already");
    rig.publish("zigbee2mqtt/bridge/state", { state: "offline" });
    await rig.clock.advance(10);
    expect(problemOf(rig, "z2m", "attic")).toBeNull();
    expect(await command(rig, LAMP.ieee_address, { on: true })).toEqual([
      { topic: "attic/living/lamp/set", payload: { state: "ON" } },
    ]);
  });

  test("another account's bridge does not get a device by waiting for the first to go offline", async () => {
    using rig = await furnished();
    rig.publish(attic("devices"), [COORDINATOR, LAMP], { account: "other" });
    rig.publish("zigbee2mqtt/bridge/state", { state: "offline" });
    await rig.clock.advance(10);
    expect(lampOf(rig)).toMatchObject({ pluginId: "z2m", available: false });
  });
});

test("a message of the bridge for Home Assistant from another account is about the same device", async () => {
  using rig = await furnished();
  const config = {
    ...{ state_topic: "zigbee2mqtt/living/lamp", unique_id: "x", origin: { name: "Zigbee2MQTT" } },
    device: { identifiers: ["zigbee2mqtt_0x00158d0001a2b3c4"], name: "twin" },
  };
  rig.publish("homeassistant/sensor/x/config", config, { account: "other" });
  await rig.clock.advance(1000);
  expect(idsOf(rig)).toEqual([BUTTON.ieee_address, LAMP.ieee_address, BRIDGE]);
});

test("nobody gets topics through a bridge that the account may not publish to itself", async () => {
  using rig = createRig({ mayPublish: (topic) => topic.startsWith("zigbee2mqtt/bridge/") });
  rig.publish(DEVICES, [COORDINATOR, LAMP]);
  expect(idsOf(rig)).toEqual([BRIDGE]);
  expect(rig.discovery.list()[1]).toMatchObject({
    ...{ state: "broken", problem: "z2m announces zigbee2mqtt/living/lamp, where it may not publish" },
  });
});
