// /mqtt/accounts over the network, with the devices' own clients: made, used, renewed and removed while the hub runs.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { runScenarios } from "../../support/scenarios.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { soon } from "../../support/wait.ts";

const TOML = `
[[mqtt.users]]
username = "garage"
password = "garage-secret"
[[plugins]]
id = "sysmon"
binary = "plugins/sysmon/bin/sysmon.js"
config = "plugins/sysmon/config/config.toml"
enabled = false
`;

let hub: TestHub;
beforeAll(async () => {
  hub = await startTestHub({ toml: TOML });
});
const clients: MqttClient[] = [];
afterAll(async () => {
  for (const client of clients) client.end(true);
  await hub[Symbol.asyncDispose]();
});

interface Settings {
  username: string;
  password: string;
  lines: string[];
  notes: string[];
}

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await hub.request(method, path, { token: hub.adminToken, ...(body && { body }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

async function login({ username, password }: Pick<Settings, "username" | "password">): Promise<MqttClient> {
  const options = { host: "127.0.0.1", port: hub.mqttPort, reconnectPeriod: 0, username, password };
  const client = await connectAsync(options);
  clients.push(client);
  return client;
}
const ended = (client: MqttClient): Promise<unknown> =>
  soon("the client is disconnected", new Promise((resolve) => client.once("close", () => resolve(true))));

test("an account works from the moment it is made until it is removed", async () => {
  const made = await ask<Settings>("POST", "/mqtt/accounts", { name: "bridge", kind: "zigbee2mqtt" });
  expect(made.username).toBe("bridge");
  expect(made.password).toMatch(/^[\w-]{43}$/);
  expect(made.lines).toContain(`  server: "mqtt://127.0.0.1:${hub.mqttPort}"`);
  expect(made.notes[0]).toContain('set host = "0.0.0.0" under [mqtt] in');
  const client = await login(made);
  await client.publishAsync("zigbee2mqtt/bridge/state", '{"state":"online"}', { qos: 1 });

  const listed = await hub.request("GET", "/mqtt/accounts", { token: hub.adminToken });
  const text = await listed.text();
  expect(text).not.toContain(made.password);
  expect(JSON.parse(text)).toEqual([
    {
      ...{ name: "bridge", kind: "zigbee2mqtt", base: null, created_at: expect.stringMatching(/Z$/) },
      publish: ["zigbee2mqtt/#", "homeassistant/#"],
      subscribe: ["zigbee2mqtt/#", "homeassistant/status"],
    },
  ]);

  const gone = ended(client);
  await ask("DELETE", "/mqtt/accounts/bridge");
  await gone;
  await expect(login(made)).rejects.toThrow("Bad username or password");
  expect(await ask("GET", "/mqtt/accounts")).toEqual([]);
});

test("a new password ends the clients of the old one, and nobody else's", async () => {
  const made = await ask<Settings>("POST", "/mqtt/accounts", { name: "plug", kind: "shelly" });
  const other = await ask<Settings>("POST", "/mqtt/accounts", { name: "other", kind: "shelly" });
  const old = await login(made);
  const bystander = await login(other);
  const gone = ended(old);
  const renewed = await ask<Settings>("POST", "/mqtt/accounts/plug/password");
  expect(renewed.password).not.toBe(made.password);
  expect(renewed.lines.join("\n")).toBe(made.lines.join("\n").replace(made.password, renewed.password));
  await gone;
  await expect(login(made)).rejects.toThrow("Bad username or password");
  const again = await login(renewed);
  expect([again.connected, bystander.connected]).toEqual([true, true]);
  for (const { username } of [made, other]) await ask("DELETE", `/mqtt/accounts/${username}`);
});

test("an account twice", async () => {
  const body = { name: "twice", kind: "shelly" };
  await ask("POST", "/mqtt/accounts", body);
  const again = await hub.request("POST", "/mqtt/accounts", { token: hub.adminToken, body });
  expect(again.status).toBe(409);
  expect(await again.text()).toContain("already");
  await ask("DELETE", "/mqtt/accounts/twice");
});

test("what was done, and logins that were refused, are in the audit log, and no password", async () => {
  const { username, password } = await ask<Settings>("POST", "/mqtt/accounts", { name: "audited", kind: "esphome" });
  await expect(login({ username, password: "not its password" })).rejects.toThrow("Bad username or password");
  await ask("DELETE", "/mqtt/accounts/audited");
  const rows = await ask<{ action: string; target: string; outcome: string }[]>("GET", "/system/audit?limit=50");
  const seen = rows.filter(({ target }) => target === "audited").map(({ action, outcome }) => `${action} ${outcome}`);
  expect(seen.sort()).toEqual(["mqtt.login refused", "mqtt_account.create ok", "mqtt_account.remove ok"]);
  expect(JSON.stringify(rows)).not.toContain(password);
  expect(hub.platform.stdout.text).not.toContain(password);
});

const path = "/mqtt/accounts";
const POST = { method: "POST", path };
runScenarios(
  () => hub,
  [
    {
      ...POST,
      name: "an account of hub.toml",
      body: { name: "garage", kind: "shelly" },
      status: 409,
      contains: ["[[mqtt.users]]", "take another name"],
    },
    {
      ...POST,
      name: "a plugin of the hub",
      body: { name: "sysmon", kind: "plugin" },
      status: 409,
      contains: ["a plugin that the hub runs"],
    },
    {
      ...POST,
      name: "the hub itself",
      body: { name: "core", kind: "plugin" },
      status: 409,
      contains: ["the hub itself"],
    },
    {
      ...POST,
      name: "an unknown kind",
      body: { name: "x", kind: "toaster" },
      status: 400,
      contains: ["zigbee2mqtt, tasmota"],
    },
    {
      ...POST,
      name: "a name with a slash",
      body: { name: "a/b", kind: "shelly" },
      status: 400,
      contains: ["without / + #"],
    },
    {
      ...POST,
      name: "a password of one's own",
      body: { name: "x", kind: "shelly", password: "p4ssw0rd" },
      status: 400,
      contains: ["password"],
      lacks: ["p4ssw0rd"],
    },
    {
      ...POST,
      name: "a pattern that is none",
      body: { name: "x", kind: "custom", publish: ["a/#/b"] },
      status: 400,
      contains: ["publish[0]", "# may only be the last level"],
    },
    { ...POST, name: "no topics at all", body: { name: "x", kind: "custom" }, status: 400, contains: ["publish"] },
    { ...POST, name: "for users", as: "user", body: { name: "x", kind: "shelly" }, status: 403 },
    { method: "GET", path, name: "list for users", as: "user", status: 403 },
    {
      method: "DELETE",
      path: `${path}/garage`,
      name: "removing one of hub.toml",
      status: 409,
      contains: ["change it in hub.toml"],
    },
    { method: "DELETE", path: `${path}/nobody`, name: "removing nobody", status: 404 },
    { method: "POST", path: `${path}/nobody/password`, name: "a password for nobody", status: 404 },
  ],
);
