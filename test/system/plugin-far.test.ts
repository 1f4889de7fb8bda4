// A plugin that is not made with the kit and runs elsewhere: what it answers, how it misbehaves, and that it needs no heartbeats.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { MqttClient } from "mqtt";
import { createHubPlace } from "../support/hub-place.ts";
import type { Answer, HubProcess } from "../support/hub-process.ts";
import type { StreamClient, StreamFrame } from "../support/stream-client.ts";
import { until } from "../support/wait.ts";

const ACTIONS = [
  { id: "scan", label: "Scan", stream: true, cancelable: true, concurrency: "single", requires_role: "user" },
  { id: "stuck", label: "Never ends", stream: true, cancelable: false },
  { id: "deaf", label: "Never answers", timeout_ms: 100 },
  { id: "info", label: "Info", params: { type: "object", properties: { depth: { type: "integer", maximum: 3 } } } },
];
const CAPABILITIES = { spec: "1", plugin_id: "lamps", actions: ACTIONS };
type Command = Record<string, unknown> & { action: string; request_id: string };

const place = createHubPlace();
let hub: HubProcess;
let far: MqttClient;
let stream: StreamClient;
/** What the hub has asked. */
const asked: Command[] = [];
/** How it answers, by action; without an entry it does not. */
const answers: Record<string, (command: Command) => object> = {};

beforeAll(async () => {
  hub = await place.start();
  // Without heartbeats, status or registration.
  far = await hub.mqtt({ username: "lamps", password: "mqtt-password-of-lamps" });
  far.on("message", (_, payload) => {
    const command = JSON.parse(payload.toString()) as Command;
    asked.push(command);
    const answer = answers[command.action]?.(command);
    if (answer) void say("manage/response", { request_id: command.request_id, status: "ok", ...answer });
  });
  await far.subscribeAsync("hub/plugins/lamps/manage/cmd", { qos: 1 });
  await say("capabilities", CAPABILITIES, true);
  stream = await hub.openStream({ type: "plugin_action" });
});
afterAll(() => place[Symbol.asyncDispose]());

const say = (topic: string, message: object, retain = false): Promise<unknown> =>
  far.publishAsync(`hub/plugins/lamps/${topic}`, JSON.stringify(message), { qos: 1, retain });
const report = (request: string, event: object): Promise<unknown> =>
  say(`commands/${request}/events`, { request_id: request, ts: "2026-01-01T00:00:00Z", ...event }, true);
const call = (action: string, body: object = {}): Promise<Answer> =>
  hub.request("POST", `/plugins/lamps/actions/${action}`, { body });
const last = (stage: string, request: string): Promise<StreamFrame> =>
  stream.frame(stage, (frame) => frame.stage === stage && frame.request_id === request);
const log = (words: string): Promise<void> => hub.said(words);

async function begin(action: string): Promise<string> {
  answers[action] = () => ({ status: "accepted" });
  const answer = await call(action);
  expect([answer.status, answer.text]).toMatchObject([202, expect.stringContaining("accepted")]);
  return answer.json<{ request_id: string }>().request_id;
}

test("a plugin that only connects and sends states is active", async () => {
  await far.publishAsync("hub/devices/far_lamp/state", '{"on":true}', { qos: 1 });
  expect(await hub.get("/plugins/lamps")).toMatchObject({ status: "active", managed: false, last_heartbeat: null });
  expect(await hub.get("/devices/far_lamp")).toMatchObject({ plugin_id: "lamps", attributes: { on: true } });
});

test("an action gets its parameters beside its name, and its result may stand beside the status", async () => {
  answers.info = ({ depth }) => ({ found: depth });
  expect((await call("info", { depth: 2 })).json()).toMatchObject({ status: "ok", data: { found: 2 } });
  expect(asked.at(-1)).toEqual({ action: "info", depth: 2, request_id: expect.any(String) });
  expect((await call("info", { depth: 4 })).status).toBe(400);
  expect(asked.filter(({ action }) => action === "info")).toHaveLength(1);
});

test("one that does not answer in its time is 502, and its late answer goes nowhere", async () => {
  const answer = await call("deaf");
  expect([answer.status, answer.text]).toEqual([
    502,
    expect.stringContaining('did not answer \\"deaf\\" within 0.6 s'),
  ]);
  const late = asked.at(-1)?.request_id ?? "";
  await say("manage/response", { request_id: late, status: "ok" });
  await report(late, { stage: "progress" });
  await say("manage/response", { status: "ok" });
  expect((await hub.request("DELETE", `/plugins/lamps/requests/${late}`)).status).toBe(404);
  expect(stream.frames.filter(({ request_id }) => request_id === late)).toEqual([]);
});

test("an answer with an unknown status is no answer", async () => {
  answers.deaf = () => ({ status: "perhaps" });
  expect((await call("deaf")).status).toBe(502);
  await log("status must be one of ok, error, accepted, busy");
  delete answers.deaf;
});

