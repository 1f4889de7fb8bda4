// A house whose hub was upgraded from a version that turned `contact` round: what was recorded of a door, what rules mean by it, and who
// is reported.
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import mqtt, { type MqttClient } from "mqtt";
import type { JsonObject } from "../../src/kit/schema/json.ts";
import { ANNOUNCED, DOOR, PAST, putFormerDoor } from "../support/former-door.ts";
import { story } from "../support/story.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const RULE = `(
    id: "${ID}",
    name: "Front door is opened",
    trigger: DeviceStateChanged(device_id: "${DOOR}", attribute: "contact", to: true), // true: open
    actions: [LogMessage(message: "opened")],
)
`;
const CLOSED = `id = "${OTHER}"\nname = "Closed"\n
[trigger]
type = "device_state_changed"
device_id = "${DOOR}"
attribute = "contact"
to = false

[[actions]]
type = "log_message"
message = "closed"
`;
const toml = `[[mqtt.users]]
username = "z2m"
password = "z2m-password"
publish = ["zigbee2mqtt/#"]
subscribe = ["zigbee2mqtt/#"]
`;

const folder = createTemporaryFolder();
let hub: TestHub;
let bridge: MqttClient;

async function start(admin?: TestHub["admin"]): Promise<void> {
  hub = await startTestHub({ folder, toml, ...(admin && { admin }) });
  bridge = await mqtt.connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, { username: "z2m", password: "z2m-password" });
}

async function stop(): Promise<void> {
  await bridge.endAsync();
  await hub[Symbol.asyncDispose]();
}

const say = (topic: string, payload: unknown) =>
  bridge.publishAsync(`zigbee2mqtt/${topic}`, JSON.stringify(payload), { qos: 1, retain: topic.startsWith("bridge/") });
const get = async <T = JsonObject[]>(path: string): Promise<T> =>
  (await (await hub.request("GET", path, { token: hub.adminToken })).json()) as T;
const post = (method: string, path: string, token = hub.adminToken) => hub.request(method, path, { token });
const recorded = async (attribute: string): Promise<unknown[]> =>
  (await get(`/devices/${DOOR}/history?from=2026-01-01T00:00:00Z&attribute=${attribute}`)).map(({ value }) => value);
const traces = (id: string) => get(`/rules/${id}/traces`);

beforeAll(async () => {
  await start();
  const { admin } = hub;
  await stop();
  mkdirSync(folder.at("rules"), { recursive: true });
  writeFileSync(folder.at("rules", "opened.ron"), RULE);
  writeFileSync(folder.at("rules", "closed.toml"), CLOSED);
  putFormerDoor(folder.at("data"));
  await start(admin);
  await say("bridge/devices", [ANNOUNCED]);
  await until("the rules are found", async () => (await get("/rules/renamed-attributes")).length === 2);
});
afterAll(async () => {
  await stop();
  folder[Symbol.dispose]();
});

const step = story("a house that was upgraded");

step("the door is as open as it was, and its contact is as it reports it", async () => {
  const { attributes } = await get<{ attributes: JsonObject }>(`/devices/${DOOR}`);
  expect(attributes).toEqual({ contact: false, open: true, voltage: 3005, battery: 90 });
});

step("what was recorded is its past, under the name that means it now", async () => {
  expect([await recorded("open"), await recorded("contact")]).toEqual([PAST.map(([, isOpen]) => isOpen), []]);
});

step("each rule is listed with what its attribute is now, for all who see rules", async () => {
  const listed = await (await post("GET", "/rules/renamed-attributes", await hub.tokenFor("viewer"))).json();
  expect(listed).toContainEqual({
    ...{ rule_id: ID, rule_name: "Front door is opened", file: "opened.ron", can_turn: true, why_not: null },
    devices: [{ device_id: DOOR, device_name: "front door", from: "contact", to: "open" }],
  });
  const user = await hub.tokenFor("user");
  expect((await post("POST", `/rules/${ID}/rename-attributes`, user)).status).toBe(403);
  expect((await post("DELETE", `/rules/${ID}/renamed-attributes`, user)).status).toBe(403);
});

step("an alert names them, with what to do", async () => {
  const alert = await until("the alert", async () =>
    (await get("/system/alerts")).find(({ kind }) => kind === "rules_renamed_attributes"),
  );
  expect(alert).toMatchObject({
    severity: "warning",
    message: expect.stringContaining("(Closed, Front door is opened)"),
    mend: expect.stringContaining("hub rules turn"),
    values: { rules: 2 },
  });
});

step("nothing fires on it before somebody has decided, and the trace says why", async () => {
  await say("front door", { contact: true, voltage: 3005, battery: 90 });
  await until("both are considered", async () => (await traces(ID)).length + (await traces(OTHER)).length === 1);
  expect((await traces(ID))[0]).toMatchObject({ outcome: "paused", why: expect.stringContaining('is "open" now') });
  await say("front door", { contact: false, voltage: 3005, battery: 90 });
  await until("both are considered", async () => (await traces(OTHER)).length === 1);
});

step("a look at what would be changed changes nothing, and is no change in the audit log", async () => {
  const shown = await post("POST", `/rules/${ID}/rename-attributes?dry_run=true`);
  expect(await shown.json()).toEqual({
    text: RULE.replace('"contact"', '"open"'),
    changes: [
      {
        line: 4,
        before: `    trigger: DeviceStateChanged(device_id: "${DOOR}", attribute: "contact", to: true), // true: open`,
        after: `    trigger: DeviceStateChanged(device_id: "${DOOR}", attribute: "open", to: true), // true: open`,
      },
    ],
  });
  expect(readFileSync(folder.at("rules", "opened.ron"), "utf8")).toBe(RULE);
  expect(
    (await get("/system/audit")).filter(({ action, outcome }) => action === "rule.change" && outcome === "ok"),
  ).toEqual([]);
});

