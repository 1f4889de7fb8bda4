// What a plugin offers, used from outside: a bridge is paired over REST and the event stream, configured, cancelled, killed.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHubPlace } from "../support/hub-place.ts";
import type { Answer, HubProcess } from "../support/hub-process.ts";
import type { StreamClient, StreamFrame } from "../support/stream-client.ts";
import { until } from "../support/wait.ts";

const BRIDGE = `import { runPlugin, Type } from "../../sdk/hub-sdk.js";
runPlugin({
  version: "1.0.0",
  configSchema: Type.Object(
    {
      address: Type.String({ default: "10.0.0.5", minLength: 3 }),
      api_key: Type.String({ default: "" }),
      lamps: Type.Integer({ default: 1, minimum: 1, maximum: 10 }),
    },
    { additionalProperties: false },
  ),
  start(plugin) {
    for (let n = 1; n <= plugin.config.lamps; n++) plugin.device({ id: "lamp_" + n, name: "Lamp " + n }).set({ on: false });
    plugin.action({
      id: "pair",
      label: "Pair a device",
      stream: true,
      cancelable: true,
      requiresRole: "user",
      params: Type.Object({ name: Type.String({ minLength: 2 }) }, { additionalProperties: false }),
      async run({ name }, context) {
        context.progress({ pct: 10 });
        context.item({ serial: "A1" });
        const answer = await context.ask({ message: "Press the button, then enter the number" });
        plugin.device({ id: "paired", name }).set({ on: true });
        return { device_id: "paired", answer };
      },
    });
    plugin.action({ id: "count", label: "Count", requiresRole: "viewer", run: () => plugin.config.lamps });
    plugin.action({ id: "fail", label: "Fail", run() { throw new Error("the bridge is on fire"); } });
    plugin.action({ id: "slow", label: "Slow", timeoutMs: 200, run: () => new Promise(() => {}) });
  },
});
`;

const place = createHubPlace({ toml: '[[plugins]]\nid = "bridge"\nbinary = "plugins/bridge/bin/bridge.ts"\n' });
let hub: HubProcess;
let stream: StreamClient;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  place.put("plugins/bridge/bin/bridge.ts", BRIDGE);
  place.put("plugins/bridge/config/config.toml", 'api_key = "the key of the bridge"\n');
  hub = await place.start();
  for (const role of ["user", "viewer"]) {
    const login = { username: `a-${role}`, password: `password of ${role}` };
    await hub.request("POST", "/auth/users", { body: { ...login, role } });
    tokens[role] = (await hub.login(login.username, login.password)).json<{ token: string }>().token;
  }
  stream = await hub.openStream({ type: "plugin_action" }, tokens.viewer);
  await active();
});
afterAll(() => place[Symbol.asyncDispose]());

interface Plugin {
  status: string;
  pid: number;
}

const active = (other?: number): Promise<Plugin> =>
  until("the bridge is there", async () => {
    const [plugin, { actions }] = await Promise.all([
      hub.get<Plugin>("/plugins/bridge"),
      hub.get<{ actions: unknown[] }>("/plugins/bridge/capabilities"),
    ]);
    return plugin.status === "active" && plugin.pid !== other && actions.length > 0 ? plugin : undefined;
  });
const call = (action: string, body: unknown = {}, token = tokens.user): Promise<Answer> =>
  hub.request("POST", `/plugins/bridge/actions/${action}`, { body, ...(token ? { token } : {}) });
const framesOf = (request: string): StreamFrame[] => stream.frames.filter(({ request_id }) => request_id === request);
const stagesOf = (request: string): unknown[] => framesOf(request).map(({ stage }) => stage);
const reached = (request: string, stage: string): Promise<StreamFrame> =>
  stream.frame(stage, (frame) => frame.request_id === request && frame.stage === stage);

/** Starts a pairing and waits for its question. */
async function pairing(): Promise<string> {
  const answer = await call("pair", { name: "Hall lamp" });
  expect({ status: answer.status, body: answer.json() }).toMatchObject({ status: 202, body: { status: "accepted" } });
  const { request_id: request } = answer.json<{ request_id: string }>();
  await reached(request, "awaiting_user");
  return request;
}

