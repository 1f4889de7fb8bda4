// Channels in a whole hub: a wrong channel disables nothing else, a message that does not get through stops no rule, and no secret is
// revealed.
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";
import { type SeenRequest, serveHttp } from "./rig.ts";

const SECRET = "recognizable-secret";

const WRONG = `
[[notify.channels]]
name = "both"
type = "email"
from = "hub@home.example"
to = ["anna@home.example"]
smtp = { host = "localhost", port = 25, username = "hub", password = "${SECRET}", tls = true, starttls = true }
[[notify.channels]]
name = "nobody"
type = "email"
from = "hub@home.example"
to = []
smtp = { host = "localhost", port = 25, username = "hub", password = "${SECRET}" }
[[notify.channels]]
name = "loud"
type = "push_app"
api_key = "${SECRET}"
user_key = "${SECRET}"
priority = 3
[[notify.channels]]
name = "malformed"
type = "messaging_bot"
bot_token = "${SECRET}"
chat_id = "7"
[[notify.channels]]
name = "all"
type = "push_app"
api_key = "${SECRET}"
user_key = "${SECRET}"
`;

const chat = (url: string, name = "chat"): string => `
[[notify.channels]]
name = "${name}"
type = "messaging_bot"
bot_token = "12345:${SECRET}"
chat_id = "7"
api_url = "${url}"
`;

const RULE = `(
  id: "5f0c1f8e-0000-4000-8000-000000000001",
  name: "Alarm",
  trigger: (type: "webhook_received", path: "alarm", secret: "a-secret-of-the-test"),
  conditions: [],
  actions: [
    (type: "notify", channel: "chat", message: "fire"),
    (type: "notify", channel: "both", message: "fire"),
    (type: "notify", channel: "log", message: "fire"),
    (type: "fire_event", event_type: "after_all"),
  ],
)
`;

async function get<T>(hub: TestHub, path: string): Promise<T> {
  return (await (await hub.request("GET", path, { token: hub.adminToken })).json()) as T;
}

test("wrong channels are reported and disabled; the hub and the other channels run", async () => {
  using place = serveHttp(() => ({ json: { ok: true, result: { message_id: 1 } } }));
  await using hub = await startTestHub({ toml: WRONG + chat(place.url) + chat(place.url), fetch });
  const { problems } = await get<{ problems: { part: string; message: string }[] }>(hub, "/system/status");
  const reported = problems.filter(({ part }) => part === "notify").map(({ message }) => message);
  expect(reported).toEqual([
    expect.stringMatching(/^both: .*tls and starttls exclude each other/),
    expect.stringMatching(/^nobody: .*to: must have at least 1 entry/),
    expect.stringMatching(/^loud: .*priority: must be a whole number from -2 to 2/),
    expect.stringMatching(/^malformed: .*bot_token: must be the bot's token/),
    expect.stringMatching(/^all: .*"all" is always there/),
    expect.stringMatching(/^chat: .*is the name of notify\.channels\[5\] too/),
  ]);
  const channels = await get<{ name: string; enabled: boolean }[]>(hub, "/notify/channels");
  expect(channels.filter(({ enabled }) => enabled).map(({ name }) => name)).toEqual(["chat", "log"]);
  const body = { channel: "chat", message: "x" };
  expect((await hub.request("POST", "/notify/test", { token: hub.adminToken, body })).status).toBe(200);
  expect(place.seen).toHaveLength(1);
  expect(JSON.stringify([problems, channels]) + hub.platform.stdout.text).not.toContain(SECRET);
});

test("a rule continues when messages do not get through, and no secret is revealed", async () => {
  const echo = ({ path, body }: SeenRequest) => ({
    status: 503,
    json: { ok: false, description: `cannot ${path} ${body}` },
  });
  using place = serveHttp(echo);
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("rules"), { recursive: true });
  writeFileSync(folder.at("rules", "alarm.ron"), RULE);
  await using hub = await startTestHub({ toml: WRONG + chat(place.url), fetch, folder });
  const alarm = "/webhooks/alarm?secret=a-secret-of-the-test";
  expect((await hub.request("POST", alarm, { body: {} })).ok).toBe(true);
  const events = () => get<JsonObject[]>(hub, "/events?limit=1000");
  const ended = async () => (await events()).some(({ type }) => type === "custom_after_all");
  await until("the end of the rule", ended);
  const path = "/rules/5f0c1f8e-0000-4000-8000-000000000001/traces";
  const said: unknown[] = [await events(), await get(hub, path)];
  const waiting = await get<JsonObject[]>(hub, "/notify/outbox");
  expect(waiting).toMatchObject([{ channel: "chat", message: "fire", tries: 1 }]);
  for (const one of ["/notify/channels", "/system/status"]) said.push(await get(hub, one));
  const body = { channel: "all", message: "x" };
  const tried = await hub.request("POST", "/notify/test", { token: hub.adminToken, body });
  expect(tried.status).toBe(502);
  said.push(waiting, await tried.text());
  expect(hub.platform.stdout.text).toContain("fire");
  expect(hub.platform.stdout.text).toContain("[redacted]");
  expect(JSON.stringify(said) + hub.platform.stdout.text).not.toContain(SECRET);
});