step("a turned rule fires when the door opens, and not when it closes", async () => {
  const answer = await post("POST", `/rules/${ID}/rename-attributes`);
  expect(answer.headers.get("etag")).toBeTruthy();
  expect(await answer.json()).toMatchObject({ id: ID, state: "enabled", rule: { triggers: [{ attribute: "open" }] } });
  expect(readFileSync(folder.at("rules", "opened.ron"), "utf8")).toBe(RULE.replace('"contact"', '"open"'));
  const fired = async () => (await traces(ID)).filter(({ outcome }) => outcome === "fired").length;
  await say("front door", { contact: true });
  await say("front door", { contact: false });
  await until("it fires", async () => (await fired()) === 1);
  await say("front door", { contact: true });
  await until("it is closed", async () => {
    const { attributes } = await get<{ attributes: JsonObject }>(`/devices/${DOOR}`);
    return attributes.open === false;
  });
  expect(await fired()).toBe(1);
  expect((await post("POST", `/rules/${ID}/rename-attributes`)).status).toBe(409);
  expect(
    (await get("/system/audit")).filter(({ action, outcome }) => action === "rule.change" && outcome === "ok"),
  ).toHaveLength(1);
});

step("the log has one line about all of it", async () => {
  const lines = await until("the line", () => {
    const found = hub.platform.stdout.text.split("\n").filter((line) => line.includes("have other names now"));
    return found.length > 0 && found;
  });
  expect(lines).toEqual([expect.stringMatching(/attributes=1 rules=2 such_as="Closed, Front door is opened"$/)]);
});

step("one that is right as it is fires from then on, and the list stays empty over a restart", async () => {
  expect((await post("DELETE", `/rules/${OTHER}/renamed-attributes`)).status).toBe(204);
  expect((await post("DELETE", "/rules/nobody/renamed-attributes")).status).toBe(404);
  expect(await get("/rules/renamed-attributes")).toEqual([]);
  await say("front door", { contact: false });
  await until("it fires", async () => (await traces(OTHER)).some(({ outcome }) => outcome === "fired"));
  const { admin } = hub;
  await stop();
  await start(admin);
  expect(await get("/rules/renamed-attributes")).toEqual([]);
  expect((await recorded("open")).slice(0, 3)).toEqual(PAST.map(([, isOpen]) => isOpen));
  expect((await recorded("contact"))[0]).toBe(true);
});
