// [standby] acknowledge = "standby": whoever changes something is answered when the second machine has it, through every door, and is
// reported where it has not. The second machine is the tests' own.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { systemClock } from "../../src/kit/time/clock.ts";
import { openMcpClient } from "../api/mcp/mcp-client.ts";
import { type FakeStandby, followAs } from "../support/fake-standby.ts";
import { createTestStanding } from "../support/fake-standing.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";

const OTHER = { id: "machine-b", name: "attic", address: "http://192.168.1.21:8080" };
const TOML = '[standby]\nacknowledge = "standby"\n[mcp]\nenabled = true\n';

const folder = createTemporaryFolder();
let hub: TestHub;
let lamp: MqttClient;
let standby: FakeStandby;

async function pair(): Promise<FakeStandby> {
  const paired = await hub.request("POST", "/standby/pair", { token: hub.adminToken, body: { machine: OTHER } });
  const { key } = (await paired.json()) as { key: string };
  return followAs(OTHER, { api: hub.api, key, folder: folder.at(`copy-${key.slice(-6)}`) });
}

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await hub.request(method, path, { token: hub.adminToken, ...(body !== undefined && { body }) });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
}

/** Of the copy, as it is at this moment. */
function copied(query: string): unknown {
  const bytes = readFileSync(standby.copy.stateDb);
  // Not written ahead: there is no such file for bytes.
  bytes.fill(1, 18, 20);
  using db = Database.deserialize(bytes);
  return db.query(query).get();
}

const inJournal = (text: string): boolean => {
  const journals = join(standby.copy.root, "data", "readings");
  return [...new Bun.Glob("*.journal").scanSync(journals)].some((name) =>
    readFileSync(join(journals, name)).includes(text),
  );
};

