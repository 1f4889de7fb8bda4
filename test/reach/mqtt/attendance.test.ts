// Whoever subscribes to the commands of a device shows, after a restart of the hub, that the device can be reached.
import { expect, test } from "bun:test";
import { startTestMqtt, until } from "./support.ts";

const LISTED = (username: string, subscribe = ["#"]) => ({
  username,
  password: "secret-secret",
  publish: ["#"],
  subscribe,
});
const users = [LISTED("lamps"), LISTED("logger"), LISTED("deaf", ["hub/events/#"])];
const owners = { lamp: "lamps", plug: "zigbee", "dotted.lamp": "lamps" };
const as = (username: string) => ({ username, password: "secret-secret" });

const rows: [what: string, username: string, filter: string, attended: string[]][] = [
  ["its own topic", "lamps", "hub/devices/lamp/cmd", ["lamp"]],
  ["an id with a dot", "lamps", "hub/devices/dotted.lamp/cmd", ["dotted.lamp"]],
  ["those of all devices", "lamps", "hub/devices/+/cmd", ["lamp", "plug", "dotted.lamp"]],
  ["everything, for its owner", "lamps", "hub/#", ["lamp", "dotted.lamp"]],
  ["everything, for one who only watches", "logger", "#", []],
  ["something else", "lamps", "hub/devices/lamp/state", []],
  ["what it has no right to", "deaf", "hub/devices/lamp/cmd", []],
];
for (const protocolVersion of [4, 5] as const)
  test.each(rows)(`version ${protocolVersion}: %s`, async (_, username, filter, attended) => {
    await using hub = await startTestMqtt({ config: { users }, owners });
    const client = await hub.client({ protocolVersion, ...as(username) });
    await client.subscribeAsync([filter, "hub/events/#"], { qos: 1 }).catch(() => {});
    // What is published behind it arrives behind it.
    await client.publishAsync("hub/events/behind", "{}", { qos: 1 });
    expect(hub.attended.toSorted()).toEqual(attended.toSorted());
  });

test("a plugin's subscription counts for its own devices only", async () => {
  await using hub = await startTestMqtt({ owners });
  const plugin = await hub.plugin("zigbee");
  await plugin.subscribeAsync("hub/devices/+/cmd", { qos: 1 });
  await until(() => hub.attended.length > 0);
  expect(hub.attended).toEqual(["plug"]);
});

test("a session that is kept counts once its client is back, which need not subscribe again", async () => {
  await using hub = await startTestMqtt({ config: { users }, owners });
  const kept = { ...as("lamps"), clientId: "lamp", clean: false };
  const first = await hub.client(kept);
  await first.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  await first.endAsync();
  hub.attended.length = 0;
  hub.restarted();
  const back = await hub.client(kept);
  await until(() => hub.attended.length > 0);
  expect([back.connected, hub.attended]).toEqual([true, ["lamp"]]);
});

test("a command that is sent at that moment arrives", async () => {
  await using hub = await startTestMqtt({ config: { users }, owners });
  const { attended } = hub.devices;
  hub.devices.attended = (id) => {
    attended(id);
    void hub.mqtt.command(id, { on: true });
  };
  const client = await hub.client(as("lamps"));
  await client.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  await until(() => client.messages.length > 0);
  expect(client.messages).toMatchObject([{ topic: "hub/devices/lamp/cmd", text: '{"on":true}' }]);
});
