// A plugin as the broker sees it: start, messages, loss of the broker, end.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/wait.ts";
import { openBroker, PASSWORD } from "./support/broker.ts";
import { type Bundle, bundlePlugin, startChild } from "./support/child.ts";

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundlePlugin("test/plugins-sdk/fixture-plugin.ts");
});
afterAll(() => bundle[Symbol.asyncDispose]());

const LAMP = "house/devices/fix_lamp1";

test("registers its devices, sends their state once, and a heartbeat at once", async () => {
  await using broker = await openBroker();
  await using _child = startChild({ bundle, port: broker.port, id: "fix" });
  const heartbeat = await until("a heartbeat", () => broker.on("house/plugins/fix/heartbeat")[0]);
  expect(heartbeat).toEqual({
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    version: "2.3.4",
    sdk_version: expect.any(String),
    protocol_version: expect.any(String),
    uptime_secs: expect.any(Number),
    device_count: 1,
    notices: [],
  });
  await until("the capabilities", () => broker.retained("house/plugins/fix/capabilities"));
  expect(broker.on("house/plugins/fix/register")).toEqual([
    {
      device_id: "fix_lamp1",
      plugin_id: "fix",
      name: "Lamp 1",
      area: "office",
      device_type: "light",
      capabilities: expect.objectContaining({ type: "object" }),
    },
  ]);
  expect(broker.on(`${LAMP}/state`)).toEqual([{ on: false, greeting: "hello" }]);
  expect(JSON.parse(broker.retained(`${LAMP}/state`) ?? "")).toEqual({ on: false, greeting: "hello" });
  expect(broker.retained(`${LAMP}/availability`)).toBe("online");
  expect(broker.retained("house/plugins/fix/status")).toBe("active");
});

test("answers a command with a state that names its cause, and survives one that fails", async () => {
  await using broker = await openBroker();
  await using _child = startChild({ bundle, port: broker.port, id: "fix" });
  await until("the first state", () => broker.on(`${LAMP}/state`).length === 1);
  const cause = { kind: "user", actor_name: "anna", correlation_id: "c1" };
  broker.send(`${LAMP}/cmd`, { command: "break", _hc: { command: { correlation_id: "c0" } } });
  broker.send(`${LAMP}/cmd`, { on: true, level: 7, _hc: { command: cause } });
  await until("both states", () => broker.on(`${LAMP}/state`).length === 3);
  const _hc = { change: cause };
  expect(broker.on(`${LAMP}/state`).slice(1)).toEqual([
    { on: true, greeting: "hello", _hc },
    { on: true, greeting: "hello", level: 7, _hc },
  ]);
  expect(broker.on("house/plugins/fix/logs")).toContainEqual(
    expect.objectContaining({ level: "error", message: "a command failed", target: "fix" }),
  );
  // The hub makes `device_command_failed` of it.
  expect(broker.on("house/events/command_refused")).toEqual([
    { device_id: "fix_lamp1", correlation_id: "c0", reason: expect.any(String) },
  ]);
});

test("reconnects after the broker was stopped, and sends everything again", async () => {
  const first = await openBroker();
  await using child = startChild({ bundle, port: first.port, id: "fix" });
  await until("the first state", () => first.on(`${LAMP}/state`).length === 1);
  first.send(`${LAMP}/cmd`, { on: true });
  await until("the lamp is on", () => first.on(`${LAMP}/state`).length === 2);
  await first[Symbol.asyncDispose]();

  await using second = await openBroker({ port: first.port });
  await until("the state again", () => second.on(`${LAMP}/state`).length === 1);
  expect(second.on(`${LAMP}/state`)).toEqual([{ on: true, greeting: "hello" }]);
  expect(second.on("house/plugins/fix/register")).toHaveLength(1);
  expect(second.retained("house/plugins/fix/status")).toBe("active");
  second.send(`${LAMP}/cmd`, { on: false });
  await until("it receives commands again", () => second.on(`${LAMP}/state`).length === 2);
  child.terminate();
  expect(await child.exited).toBe(0);
  expect(await child.stderr).toContain("lost the broker");
});