test("a flood of reports is cut, the end is not, and what was left out is counted", async () => {
  const request = await begin("scan");
  for (let n = 0; n < 700; n++) void report(request, { stage: "progress", n });
  await report(request, { stage: "complete", data: { devices: 3 } });
  expect(await last("complete", request)).toMatchObject({ data: { devices: 3 }, left_out: 200 });
  expect(stream.frames.filter(({ request_id }) => request_id === request)).toHaveLength(501);
});

test("a report that is too large, of an unknown stage, or no object, harms nobody", async () => {
  const request = await begin("stuck");
  await report(request, { stage: "thinking" });
  await log("stage must be one of progress");
  await far.publishAsync(`hub/plugins/lamps/commands/${request}/events`, "[1", { qos: 1 });
  await report(request, { stage: "complete", data: "x".repeat(100_000) });
  const event = await last("complete", request);
  expect(event).not.toHaveProperty("data");
  expect(event.error).toContain("65536 bytes");
});

test("what cannot be cancelled, and what does not wait for an answer, is 409", async () => {
  const request = await begin("stuck");
  const path = `/plugins/lamps/requests/${request}`;
  expect((await hub.request("DELETE", path)).status).toBe(409);
  expect((await hub.request("POST", path, { body: { response: 1 } })).status).toBe(409);
  expect((await hub.request("POST", path, { body: {} })).status).toBe(400);
  await report(request, { stage: "error", message: "the radio is gone" });
  expect(await last("error", request)).toMatchObject({ error: "the radio is gone" });
});

test("a question is answered once, and can be answered again when the plugin refused", async () => {
  const request = await begin("scan");
  const path = `/plugins/lamps/requests/${request}`;
  const respond = (response: unknown): Promise<Answer> => hub.request("POST", path, { body: { response } });
  await report(request, { stage: "awaiting_user", prompt: "PIN?" });
  await last("awaiting_user", request);
  answers.respond = ({ response }) => (response === "right" ? {} : { status: "error", error: "wrong PIN" });
  expect((await respond("wrong")).json()).toMatchObject({ status: "error", error: "wrong PIN" });
  expect((await respond("right")).json()).toMatchObject({ request_id: request, status: "ok" });
  expect((await respond("right")).status).toBe(409);
  expect(asked.at(-1)).toMatchObject({ action: "respond", target_request_id: request, response: "right" });
  answers.cancel = () => ({ status: "error", error: "no such request" });
  expect((await hub.request("DELETE", path)).json()).toMatchObject({ status: "error", error: "no such request" });
  // So its lock is free again.
  await report(await begin("scan"), { stage: "complete" });
});

test("its own busy is passed on", async () => {
  answers.scan = () => ({ status: "busy", active_request_id: "of somebody else" });
  const busy = await call("scan");
  expect(busy.json()).toMatchObject({ status: "busy", active_request_id: "of somebody else", data: null });
});

test("a configuration that is the text of a file is shown as a table, and written as a text again", async () => {
  let text = '[bridge]\nhost = "10.0.0.7"\ntoken = "t0ken"\n';
  answers.get_config = () => ({ data: text });
  answers.set_config = ({ config }) => {
    text = String(config);
    return {};
  };
  const shown = { bridge: { host: "10.0.0.7", token: "•••" } };
  expect(await hub.get("/plugins/lamps/config")).toEqual(shown);
  const edited = { bridge: { host: "10.0.0.8", token: "•••" } };
  expect((await hub.request("PUT", "/plugins/lamps/config", { body: edited })).json()).toEqual(edited);
  expect(Bun.TOML.parse(text)).toEqual({ bridge: { host: "10.0.0.8", token: "t0ken" } });
  answers.set_config = () => ({ status: "error", error: "the host does not answer" });
  const refused = await hub.request("PUT", "/plugins/lamps/config", { body: edited });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("the host does not answer")]);
  delete answers.get_config;
  const silent = await hub.request("GET", "/plugins/lamps/config");
  expect([silent.status, silent.text]).toEqual([502, expect.stringContaining("edit its file on its own machine")]);
});

test("capabilities that are broken or far too large leave the hub and the good actions as they are", async () => {
  const good = [...ACTIONS, { id: "a/b" }, { id: "ping" }, { id: "scan" }, 7, { label: "nameless" }];
  await say("capabilities", { spec: "1", actions: good });
  await log("cannot be used: its id must be a word without / + #");
  const kept = await hub.get<{ actions: { id: string }[] }>("/plugins/lamps/capabilities");
  expect(kept.actions.map(({ id }) => id)).toEqual(ACTIONS.map(({ id }) => id));
  await say("capabilities", { spec: "1", actions: Array(20_000).fill({ id: "many" }) });
  await log("the capabilities are too large");
  expect((await hub.get<{ actions: unknown[] }>("/plugins/lamps/capabilities")).actions).toHaveLength(4);
  await say("capabilities", { spec: "1", actions: "none", config_schema: [] });
  await until("they are none", async () => {
    return (await hub.get<{ actions: unknown[] }>("/plugins/lamps/capabilities")).actions.length === 0;
  });
  await say("capabilities", CAPABILITIES, true);
});
