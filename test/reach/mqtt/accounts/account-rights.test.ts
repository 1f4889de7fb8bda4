// What an account of each kind may do, over real connections; and that it is enough for the sources of discovery.
import { describe, expect, test } from "bun:test";
import { matchesFilter } from "../../../../src/kit/text/topic-filter.ts";
import type { AccountKindName } from "../../../../src/reach/mqtt/accounts/account-kinds.ts";
import type { NewDeviceAccount } from "../../../../src/reach/mqtt/accounts/device-accounts.ts";
import { createRig } from "../../../house/discovery/rig.ts";
import { startTestMqtt, until } from "../support.ts";
import { createAccountRig } from "./account-rig.ts";

interface Expected extends NewDeviceAccount {
  kind: AccountKindName;
  writes: string[];
  refused: string[];
  /** Topics of which it gets messages, and of which it gets none. */
  gets: string[];
  missing: string[];
}

const KINDS: Expected[] = [
  {
    ...{ name: "bridge", kind: "zigbee2mqtt" },
    writes: ["zigbee2mqtt/bridge/devices", "zigbee2mqtt/living/lamp/set", "homeassistant/light/0x1/light/config"],
    refused: ["zigbee2mqtt2/lamp", "hub/devices/lamp/state", "tasmota/discovery/1/config"],
    gets: ["zigbee2mqtt/lamp/set", "zigbee2mqtt/bridge/request/permit_join", "homeassistant/status"],
    missing: ["homeassistant/light/x/config", "tele/plug/STATE"],
  },
  {
    ...{ name: "attic", kind: "zigbee2mqtt", base: "attic/zigbee" },
    writes: ["attic/zigbee/bridge/devices", "attic/zigbee/lamp"],
    refused: ["zigbee2mqtt/lamp", "attic/other"],
    gets: ["attic/zigbee/lamp/set"],
    missing: ["zigbee2mqtt/lamp/set"],
  },
  {
    ...{ name: "tasmotas", kind: "tasmota" },
    writes: ["tasmota/discovery/DC4F22/config", "tele/plug/LWT", "stat/plug/RESULT", "cmnd/plug/POWER"],
    refused: ["tasmota/other", "zigbee2mqtt/lamp/set", "homeassistant/switch/x/config", "hub/events/x"],
    gets: ["cmnd/plug/POWER", "cmnd/tasmotas/POWER"],
    missing: ["tele/other/STATE", "zigbee2mqtt/lamp"],
  },
  {
    ...{ name: "tasmota-1", kind: "tasmota", base: "plug" },
    writes: ["tasmota/discovery/DC4F22/sensors", "tele/plug/STATE", "cmnd/plug/POWER"],
    refused: ["tele/other/STATE", "cmnd/other/POWER", "stat/plug2/RESULT"],
    gets: ["cmnd/plug/POWER"],
    missing: ["cmnd/other/POWER"],
  },
  {
    ...{ name: "plug", kind: "shelly" },
    writes: [
      "plug/online",
      "plug/rpc",
      "plug/hub/rpc",
      "plug/hall/status/switch:0",
      "shellies/announce",
      "shellies/s1/relay/0/command",
    ],
    refused: ["other/online", "zigbee2mqtt/lamp/set", "hub/devices/x/state"],
    gets: ["plug/rpc", "plug/hall/rpc", "shellies/command", "shellies/s1/relay/0/command"],
    missing: ["other/rpc"],
  },
  {
    ...{ name: "one-shelly", kind: "shelly", base: "hall" },
    writes: ["hall/online", "shellies/announce", "shellies/hall/relay/0/command"],
    refused: ["one-shelly/online", "shellies/other/relay/0"],
    gets: ["hall/rpc", "shellies/command", "shellies/hall/relay/0/command"],
    missing: ["shellies/other/relay/0/command"],
  },
  {
    ...{ name: "kitchen-lamp", kind: "esphome" },
    writes: [
      "kitchen-lamp/light/lamp/state",
      "kitchen-lamp/light/lamp/command",
      "homeassistant/light/kitchen-lamp/lamp/config",
    ],
    refused: ["homeassistant/light/other/lamp/config", "homeassistant/status", "other/status"],
    gets: ["kitchen-lamp/light/lamp/command"],
    missing: ["homeassistant/light/kitchen-lamp/lamp/config", "other/light/lamp/command"],
  },
  {
    ...{ name: "far", kind: "plugin" },
    writes: ["hub/plugins/far/register", "hub/devices/far_lamp/state"],
    refused: ["hub/plugins/other/register", "zigbee2mqtt/lamp"],
    gets: ["hub/plugins/far/manage/cmd"],
    missing: ["hub/plugins/other/manage/cmd"],
  },
  {
    ...{ name: "own", kind: "custom", publish: ["garden/+/state"], subscribe: ["garden/+/set"] },
    writes: ["garden/lamp/state"],
    refused: ["garden/lamp/set", "garden/a/b/state"],
    gets: ["garden/lamp/set"],
    missing: ["garden/lamp/state"],
  },
];

