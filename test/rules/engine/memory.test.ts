// The memory of rules while clients send them megabytes: active runs, and traces.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

let hub: TestHub;
let client: MqttClient;
beforeAll(async () => {
  hub = await startTestHub({ toml: "[rules]\nmax_running_mb = 4\nmax_traces_mb = 1" });
  client = await connectAsync({ host: "127.0.0.1", port: hub.mqttPort });
});
afterAll(async () => {
  await client.endAsync(true);
  await hub[Symbol.asyncDispose]();
});

interface Trace {
  outcome: string;
  why: string;
}

const call = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
  (await (await hub.request(method, path, { token: hub.adminToken, body })).json()) as T;
const traces = (id: string) => call<Trace[]>("GET", `/rules/${id}/traces`);
const problems = async () =>
  (await call<{ problems: { message: string }[] }>("GET", "/system/status")).problems.map(({ message }) => message);

test("the trigger contexts of waiting runs are limited, and beyond no run is started", async () => {
  const { id } = await call<{ id: string }>("POST", "/rules", {
    name: "Slow",
    run_mode: "parallel",
    triggers: [{ type: "custom_event", event_type: "large" }],
    actions: [{ type: "delay", duration_secs: 3600 }],
  });
  for (let count = 0; count < 8; count++)
    await client.publishAsync("hub/events/large", JSON.stringify({ text: "x".repeat(900_000) }), { qos: 1 });
  const all = await until("eight traces", async () => {
    const found = await traces(id);
    return found.length === 8 ? found : undefined;
  });
  expect(all.filter(({ outcome }) => outcome === "fired")).toHaveLength(4);
  expect(all.at(0)).toMatchObject({ outcome: "busy", why: expect.stringContaining("takes too much memory") });
  expect(await problems()).toContainEqual(expect.stringContaining("[rules] max_running_mb, reached by Slow"));
  // There is memory again when they are over.
  for (const enabled of [false, true]) await call("PATCH", `/rules/${id}`, { enabled });
  await client.publishAsync("hub/events/large", JSON.stringify({ text: "x".repeat(900_000) }), { qos: 1 });
  await until("one that fires", async () => (await traces(id))[0]?.outcome === "fired");
});

test("traces of all rules together are limited, and a rule that rarely runs keeps its own", async () => {
  const make = (name: string) =>
    call<{ id: string }>("POST", "/rules", {
      name,
      run_mode: "parallel",
      triggers: [{ type: "custom_event", event_type: name }],
      conditions: Array.from({ length: 40 }, () => ({
        type: "expression",
        expression: 'size(trigger.data.text) > 0 && "y" == "y"',
      })),
      actions: Array.from({ length: 30 }, (_, index) => ({
        type: "log_message",
        message: `${index} ${"x".repeat(450)}`,
      })),
    });
  const rare = await make("rare");
  const busy = await Promise.all(["busy_a", "busy_b", "busy_c"].map(make));
  for (let count = 0; count < 3; count++) await client.publishAsync("hub/events/rare", '{"text":"x"}', { qos: 1 });
  for (let count = 0; count < 40; count++)
    for (const name of ["busy_a", "busy_b", "busy_c"])
      await client.publishAsync(`hub/events/${name}`, '{"text":"x"}', { qos: 1 });
  await until("the limit is reported", async () => (await problems()).some((text) => text.includes("max_traces_mb")));
  const kept = await Promise.all(busy.map(async ({ id }) => JSON.stringify(await traces(id)).length));
  expect(kept.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_200_000);
  expect(await traces(rare.id)).toHaveLength(3);
});
