// Secrets are for administrators only: webhook bodies, PINs in commands and states, MQTT payloads. No route shows them to viewers
// or users.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import type { StreamClient } from "../../support/stream-client.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

const PIN = "480215";
const HOOK = "an-open-sesame-secret";
const BODY = "parcel-from-the-postman";
const PAYLOAD = "retained-payload-of-the-gate";
const SECRETS = [PIN, HOOK, BODY, PAYLOAD];

const folder = createTemporaryFolder();
let hub: TestHub;
let plugin: MqttClient;
/** What happened before any test: between these two events. */
let since: number;
let last: number;
let streams: (readonly [role: "viewer" | "user" | "admin", StreamClient])[];
const tokens = { viewer: "", user: "", admin: "" };
const others = ["viewer", "user"] as const;

async function ask<T = unknown>(method: string, path: string, body?: unknown, token = tokens.admin): Promise<T> {
  const response = await hub.request(method, path, { token, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

const say = (topic: string, payload: unknown): Promise<unknown> =>
  plugin.publishAsync(`hub/${topic}`, JSON.stringify(payload), { qos: 1 });

beforeAll(async () => {
  hub = await startTestHub({ folder });
  tokens.admin = hub.adminToken;
  for (const role of others) tokens[role] = await hub.tokenFor(role);
  plugin = await connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { clientId: "zigbee" });
  for (const [device_id, device_type] of [
    ["front_door", "lock"],
    ["keypad", "sensor"],
  ])
    await say("plugins/zigbee/register", { device_id, plugin_id: "zigbee", name: device_id, device_type });
  await until("the devices are known", async () => (await ask<unknown[]>("GET", "/devices")).length === 2);
  for (const device_id of ["front_door", "keypad"]) await say(`devices/${device_id}/availability`, "online");
  await until("they are available", async () =>
    (await ask<{ available: boolean }[]>("GET", "/devices")).every(({ available }) => available),
  );
  await ask("POST", "/rules", {
    id: "6f2c1f0e-6d60-4b0f-9d53-1e8d9a1c2b01",
    name: "Post",
    triggers: [{ type: "webhook_received", path: "post", secret: HOOK }],
    actions: [{ type: "publish_mqtt", topic: "gate/set", payload: PAYLOAD }],
  });
  await ask("POST", "/rules", {
    id: "6f2c1f0e-6d60-4b0f-9d53-1e8d9a1c2b02",
    name: "Keypad",
    triggers: [{ type: "device_state_changed", device_id: "keypad", attribute: "action_code", to: PIN }],
    conditions: [{ type: "device_state", device_id: "keypad", attribute: "action_code", value: PIN }],
    actions: [{ type: "set_device_state", device_id: "front_door", state: { state: "UNLOCK", pin_code: PIN } }],
  });
  await ask("POST", "/rules", {
    id: "6f2c1f0e-6d60-4b0f-9d53-1e8d9a1c2b03",
    name: "Gate",
    triggers: [{ type: "mqtt_message", topic: "gate/set", value: PAYLOAD }],
    conditions: [{ type: "expression", expression: `hub_var("alarm_pin") == "${PIN}"` }],
    actions: [{ type: "set_hub_variable", name: "alarm_pin", value: PIN }],
  });
  since = await lastSeq();
  streams = await Promise.all(
    (["viewer", "user", "admin"] as const).map(async (role) => [role, await hub.openStream({}, tokens[role])] as const),
  );
  await happen();
  last = await lastSeq();
});
afterAll(async () => {
  for (const [, live] of streams) live[Symbol.dispose]();
  await plugin.endAsync();
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const lastSeq = async (): Promise<number> => (await ask<{ events_seq: number }>("GET", "/system/status")).events_seq;

/** Causes every event that contains a secret. */
async function happen(): Promise<void> {
  await ask("PUT", "/variables/alarm_pin", { value: PIN });
  await hub.request("POST", "/webhooks/post?from=postman", {
    body: { said: BODY },
    headers: { "x-webhook-secret": HOOK },
  });
  await ask("PATCH", "/devices/front_door/state", { state: "UNLOCK", code: PIN });
  await plugin.publishAsync("gate/set", PAYLOAD, { qos: 1 });
  await say("devices/keypad/state", { action_code: PIN, battery: 90, users: { "1": { pin: PIN } } });
  await until("the rules fired", async () => {
    const fired = await ask<{ rule_name: string }[]>("GET", "/events?type=rule_fired");
    return ["Post", "Gate", "Keypad"].every((name) => fired.some(({ rule_name }) => rule_name === name));
  });
}

const kinds = ["webhook_received", "device_command_sent", "hub_variable_changed", "device_state_changed", "rule_fired"];

describe("events", () => {
  test("live, in the ring and in a replay: masked for others, whole for administrators", async () => {
    for (const [role, live] of streams) {
      await live.frame("the last event", ({ seq }) => seq >= last);
      using replay = await hub.openStream({ since: String(since) }, tokens[role]);
      await replay.frame("the last event", ({ seq }) => seq >= last);
      const path = `/events?limit=1000&since=${since}`;
      const ring = await ask<{ type: string; seq: number }[]>("GET", path, undefined, tokens[role]);
      const upToLast = <T extends { seq: number }>(events: readonly T[]): T[] =>
        events.filter(({ seq }) => seq <= last);
      const listed = upToLast(ring).toReversed();
      const seenAs = { live: upToLast(live.frames), replay: upToLast(replay.frames), ring: listed };
      for (const [where, events] of Object.entries(seenAs)) {
        const text = JSON.stringify(events);
        expect({ role, where, types: kinds.filter((kind) => !text.includes(`"${kind}"`)) }).toEqual({
          role,
          where,
          types: [],
        });
        const seen = SECRETS.filter((secret) => text.includes(secret));
        // The secret of a webhook is in no event at all.
        expect({ role, where, seen }).toEqual({ role, where, seen: role === "admin" ? [PIN, BODY, PAYLOAD] : [] });
        expect(events.map(({ seq }) => seq)).toEqual(listed.map(({ seq }) => seq));
      }
    }
    const [command] = await ask<object[]>("GET", "/events?type=device_command_sent&limit=1", undefined, tokens.viewer);
    expect(command).toMatchObject({ device_id: "front_door", command: { state: "UNLOCK" } });
    const [call] = await ask<object[]>("GET", "/events?type=webhook_received", undefined, tokens.viewer);
    expect(call).toMatchObject({ path: "post", query: { from: "•••" }, body: "•••" });
  });
});

describe("answers", () => {
  test("only administrators see secrets, in every route", async () => {
    await ask("POST", "/scenes", {
      id: "away",
      name: "Away",
      states: { front_door: { state: "LOCK", pin_code: PIN } },
    });
    const rules = (await ask<{ id: string; state: string }[]>("GET", "/rules")).filter(
      ({ state }) => state !== "broken",
    );
    const paths = [
      "/devices",
      "/devices/keypad",
      "/devices/keypad/history",
      "/devices/keypad/history?attribute=action_code",
      "/devices/keypad/history?format=csv",
      "/scenes",
      "/scenes/away",
      "/variables",
      "/variables/alarm_pin",
      "/rules",
      ...rules.flatMap(({ id }) => [`/rules/${id}`, `/rules/${id}/traces`]),
      "/plugins",
      "/system/status",
    ];
    await until("the history has it", async () =>
      (await (await hub.request("GET", "/devices/keypad/history", { token: tokens.admin })).text()).includes(PIN),
    );
    let shown = "";
    for (const path of paths) {
      shown += await (await hub.request("GET", path, { token: tokens.admin })).text();
      for (const role of others) {
        const response = await hub.request("GET", path, { token: tokens[role] });
        const text = await response.text();
        const seen = SECRETS.filter((secret) => text.includes(secret));
        expect({ path, role, status: response.status, seen }).toEqual({ path, role, status: 200, seen: [] });
      }
    }
    expect(SECRETS.filter((secret) => !shown.includes(secret))).toEqual([]);
    const kept = await (await hub.request("GET", "/devices/keypad/history", { token: tokens.viewer })).text();
    expect(kept).toContain('"battery"');
  });

  test("traces still say what happened and why", async () => {
    const traces = await ask<object[]>(
      "GET",
      "/rules/6f2c1f0e-6d60-4b0f-9d53-1e8d9a1c2b02/traces",
      undefined,
      tokens.viewer,
    );
    expect(traces[0]).toMatchObject({
      outcome: "fired",
      why: "keypad.action_code to •••; the condition passed",
      conditions: [{ type: "device_state", passed: true, actual: "•••" }],
      actions: [{ type: "set_device_state", result: "ok", detail: 'front_door {"state":•••,"pin_code":•••}' }],
    });
  });

  test("the lines of a broken file are for administrators", async () => {
    await Bun.write(folder.at("rules", "broken.ron"), `(\n  name: "Broken",\n  url: "${HOOK}", wrong,\n)`);
    await until("it is listed", async () => (await ask<unknown[]>("GET", "/rules?state=broken")).length === 1);
    expect(JSON.stringify(await ask("GET", "/rules"))).toContain(HOOK);
    for (const path of ["/rules", "/rules/broken.ron"])
      expect(JSON.stringify(await ask("GET", path, undefined, tokens.viewer))).not.toContain(HOOK);
  });
});

describe("a user who edits a scene without seeing its PIN", () => {
  test("keeps the PIN, and cannot set it to the mask", async () => {
    const states = { front_door: { state: "LOCK", pin_code: PIN } };
    await ask("POST", "/scenes", { id: "night", name: "Night", states });
    const scene = await ask<{ states: object }>("GET", "/scenes/night", undefined, tokens.user);
    expect(scene.states).toEqual({ front_door: { state: "LOCK", pin_code: "•••" } });
    await ask("PATCH", "/scenes/night", { name: "Gone", states: scene.states }, tokens.user);
    expect(await ask("GET", "/scenes/night")).toMatchObject({ name: "Gone", states });
    const refused = await hub.request("POST", "/scenes", {
      token: tokens.user,
      body: { name: "Copy", states: scene.states },
    });
    expect(refused.status).toBe(400);
    const variable = await hub.request("PUT", "/variables/alarm_pin", { token: tokens.user, body: { value: "•••" } });
    expect(variable.status).toBe(400);
  });
});