describe("an account may do what its kind needs, and nothing else:", () => {
  test.each(KINDS)("$kind $name", async ({ writes, refused, gets, missing, ...account }) => {
    using rig = createAccountRig();
    const { password } = rig.accounts.create(account);
    await using hub = await startTestMqtt({ storedAccounts: rig.accounts });
    const client = await hub.client({ username: account.name, password });
    const denied = () => hub.logged("a publish was denied").map(({ fields }) => fields.topic);
    for (const topic of [...writes, ...refused]) await client.publishAsync(topic, "{}", { qos: 1 });
    expect(denied()).toEqual(refused);

    await client.subscribeAsync(gets, { qos: 1 });
    await client.subscribeAsync("#").catch(() => {});
    for (const topic of [...missing, ...gets]) await hub.mqtt.publish(topic, "1", { qos: 1 });
    await until(() => gets.every((topic) => client.messages.some((one) => one.topic === topic)));
    expect(client.messages.filter(({ topic }) => missing.includes(topic))).toEqual([]);
  });

  test("a wrong password, an old password and no password let nobody in", async () => {
    using rig = createAccountRig();
    const { password: old } = rig.accounts.create({ name: "plug", kind: "shelly" });
    const { password } = rig.accounts.renew("plug");
    await using hub = await startTestMqtt({ storedAccounts: rig.accounts });
    for (const wrong of [old, "", `${password}x`])
      await expect(hub.client({ username: "plug", password: wrong })).rejects.toThrow("Bad username or password");
    expect((await hub.client({ username: "plug", password })).connected).toBe(true);
  });

  test("hub.toml and the hub's own plugins win where they have the name", async () => {
    using rig = createAccountRig();
    const { password } = rig.accounts.create({ name: "plug", kind: "shelly" });
    await using hub = await startTestMqtt({
      config: { users: [{ username: "plug", password: "of hub.toml" }] },
      storedAccounts: rig.accounts,
    });
    await expect(hub.client({ username: "plug", password })).rejects.toThrow("Bad username or password");
    expect((await hub.client({ username: "plug", password: "of hub.toml" })).connected).toBe(true);
  });

  test("a database that fails lets nobody in, and ends nothing", async () => {
    using rig = createAccountRig();
    const { password } = rig.accounts.create({ name: "plug", kind: "shelly" });
    await using hub = await startTestMqtt({
      config: { users: [{ username: "known", password: "secret" }] },
      storedAccounts: rig.accounts,
    });
    rig.db.durable.run("DROP TABLE mqtt_accounts");
    await expect(hub.client({ username: "plug", password })).rejects.toThrow();
    expect(rig.accounts.has("plug")).toBe(false);
    expect((await hub.client({ username: "known", password: "secret" })).connected).toBe(true);
  });
});

function mayPublishOf({ accounts }: ReturnType<typeof createAccountRig>, name: string) {
  const found = accounts.list().find((account) => account.name === name);
  return { mayPublish: (topic: string) => found?.publish.some((pattern) => matchesFilter(pattern, topic)) ?? false };
}