beforeAll(async () => {
  await Bun.write(folder.at("config", "hub.toml"), TOML);
  await Bun.write(folder.at("config", "modes.toml"), '[[modes]]\nid = "away"\nkind = "manual"\n');
  hub = await startTestHub({ toml: TOML, folder, standing: createTestStanding(systemClock) });
  lamp = await connectAsync({ host: "127.0.0.1", port: hub.mqttPort, reconnectPeriod: 0, keepalive: 0 });
  await lamp.subscribeAsync("hub/devices/lamp/cmd", { qos: 1 });
  await lamp.publishAsync("hub/devices/lamp/state", '{"on":false}', { qos: 1, retain: true });
  await lamp.publishAsync("hub/devices/lamp/availability", "online", { qos: 1, retain: true });
  await until("the device", async () => (await ask("GET", "/devices/lamp")).status === 200);
  // Nobody is waited for where no machine is paired.
  expect((await ask("PUT", "/variables/alone", { value: 1 })).status).toBe(200);
  standby = await pair();
});
beforeEach(async () => {
  standby.follows = true;
  await until("it confirms", async () => (await ask("PUT", "/variables/n", { value: 99 })).status === 200);
});
afterAll(async () => {
  await standby[Symbol.asyncDispose]();
  await lamp.endAsync(true);
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test("what is answered is at the second machine: databases, files and what the hub's own devices are", async () => {
  for (let count = 0; count < 20; count++) {
    expect((await ask("PUT", "/variables/n", { value: count })).status).toBe(200);
    expect(copied("SELECT value FROM variables WHERE name = 'n'")).toEqual({ value: String(count) });
  }
  const room = await ask("POST", "/areas", { name: "Attic" });
  expect([room.status, copied("SELECT name FROM areas WHERE name = 'Attic'")]).toEqual([201, { name: "Attic" }]);
  const named = await ask("PATCH", "/devices/lamp", { name: "The lamp" });
  expect([named.status, copied("SELECT name FROM devices WHERE id = 'lamp'")]).toEqual([200, { name: "The lamp" }]);
  const user = await ask("POST", "/auth/users", { username: "anna", password: "a long one of anna", role: "user" });
  expect([user.status, copied("SELECT username FROM users WHERE username = 'anna'")]).toEqual([
    201,
    { username: "anna" },
  ]);
  const rule = {
    name: "Bell",
    trigger: { type: "periodic", every_secs: 3600 },
    actions: [{ type: "log_message", message: "rung" }],
  };
  const made = await ask("POST", "/rules", rule);
  expect(made.status).toBe(201);
  expect(existsSync(join(standby.copy.root, "rules", String(made.body.file)))).toBe(true);
  // A command, but to a device of the hub.
  const mode = await ask("PATCH", "/devices/away/state", { on: true });
  expect([mode.status, inJournal('"away"')]).toEqual([202, true]);
});

async function machine(): Promise<Record<string, unknown>> {
  const { standby } = (await ask("GET", "/system/status")).body;
  expect(standby).toMatchObject({ acknowledge: "standby" });
  return (standby as { machine: Record<string, unknown> }).machine;
}

test("a second machine that says nothing: what was changed is done, and the answer says that it is here alone", async () => {
  const unconfirmed = async () => Number((await machine()).unconfirmed);
  const earlier = await unconfirmed();
  standby.follows = false;
  const before = performance.now();
  const first = await ask("POST", "/auth/api-keys", { label: "wall", role: "viewer" });
  const waited = performance.now() - before;
  expect(first).toMatchObject({
    status: 504,
    body: {
      ...{ code: "unconfirmed", kept: true, answered: 201, answer: { label: "wall", key: expect.any(String) } },
      detail: expect.stringContaining("it is done and kept here, so do not repeat it, but the other machine (attic)"),
    },
  });
  expect([waited > 2500, waited < 10_000]).toEqual([true, true]);
  // Nobody waits that long for the same machine again.
  const again = performance.now();
  expect((await ask("PUT", "/variables/late", { value: 1 })).status).toBe(504);
  expect(performance.now() - again).toBeLessThan(1500);
  expect((await ask("GET", "/variables/late")).body.value).toBe(1);
  expect((await ask("PATCH", "/devices/away/state", { on: false })).status).toBe(504);
  // It is so already, but only here.
  expect((await ask("PATCH", "/devices/away/state", { on: false })).status).toBe(504);
  expect((await ask("POST", "/areas", {})).status).toBe(400);
  expect(await machine()).toMatchObject({ confirms: false });
  expect((await unconfirmed()) - earlier).toBe(4);
  expect((await ask("GET", "/standby")).body).toMatchObject({ standby: { confirms: false } });
});

test("what keeps nothing is answered all the same: a lamp, a login, a test", async () => {
  standby.follows = false;
  await ask("PUT", "/variables/late", { value: 2 });
  expect((await ask("PATCH", "/devices/lamp/state", { on: true })).status).toBe(202);
  expect((await ask("POST", "/notify/test", { channel: "log", message: "hello" })).status).toBe(200);
  expect(await hub.login()).toBeString();
});

test("an assistant gets the same", async () => {
  const scene = { name: "Leave", states: { away: { on: true } } };
  const { body: made } = await ask("POST", "/scenes", scene);
  const key = await ask("POST", "/auth/api-keys", {
    ...{ label: "assistant", scopes: ["mcp"], read_only: false },
    devices: ["away", "lamp"],
  });
  expect(key.status).toBe(201);
  await using client = await openMcpClient(new URL(hub.api.replace("/api/v1", "/mcp")), String(key.body.key));
  await client.ask("activate_scene", { id: made.id });
  standby.follows = false;
  await ask("PUT", "/variables/late", { value: 3 });
  await ask("PATCH", "/devices/away/state", { on: false });
  expect(await client.fail("activate_scene", { id: made.id })).toContain("unconfirmed");
  expect((await ask("GET", "/devices/away")).body).toMatchObject({ attributes: { on: true } });
});

test("a second machine that is forgotten is not waited for, and one that is paired anew is", async () => {
  standby.follows = false;
  await ask("PUT", "/variables/late", { value: 4 });
  expect((await ask("DELETE", "/standby")).status).toBe(204);
  expect((await ask("PUT", "/variables/late", { value: 5 })).status).toBe(200);
  await standby[Symbol.asyncDispose]();
  standby = await pair();
  await until("it confirms", async () => (await ask("PUT", "/variables/late", { value: 6 })).status === 200);
  expect(copied("SELECT value FROM variables WHERE name = 'late'")).toEqual({ value: "6" });
});