test("waits for a broker that does not run yet", async () => {
  const probe = await openBroker();
  await probe[Symbol.asyncDispose]();
  await using child = startChild({ bundle, port: probe.port, id: "fix" });
  await using broker = await openBroker({ port: probe.port });
  await until("a heartbeat", () => broker.on("house/plugins/fix/heartbeat").length > 0);
  child.terminate();
  expect(await child.exited).toBe(0);
});

test("leaves cleanly on SIGTERM, in bounded time", async () => {
  await using broker = await openBroker();
  await using child = startChild({ bundle, port: broker.port, id: "fix" });
  await until("the first state", () => broker.on(`${LAMP}/state`).length === 1);
  child.terminate();
  expect(await child.exited).toBe(0);
  expect(broker.retained(`${LAMP}/availability`)).toBe("offline");
  expect(broker.retained("house/plugins/fix/status")).toBe("offline");
  expect(broker.on("house/plugins/fix/logs")).toContainEqual(expect.objectContaining({ message: "goodbye" }));
});

test("its will reports it as offline when it is killed", async () => {
  await using broker = await openBroker();
  {
    await using _child = startChild({ bundle, port: broker.port, id: "fix" });
    await until("the first state", () => broker.on(`${LAMP}/state`).length === 1);
  }
  await until("the will", () => broker.retained("house/plugins/fix/status") === "offline");
});

test("ends with 1 when the broker refuses its password, and does not print it", async () => {
  await using broker = await openBroker();
  await using child = startChild({ bundle, port: broker.port, id: "fix", password: "wrong-secret" });
  expect(await child.exited).toBe(1);
  const said = await child.stderr;
  expect(said).toContain("the user name or password is wrong");
  expect(said).not.toContain("wrong-secret");
});

test("ends with 1 when its configuration is wrong, naming place and problem but no value", async () => {
  await using broker = await openBroker();
  const config = `${bundle.folder}/wrong.toml`;
  await Bun.write(config, 'lamps = "many-secret"\napi_kye = "s3cret"\n');
  await using child = startChild({ bundle, port: broker.port, id: "fix", config });
  expect(await child.exited).toBe(1);
  const said = await child.stderr;
  expect(said).toContain("lamps: expected integer");
  expect(said).toContain("api_kye: unknown key");
  expect(said).not.toMatch(/secret|s3cret/);

  await Bun.write(config, 'api_key = "s3cret\n');
  await using broken = startChild({ bundle, port: broker.port, id: "fix", config });
  expect(await broken.exited).toBe(1);
  expect(await broken.stderr).toMatch(/wrong\.toml:1:\d+: /);
  expect(await broken.stderr).not.toContain("s3cret");
});

test("a message on which the broker closes the connection is given up, and the plugin continues", async () => {
  await using broker = await openBroker({ refuse: "house/events/doorbell" });
  await using child = startChild({ bundle, port: broker.port, id: "fix" });
  await until("the first state", () => broker.on(`${LAMP}/state`).length === 1);
  broker.send("house/plugins/fix/manage/cmd", { action: "ring", request_id: "r1" });
  const answers = () => broker.on("house/plugins/fix/manage/response");
  await until("the answer behind it", () => answers().length > 0);
  expect(answers()).toEqual([{ request_id: "r1", status: "ok" }]);
  expect(broker.on("house/plugins/fix/register")).toHaveLength(4);
  child.terminate();
  expect(await child.exited).toBe(0);
  expect(await child.stderr).toContain("gave up sending to house/events/doorbell");
  expect(await child.stderr).not.toContain(PASSWORD);
  expect(JSON.stringify(broker.packets)).not.toContain(PASSWORD);
});