/** What the broker still keeps of a request. */
async function retainedOf(request: string): Promise<number> {
  const client = await hub.mqtt();
  let kept = 0;
  client.on("message", (topic) => {
    if (topic.includes(request)) kept++;
  });
  await client.subscribeAsync("hub/plugins/+/commands/+/events");
  // The broker sends what it keeps before it answers the next request.
  await client.subscribeAsync("nothing");
  await client.endAsync();
  return kept;
}

test("it shows what it offers", async () => {
  const shown = (await hub.request("GET", "/plugins/bridge/capabilities", { token: tokens.viewer })).json();
  expect(shown).toMatchObject({ plugin_id: "bridge", spec: "1", config_schema: { type: "object" } });
  expect(shown.actions).toContainEqual(
    expect.objectContaining({ id: "pair", stream: true, cancelable: true, requires_role: "user" }),
  );
});

test("a device is paired from outside: progress, a question, its answer, the result", async () => {
  const request = await pairing();
  expect(await retainedOf(request)).toBe(1);
  const answer = { body: { response: 42 }, token: tokens.user };
  const taken = await hub.request("POST", `/plugins/bridge/requests/${request}`, answer);
  expect(taken.json()).toEqual({ request_id: request, status: "ok", data: null });
  await reached(request, "complete");
  const about = { type: "plugin_action", plugin_id: "bridge", action: "pair", request_id: request };
  expect(framesOf(request)).toMatchObject([
    { ...about, stage: "progress", data: { pct: 10 } },
    { ...about, stage: "item", data: { serial: "A1" } },
    { ...about, stage: "awaiting_user", data: { message: "Press the button, then enter the number" } },
    { ...about, stage: "complete", data: { device_id: "paired", answer: 42 } },
  ]);
  expect(await hub.get("/devices/paired")).toMatchObject({ name: "Hall lamp", plugin_id: "bridge" });
  await until("nothing is retained", async () => (await retainedOf(request)) === 0);
  expect((await hub.request("POST", `/plugins/bridge/requests/${request}`, answer)).status).toBe(404);
  const audit = await hub.get<{ action: string; target: string; actor: { name: string } }[]>("/system/audit");
  expect(audit.filter(({ action }) => action.startsWith("plugin."))).toContainEqual(
    expect.objectContaining({ action: "plugin.action", target: "bridge/pair", outcome: "ok" }),
  );
});

test("a second pairing reads which one has to end first, which can be cancelled", async () => {
  const request = await pairing();
  const busy = await call("pair", { name: "Another" });
  expect([busy.status, busy.json()]).toMatchObject([200, { status: "busy", active_request_id: request }]);
  const path = `/plugins/bridge/requests/${request}`;
  expect((await hub.request("DELETE", path, { token: tokens.viewer })).status).toBe(403);
  expect((await hub.request("DELETE", path, { token: tokens.user })).json()).toMatchObject({ status: "ok" });
  await reached(request, "canceled");
  expect(stagesOf(request)).toEqual(["progress", "item", "awaiting_user", "canceled"]);
  expect((await hub.request("DELETE", path, { token: tokens.user })).status).toBe(404);
});

test("short actions answer at once, with their error if they fail or take too long", async () => {
  const adminToken = await hub.adminToken();
  expect((await call("count", {}, tokens.viewer)).json()).toMatchObject({ status: "ok", data: 1 });
  expect((await call("fail", {}, adminToken)).json()).toMatchObject({
    status: "error",
    error: "the bridge is on fire",
  });
  // On a busy machine the hub may be through with waiting before the plugin says so.
  const slow = async () => (await call("slow", {}, adminToken)).json<{ status: unknown; error: string }>();
  const gaveUp = async () => [await slow()].find(({ status }) => status === "error");
  const failed = await until("the plugin gives up", gaveUp);
  expect(failed.error).toContain("200");
});

