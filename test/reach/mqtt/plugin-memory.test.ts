// What a plugin keeps on `{p}/plugins/{id}/state`, such as the keys to its bridge: nobody else reads or changes it.
import { expect, test } from "bun:test";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { startTestMqtt, type TestClient, type TestMqtt, until } from "./support.ts";

const STATE = "hub/plugins/hue/state";
const users = [
  { username: "all", password: "secret", publish: ["#"], subscribe: ["#"] },
  { username: "hue", password: "secret", publish: ["hub/plugins/hue/#"], subscribe: ["hub/plugins/hue/#"] },
  // The rights of the plugin with this name.
  { username: "other", password: "secret" },
];
const config = { users, anonymous: true };
const as = (username: string, rest: object = {}) => ({ username, password: "secret", ...rest });
const memory = { qos: 1, retain: true } as const;

/** What a client has received, when everything sent so far has arrived. */
async function received(hub: TestMqtt, client: TestClient): Promise<string[]> {
  const before = client.messages.length;
  await hub.mqtt.publish("hub/events/end", "{}", { qos: 1 });
  await until(() => client.messages.slice(before).some(({ topic }) => topic === "hub/events/end"));
  return client.messages.filter(({ topic }) => topic !== "hub/events/end").map(({ topic, text }) => `${topic} ${text}`);
}

test("the plugin has it again after a restart, also where its own account is one of [[mqtt.users]]", async () => {
  using folder = createTemporaryFolder();
  const database = folder.at("state.redb");
  {
    await using hub = await startTestMqtt({ config, database });
    await (await hub.plugin("hue")).publishAsync(STATE, '{"key":1}', memory);
  }
  await using hub = await startTestMqtt({ config, database });
  for (const plugin of [await hub.plugin("hue"), await hub.client(as("hue"))]) {
    await plugin.subscribeAsync(STATE, { qos: 1 });
    await until(() => plugin.messages.length === 1);
    expect(plugin.messages[0]).toMatchObject({ text: '{"key":1}', retain: true });
  }
});

test("no other account reads it: neither by its topic nor with a wildcard, now or retained, nor does the event stream", async () => {
  await using hub = await startTestMqtt({ config });
  const hue = await hub.plugin("hue");
  const others = [
    await hub.plugin("zig"),
    await hub.client(as("other")),
    await hub.client(as("all")),
    await hub.client(),
  ];
  const seen: unknown[] = [];
  hub.feed.on("mqtt_message", "test", ({ event }) => void seen.push(event.topic));
  for (const other of others) {
    await other.subscribeAsync("#", { qos: 1 });
    await expect(other.subscribeAsync(STATE)).rejects.toThrow();
  }
  await hue.publishAsync(STATE, "secret", memory);
  for (const other of others) {
    await other.subscribeAsync("hub/plugins/+/state", { qos: 1 });
    await other.subscribeAsync("hub/plugins/hue/#", { qos: 1 });
    expect(await received(hub, other)).toEqual([]);
  }
  expect(seen).not.toContain(STATE);
});

test("no other account writes or clears it", async () => {
  await using hub = await startTestMqtt({ config });
  const hue = await hub.plugin("hue");
  await hue.publishAsync(STATE, "mine", memory);
  for (const other of [await hub.plugin("zig"), await hub.client(as("all")), await hub.client()])
    for (const text of ["theirs", ""]) await other.publishAsync(STATE, text, memory);
  expect(hub.logged("a publish was denied").length).toBeGreaterThanOrEqual(3);
  const kept = () => [...hub.mqtt.retained(STATE)].map(({ payload }) => payload.toString());
  expect(kept()).toEqual(["mine"]);
  await hue.publishAsync(STATE, "", memory);
  await until(() => kept().length === 0);
});

test("it may have a megabyte, whatever else is retained; a larger one is refused, and the last one stays", async () => {
  await using hub = await startTestMqtt({ config: { ...config, max_retained_mb: 1 } });
  const hue = await hub.plugin("hue");
  const text = "x".repeat(1_048_576);
  await hue.publishAsync(STATE, text, memory);
  await hue.publishAsync(STATE, `${text}x`, memory);
  await until(() => hub.logged("a publish was denied").length === 1);
  expect([...hub.mqtt.retained(STATE)].map(({ payload }) => payload.length)).toEqual([1_048_576]);
  expect(hub.logged("a publish was denied")[0]?.fields.reason).toContain("at most 1048576 bytes, not 1048577");
  expect(hub.limits.problems()).toEqual([]);
  expect(hue.connected).toBe(true);
});