describe("it is enough for what discovery reads and writes:", () => {
  /** The house of a device whose account has this kind's rights. */
  function houseOf(account: NewDeviceAccount) {
    const rig = createAccountRig();
    rig.made(account);
    const house = createRig(mayPublishOf(rig, account.name));
    const publish = (topic: string, payload: unknown) => house.publish(topic, payload, { account: account.name });
    const device = () => house.discovery.list()[0]?.device_id ?? "";
    return {
      ...{ house, publish, device },
      [Symbol.dispose]() {
        house[Symbol.dispose]();
        rig[Symbol.dispose]();
      },
    };
  }

  test("Zigbee2MQTT", async () => {
    using one = houseOf({ name: "bridge", kind: "zigbee2mqtt" });
    const exposes = [{ type: "binary", name: "state", property: "state", access: 7, value_on: "ON", value_off: "OFF" }];
    const definition = { model: "M", vendor: "V", exposes, options: [] };
    one.publish("zigbee2mqtt/bridge/devices", [
      { ieee_address: "0x1", type: "Router", friendly_name: "hall/plug", definition },
    ]);
    await one.house.discovery.command(one.device(), { on: true });
    expect(one.house.sent().map(({ topic }) => topic)).toEqual(["zigbee2mqtt/hall/plug/set"]);
  });

  test.each([undefined, "plug"])("Tasmota with base %p", async (base) => {
    using one = houseOf({ name: "tasmotas", kind: "tasmota", ...(base && { base }) });
    one.publish("tasmota/discovery/DC4F22ABCDEF/config", {
      ...{ mac: "DC4F22ABCDEF", dn: "Plug", fn: ["Plug"], t: "plug", ft: "%prefix%/%topic%/", rl: [1], ver: 1 },
      ...{ tp: ["cmnd", "stat", "tele"], state: ["OFF", "ON", "TOGGLE", "HOLD"], onln: "Online", ofln: "Offline" },
    });
    expect(one.house.discovery.list()[0]?.problem ?? null).toBeNull();
    // What it was asked for its state.
    expect(one.house.sent()[0]?.topic).toBe("cmnd/plug/STATE");
    await one.house.discovery.command(one.device(), { on: true });
    expect(one.house.sent()[0]?.topic).toStartWith("cmnd/plug/POWER");
  });

  test("Shelly of the second generation", async () => {
    using one = houseOf({ name: "plug", kind: "shelly" });
    one.publish("plug/online", "true");
    expect(one.house.sent().map(({ topic }) => topic)).toEqual(["plug/rpc", "plug/rpc", "plug/rpc"]);
    one.publish("plug/hub/rpc", { id: 1, src: "plug", result: { mac: "A8032ABE54DC", model: "SNSW", app: "Plus1" } });
    one.publish("plug/hub/rpc", { id: 3, src: "plug", result: { "switch:0": { id: 0, output: false } } });
    await one.house.discovery.command(one.device(), { on: true });
    expect(one.house.sent().map(({ topic }) => topic)).toEqual(["plug/rpc"]);
  });

  test("ESPHome", async () => {
    using one = houseOf({ name: "kitchen-lamp", kind: "esphome" });
    one.publish("homeassistant/switch/kitchen-lamp/relay/config", {
      ...{ name: "Relay", uniq_id: "relay", stat_t: "kitchen-lamp/switch/relay/state", dev: { ids: "a8032abe54dc" } },
      ...{ cmd_t: "kitchen-lamp/switch/relay/command", avty_t: "kitchen-lamp/status" },
    });
    await one.house.clock.advance(200);
    expect(one.house.discovery.list()[0]?.problem ?? null).toBeNull();
    expect(one.device()).not.toBe("");
    await one.house.discovery.command(one.device(), { on: true });
    expect(one.house.sent().map(({ topic }) => topic)).toEqual(["kitchen-lamp/switch/relay/command"]);
  });
});