test("what cannot be done is refused, with the name of what is wrong", async () => {
  const rows: [string, unknown, string | undefined, number, string][] = [
    ["pair", {}, tokens.user, 400, "name: missing"],
    ["pair", { name: "x" }, tokens.user, 400, "name: must have at least 2 characters"],
    ["pair", { name: "Hall", nmae: 1 }, tokens.user, 400, "nmae: unknown key"],
    ["count", { request_id: "mine" }, tokens.user, 400, "request_id"],
    ["count", [1], tokens.user, 400, "must be a table"],
    ["explode", {}, tokens.user, 404, "explode"],
    ["get_config", {}, undefined, 404, "get_config"],
    ["pair", { name: "Hall" }, tokens.viewer, 403, "role user"],
    ["fail", {}, tokens.user, 403, "role admin"],
  ];
  for (const [action, body, token = await hub.adminToken(), status, words] of rows) {
    const answer = await call(action, body, token);
    expect({ action, body, status: answer.status, text: answer.text }).toMatchObject({
      ...{ action, body, status, text: expect.stringContaining(words) },
    });
  }
  expect((await hub.request("POST", "/plugins/nobody/actions/pair", { body: {} })).status).toBe(404);
  expect(stream.frames.some(({ action }) => action !== "pair")).toBe(false);
});

test("its configuration is shown without secrets, and changed without losing them", async () => {
  const path = "/plugins/bridge/config";
  expect((await hub.request("GET", path, { token: tokens.user })).status).toBe(403);
  const shown = await hub.get<Record<string, unknown>>(path);
  expect(shown).toEqual({ address: "10.0.0.5", api_key: "•••", lamps: 1 });
  for (const [wrong, words] of [
    [{ ...shown, lamps: 11 }, "lamps: must be a whole number from 1 to 10"],
    [{ ...shown, lamp: 2 }, 'did you mean \\"lamps\\"'],
    [{ ...shown, address: "•••", other: "•••" }, "other: is masked"],
  ] as const) {
    const answer = await hub.request("PUT", path, { body: wrong });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)]);
  }
  const changed = await hub.request("PUT", path, { body: { ...shown, lamps: 2 } });
  expect([changed.status, changed.json()]).toEqual([200, { ...shown, lamps: 2 }]);
  await until("the second lamp", async () => (await hub.request("GET", "/devices/lamp_2")).status === 200);
  expect(Bun.TOML.parse(place.read("plugins/bridge/config/config.toml"))).toEqual({
    ...{ address: "10.0.0.5", api_key: "the key of the bridge", lamps: 2 },
  });
  expect(hub.output).not.toContain("the key of the bridge");
  expect((await hub.request("PUT", path, { body: shown })).status).toBe(200);
  await until("it runs as before", async () => (await call("count")).json<{ data: unknown }>().data === 1);
});

test("a plugin that is killed midway ends its actions, and nothing of them is left", async () => {
  const request = await pairing();
  const { pid } = await active();
  process.kill(pid, "SIGKILL");
  expect(await reached(request, "error")).toMatchObject({ error: "the plugin ended before its action did" });
  expect((await call("count", {}, tokens.viewer)).status).toBe(409);
  await until("nothing is retained", async () => (await retainedOf(request)) === 0);
  await active(pid);
  await hub.request("DELETE", `/plugins/bridge/requests/${await pairing()}`);
});

test("a plugin that is stopped cannot be asked, and still shows what it offers", async () => {
  await hub.request("POST", "/plugins/bridge/stop");
  const answers = [
    await call("count"),
    await hub.request("GET", "/plugins/bridge/config"),
    await hub.request("DELETE", "/plugins/bridge/requests/any"),
  ];
  for (const { status, text } of answers)
    expect([status, text]).toEqual([409, expect.stringContaining("start it first")]);
  expect((await hub.get<{ actions: unknown[] }>("/plugins/bridge/capabilities")).actions).toHaveLength(4);
  await hub.request("POST", "/plugins/bridge/start");
  await active();
});
