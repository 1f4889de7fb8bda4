// Requests of the hub to a plugin: built-in ones, configuration, actions.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../support/wait.ts";
import { openBroker, type TestBroker } from "./support/broker.ts";
import { type Bundle, bundlePlugin, type Child, startChild } from "./support/child.ts";

let bundle: Bundle;
let broker: TestBroker;
let child: Child;
let config: string;
let lastRequest = 0;

beforeAll(async () => {
  bundle = await bundlePlugin("test/plugins-sdk/fixture-plugin.ts");
});
afterAll(() => bundle[Symbol.asyncDispose]());
beforeEach(async () => {
  broker = await openBroker();
  config = `${bundle.folder}/config.toml`;
  await Bun.write(config, '# mine\ngreeting = "hi"\napi_key = "s3cret"\n');
  child = startChild({ bundle, port: broker.port, id: "fix", config });
  await until("the plugin is there", () => broker.on("house/devices/fix_lamp1/state").length > 0);
});
afterEach(async () => {
  await child[Symbol.asyncDispose]();
  await broker[Symbol.asyncDispose]();
});

function begin(action: string, fields: object = {}): string {
  const requestId = `q${++lastRequest}`;
  broker.send("house/plugins/fix/manage/cmd", { action, request_id: requestId, ...fields });
  return requestId;
}

async function ask(action: string, fields: object = {}): Promise<Record<string, unknown>> {
  const requestId = begin(action, fields);
  return until(`an answer to ${action}`, () =>
    broker.on("house/plugins/fix/manage/response").find(({ request_id }) => request_id === requestId),
  );
}

const eventsOf = (requestId: string) => broker.on(`house/plugins/fix/commands/${requestId}/events`);
const hasStage = (requestId: string, stage: string) => () => eventsOf(requestId).some((event) => event.stage === stage);

test("ping, log level and an unknown action", async () => {
  expect(await ask("ping")).toMatchObject({ status: "ok", data: { pong: true, version: "2.3.4" } });
  expect(await ask("set_log_level", { level: "WARN" })).toMatchObject({ status: "ok", data: { level: "warning" } });
  expect(await ask("set_log_level", { level: "loud" })).toMatchObject({ status: "error" });
  expect(await ask("constructor")).toMatchObject({
    status: "error",
    error: 'this plugin has no action "constructor"',
  });
});

test("its configuration is shown without secrets, and changed without losing them", async () => {
  const shown = { greeting: "hi", api_key: "********", lamps: 1 };
  expect(await ask("get_config")).toMatchObject({ status: "ok", data: { config: shown } });
  expect(await ask("set_config", { config: { ...shown, lamps: 2 } })).toMatchObject({ status: "ok" });
  expect(Bun.TOML.parse(await Bun.file(config).text())).toEqual({ greeting: "hi", api_key: "s3cret", lamps: 2 });
  expect(await Bun.file(`${config}.bak`).text()).toStartWith("# mine");
  await until("the second lamp", () => broker.retained("house/devices/fix_lamp2/state"));

  expect(await ask("set_config", { config: { ...shown, lamps: 1 } })).toMatchObject({ status: "ok" });
  await until("it is gone", () => !broker.retained("house/devices/fix_lamp2/state"));
  expect(broker.on("house/plugins/fix/unregister")).toEqual([{ device_id: "fix_lamp2" }]);
});

test("a configuration that does not work is refused, and the earlier one is kept", async () => {
  const before = await Bun.file(config).text();
  const wrong = await ask("set_config", { config: { lamps: 0, colour: "red" } });
  expect(wrong.status).toBe("error");
  expect(wrong.error).toContain("lamps");
  expect(wrong.error).toContain("colour: unknown key");
  const failing = await ask("set_config", { config: { greeting: "refuse to start" } });
  expect(failing.error).toContain("that greeting is not possible");
  expect(await Bun.file(config).text()).toBe(before);
  expect(await ask("get_config")).toMatchObject({ data: { config: { greeting: "hi" } } });
});

test("a short action answers at once", async () => {
  expect(await ask("echo", { params: { a: 1 } })).toMatchObject({ status: "ok", data: '{"a":1}' });
  expect(await ask("echo", { a: 2 })).toMatchObject({ status: "ok", data: '{"a":2}' });
});

test("a long action is accepted, reports, asks, completes, and leaves nothing retained", async () => {
  const refused = await ask("count", { params: { to: "many" } });
  expect(refused).toMatchObject({ status: "error", error: "to: expected integer" });

  const id = begin("count", { params: { to: 2 } });
  const stream = `house/plugins/fix/commands/${id}/events`;
  await until("the question", hasStage(id, "awaiting_user"));
  expect(broker.retained(stream)).toContain("awaiting_user");
  expect(await ask("count", { params: { to: 1 } })).toMatchObject({ status: "busy", active_request_id: id });
  expect(await ask("respond", { target_request_id: id, response: "Anna" })).toMatchObject({ status: "ok" });
  await until("the end", hasStage(id, "complete"));
  const common = { request_id: id, ts: expect.any(String) };
  expect(eventsOf(id)).toEqual([
    { stage: "progress", ...common, number: 1 },
    { stage: "progress", ...common, number: 2 },
    { stage: "awaiting_user", ...common, message: "Your name?" },
    { stage: "complete", ...common, data: { name: "Anna" } },
  ]);
  const answers = broker.on("house/plugins/fix/manage/response").filter(({ request_id }) => request_id === id);
  expect(answers).toEqual([{ request_id: id, status: "accepted", stream_topic: stream }]);
  await until("nothing is retained", () => !broker.retained(stream));
});

test("a long action is cancelled by a request and by the end of the plugin", async () => {
  const first = begin("count", { to: 1 });
  await until("the question", hasStage(first, "awaiting_user"));
  expect(await ask("cancel", { target_request_id: first })).toMatchObject({ status: "ok" });
  await until("it is cancelled", hasStage(first, "canceled"));
  expect(await ask("cancel", { target_request_id: first })).toMatchObject({ status: "error" });

  const second = begin("count", { to: 1 });
  await until("the question", hasStage(second, "awaiting_user"));
  child.terminate();
  expect(await child.exited).toBe(0);
  expect(eventsOf(second).at(-1)).toMatchObject({ stage: "canceled" });
  expect(broker.retained(`house/plugins/fix/commands/${second}/events`)).toBeFalsy();
});

test("events, notices and log lines reach the hub", async () => {
  await ask("ring");
  expect(broker.on("house/events/doorbell")).toEqual([{ button: "front" }]);
  const beat = await until("the notice", () =>
    broker.on("house/plugins/fix/heartbeat").find(({ notices }) => Array.isArray(notices) && notices.length > 0),
  );
  expect(beat.notices).toEqual([{ level: "error", code: "rung", message: "It rang.", remedy: "Open." }]);
  expect(broker.retained("house/plugins/fix/status")).toBe("degraded");
  expect(broker.on("house/plugins/fix/logs")).toContainEqual({
    timestamp: expect.any(String),
    level: "info",
    target: "fix",
    message: "rang",
    fields: { button: "front" },
  });
});