const TWICE = `(
  id: "5f0c1f8e-0000-4000-8000-000000000002",
  name: "Twice",
  trigger: WebhookReceived(path: "alarm", secret: "a-secret-of-the-test"),
  actions: [Notify(channel: "chat", message: "first"), Notify(channel: "chat", message: "second")],
)`;

test("two messages to one chat: the second waits a second, and nothing fails", async () => {
  using place = serveHttp(() => ({ json: { ok: true, result: { message_id: 1 } } }));
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("rules"), { recursive: true });
  writeFileSync(folder.at("rules", "twice.ron"), TWICE);
  await using hub = await startTestHub({ toml: chat(place.url), fetch, folder });
  await hub.request("POST", "/webhooks/alarm?secret=a-secret-of-the-test", { body: {} });
  await until("both are there", () => place.seen.length === 2);
  expect(place.seen.map(({ json }) => json.text)).toEqual(["Hub Alert\nfirst", "Hub Alert\nsecond"]);
  const [trace] = await get<JsonObject[]>(hub, "/rules/5f0c1f8e-0000-4000-8000-000000000002/traces");
  expect(trace).toMatchObject({ outcome: "fired", actions: [{ result: "ok" }, { result: "ok" }] });
  const events = await get<JsonObject[]>(hub, "/events?limit=1000");
  expect(events.filter(({ type }) => type === "action_failed")).toEqual([]);
});

test("the outbox is limited by the configuration, and reaching the limit is reported", async () => {
  const fetch = Object.assign(async () => Promise.reject(new Error("no network")), { preconnect() {} });
  const phone =
    '[[notify.channels]]\nname = "phone"\ntype = "push_app"\napi_key = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"\nuser_key = "uuuuuuuuuuuuuuuuuuuuuuuuuuuuuu"';
  await using hub = await startTestHub({ toml: `[notify]\nmax_waiting = 10\n${phone}`, fetch });
  const ask = async <T>(path: string, method = "GET", body?: unknown): Promise<T> =>
    (await (await hub.request(method, path, { token: hub.adminToken, body })).json()) as T;
  const actions = Array.from({ length: 15 }, (_, index) => ({ type: "notify", channel: "phone", message: `${index}` }));
  const { id } = await ask<{ id: string }>("/rules", "POST", { name: "Talks", actions });
  await ask(`/rules/${id}/run`, "POST");
  const { problems } = await until("the limit in the status", async () => {
    const status = await ask<{ problems: { part: string; message: string }[] }>("/system/status");
    return status.problems.some(({ message }) => message.includes("max_waiting")) ? status : undefined;
  });
  expect(problems).toContainEqual({
    part: "limits",
    message: expect.stringContaining("[notify] max_waiting, reached by phone"),
  });
  const waiting = await ask<{ message: string }[]>("/notify/outbox");
  expect(waiting.length).toBeLessThanOrEqual(10);
});

const TO_ANNA = `(
  id: "5f0c1f8e-0000-4000-8000-000000000003",
  name: "Leak",
  trigger: WebhookReceived(path: "alarm", secret: "a-secret-of-the-test"),
  actions: [Notify(channel: "person:Anna", priority: "high", message: "leak")],
)`;

test("a rule notifies a person; while the channel is away each action fails and is queued", async () => {
  using place = serveHttp(() => ({ status: 503, json: { ok: false, description: "busy" } }));
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("rules"), { recursive: true });
  writeFileSync(folder.at("rules", "anna.ron"), TO_ANNA);
  const people = '[[people]]\nname = "Anna"\nchannels = ["chat"]\nquiet_hours = "00:00-24:00"\n';
  await using hub = await startTestHub({ toml: chat(place.url) + people, fetch, folder });
  expect(await get<JsonObject[]>(hub, "/notify/people")).toMatchObject([
    { name: "Anna", channels: ["chat"], quiet: true, home: null, held: 0 },
  ]);
  const alarm = () => hub.request("POST", "/webhooks/alarm?secret=a-secret-of-the-test", { body: {} });
  await alarm();
  const waiting = () => get<JsonObject[]>(hub, "/notify/outbox");
  await until("the first try", async () =>
    (await waiting()).some(({ tries, state }) => tries === 1 && state === "waiting"),
  );
  await alarm();
  const traces = () => get<JsonObject[]>(hub, "/rules/5f0c1f8e-0000-4000-8000-000000000003/traces");
  await until("the second run", async () => (await traces()).length === 2 && (await traces())[0]?.ended_at !== null);
  const detail = expect.stringMatching(/^person:Anna: leak \(queued: chat waits, because .*busy/);
  expect((await traces())[0]).toMatchObject({ outcome: "fired", actions: [{ result: "queued", detail }] });
  const events = (await get<JsonObject[]>(hub, "/events?limit=1000")).map(({ type }) => type);
  expect(events.filter((type) => type === "notification_queued")).toHaveLength(1);
  const failures = async () =>
    (await get<JsonObject[]>(hub, "/events?type=action_failed&limit=1000")).map(({ error }) => String(error));
  await until("both are reported", async () => (await failures()).length === 2);
  for (const error of await failures())
    expect(error).toMatch(/^chat waits, because .*busy.*; it is stored, and tried again$/);
});
