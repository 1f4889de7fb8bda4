import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { checkValue } from "../../../src/kit/schema/schema.ts";
import { MemoryKeys, MqttSection, mqttProblems } from "../../../src/reach/mqtt/config.ts";

const user = { username: "remote", password: "secret" };
const section = (value: object): MqttSection => {
  const checked = checkValue(MqttSection, value);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.value;
};

test("everything has a default", () => {
  expect(section({})).toMatchObject({
    ...{ host: "127.0.0.1", port: 1883, prefix: "hub", anonymous: false, users: [], max_packet_kib: 8192 },
    ...Value.Create(MemoryKeys),
    ...{ max_connections: 500, max_connections_per_account: 250 },
    ...{ max_pending_connections: 500, max_pending_connections_per_address: 250 },
    ...{
      max_messages_per_second: 2000,
      max_mb_per_second: 8,
      max_deliveries_per_second: 10_000,
      max_new_devices_per_minute: 2000,
    },
  });
});

test.each([
  [{ prefix: "/hub" }, "prefix"],
  [{ prefix: "hub/" }, "prefix"],
  [{ prefix: "hub/+" }, "prefix"],
  [{ prefix: "my hub" }, "prefix"],
  [{ prefix: "" }, "prefix"],
  [{ prefix: "$hub" }, "prefix"],
  [{ port: 65_536 }, "port"],
  [{ port: -1 }, "port"],
  [{ max_connections: 0 }, "max_connections"],
  [{ max_messages_per_second: 0 }, "max_messages_per_second"],
  [{ users: [{ username: "a/b", password: "x" }] }, "users[0].username"],
  [{ users: [{ username: "a" }] }, "users[0].password"],
  [{ users: [{ ...user, topics: [] }] }, "users[0].topics"],
  [{ hots: "x" }, "hots"],
])("%p is refused at %s", (value, path) => {
  const checked = checkValue(MqttSection, value);
  expect(checked.ok ? [] : checked.problems.map((problem) => problem.path)).toEqual([path]);
});

describe("across keys", () => {
  test.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])("%s is this machine", (host) => {
    expect(mqttProblems(section({ host }))).toEqual([]);
  });

  test.each(["0.0.0.0", "::", "192.168.1.5", "hub.local"])("%s needs users", (host) => {
    const problems = mqttProblems(section({ host, anonymous: true }));
    expect(problems.map(({ path }) => path)).toEqual(["mqtt.host"]);
    expect(problems[0]?.message).toContain("[[mqtt.users]]");
    expect(mqttProblems(section({ host, users: [user] }))).toEqual([]);
  });

  test("duplicate names, the hub's own name, bad patterns: all at once", () => {
    const users = [user, { ...user, publish: ["a/#", "a/#/b"], subscribe: ["x+"] }, { ...user, username: "core" }];
    expect(mqttProblems(section({ users })).map(({ path }) => path)).toEqual([
      ...["mqtt.users[1].username", "mqtt.users[1].publish[1]", "mqtt.users[1].subscribe[0]", "mqtt.users[2].username"],
    ]);
  });
});
