// The house as a process with a real broker: its registrations, commands, refusals and actions.
// Over 10 s: its timers are of the system's clock.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openBroker, type TestBroker } from "../plugins-sdk/support/broker.ts";
import { type Bundle, bundlePlugin, startChild } from "../plugins-sdk/support/child.ts";
import { until } from "../support/wait.ts";

let bundle: Bundle;
beforeAll(async () => {
  bundle = await bundlePlugin("plugins/virtual/main.ts");
});
afterAll(() => bundle[Symbol.asyncDispose]());

const IDS = [
  "virtual_light_living_room",
  "virtual_light_kitchen",
  "virtual_thermostat",
  "virtual_leak_sensor",
  "virtual_front_door",
  "virtual_motion_sensor",
];
const CAUSE = { kind: "user", actor_name: "anna", correlation_id: "c1" };

async function startHouse(broker: TestBroker, toml?: string) {
  const config = `${bundle.folder}/${crypto.randomUUID()}.toml`;
  await Bun.write(config, toml ?? (await Bun.file(`${import.meta.dir}/../../plugins/virtual/config.toml`).text()));
  const child = startChild({ bundle, port: broker.port, id: "virtual", config });
  await until("the actions are known", () => broker.retained("house/plugins/virtual/capabilities")?.includes("burst"));
  return {
    child,
    states: (id: string) => broker.on(`house/devices/${id}/state`),
    last: (id: string) => broker.on(`house/devices/${id}/state`).at(-1),
    command: (id: string, command: object) => broker.send(`house/devices/${id}/cmd`, command),
    async ask(action: string, body: object) {
      const request_id = crypto.randomUUID();
      broker.send("house/plugins/virtual/manage/cmd", { action, request_id, ...body });
      const fits = (body: Record<string, unknown>) => body.request_id === request_id;
      return await until(`an answer to ${action}`, () => broker.on("house/plugins/virtual/manage/response").find(fits));
    },
    events: (id: unknown) => broker.on(`house/plugins/virtual/commands/${id}/events`),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

interface JsonSchema {
  required: string[];
  additionalProperties: boolean;
  properties: Record<
    string,
    { type?: string; pattern?: string; minimum?: number; maximum?: number; anyOf?: { const: unknown }[] }
  >;
}

/** Validates with the JSON alone, as a client would. */
function misfits({ properties, required, additionalProperties }: JsonSchema, attributes: Record<string, unknown>) {
  expect(additionalProperties).toBe(false);
  const wrong = Object.entries(attributes).filter(([key, value]) => {
    const { type, minimum = -Infinity, maximum = Infinity, anyOf } = properties[key] ?? { type: "unknown" };
    if (anyOf) return !anyOf.some((one) => one.const === value);
    if (type === "string") return typeof value !== "string" || !new RegExp(properties[key]?.pattern ?? "").test(value);
    if (type === "boolean") return typeof value !== "boolean";
    if (type === "integer" && !Number.isInteger(value)) return true;
    return !["integer", "number"].includes(type ?? "") || !(Number(value) >= minimum && Number(value) <= maximum);
  });
  return [...wrong.map(([key]) => key), ...required.filter((key) => !(key in attributes))];
}

test("registers every device with capabilities that match its own report", async () => {
  await using broker = await openBroker();
  await using house = await startHouse(broker);
  await until("all reports", () => IDS.every((id) => house.last(id)));
  const registered = broker.on("house/plugins/virtual/register");
  expect(registered.map(({ device_id }) => device_id).sort()).toEqual([...IDS].sort());
  for (const { device_id, capabilities, ...about } of registered) {
    expect(about).toEqual({
      ...{ plugin_id: "virtual", name: expect.any(String), area: expect.any(String), device_type: expect.any(String) },
      ...{ manufacturer: "Hub", model: expect.any(String), sw_version: "1.0.0" },
    });
    const state = house.last(String(device_id)) ?? {};
    expect({ device_id, misfits: misfits(capabilities as JsonSchema, state) }).toEqual({ device_id, misfits: [] });
  }
  expect(house.last("virtual_light_living_room")).toHaveProperty("color_temp");
  expect(house.last("virtual_light_kitchen")).not.toHaveProperty("color_temp");
});

test("carries out commands, and each state names its cause", async () => {
  await using broker = await openBroker();
  await using house = await startHouse(broker);
  const rows = [
    ["virtual_light_kitchen", { on: true, brightness: 127 }, { on: true, brightness: 127, power: 4.8 }],
    ["virtual_light_living_room", { command: "toggle" }, { on: true }],
    ["virtual_light_living_room", { color_temp: 200 }, { color_temp: 200 }],
    ["virtual_front_door", { open: true }, { open: true, battery: 92 }],
    ["virtual_front_door", { battery: 10 }, { open: true, battery: 10 }],
    ["virtual_leak_sensor", { leak: true }, { leak: true }],
    ["virtual_motion_sensor", { motion: true }, { motion: true }],
    ["virtual_thermostat", { temperature: 15 }, { temperature: 15, heating: true }],
    ["virtual_thermostat", { setpoint: 22.5, mode: "off" }, { setpoint: 22.5, mode: "off", heating: false }],
  ] as const;
  for (const [id, command, expected] of rows) {
    const before = house.states(id).length;
    house.command(id, { ...command, _hc: { command: CAUSE } });
    await until(`${id} has changed`, () => house.states(id).length > before);
    expect(house.last(id)).toMatchObject({ ...expected, _hc: { change: CAUSE } });
  }
  expect(broker.on("house/events/command_refused")).toEqual([]);
});

test("a transition is reported in steps, and each step names its cause", async () => {
  await using broker = await openBroker();
  await using house = await startHouse(broker);
  const id = "virtual_light_kitchen";
  house.command(id, { on: true, transition: 2, _hc: { command: CAUSE } });
  await until("it has arrived", () => house.last(id)?.brightness === 254 && house.last(id)?.on);
  const [, ...way] = house.states(id);
  expect(way.length).toBeGreaterThan(3);
  expect(way.length).toBeLessThanOrEqual(11);
  expect(way.every(({ _hc }) => Bun.deepEquals(_hc, { change: CAUSE }))).toBe(true);
});

test("reports a command that it cannot carry out in the log and in an event that names the request, and continues", async () => {
  await using broker = await openBroker();
  await using house = await startHouse(broker);
  const id = "virtual_light_kitchen";
  house.command(id, { brightness: 300, colour: "red-secret", _hc: { command: CAUSE } });
  const reason = expect.stringMatching(/^brightness: must be a whole number from 0 to 254; colour: unknown; /);
  const refused = await until("the event", () => broker.on("house/events/command_refused")[0]);
  expect(refused).toEqual({ device_id: id, reason, correlation_id: "c1" });
  expect(broker.on("house/plugins/virtual/logs")).toContainEqual(
    expect.objectContaining({ level: "warning", message: "a command was refused", fields: { device_id: id, reason } }),
  );
  const bad = [[], "on", 1, null, { on: { deep: true } }, { battery: 5 }, { transition: 1 }, {}];
  for (const command of bad) house.command(id, command as object);
  house.command("virtual_thermostat", { mode: "cool" });
  house.command("virtual_leak_sensor", { minutes: 5 });
  house.command(id, { on: true });
  await until("it still carries out commands", () => house.last(id)?.on);
  expect(house.states(id)).toHaveLength(2);
  expect(broker.packets.map(({ text }) => text).filter((text) => /red-secret/.test(text))).toHaveLength(1);
});

test("a step without changes reports nothing", async () => {
  await using broker = await openBroker();
  await using house = await startHouse(broker, "interval_secs = 1\nspeed = 120\nbattery_drain_pct_per_day = 0\n");
  await until("the thermostat shows that steps pass", () => house.states("virtual_thermostat").length >= 4);
  for (const id of IDS.filter((id) => id !== "virtual_thermostat")) expect(house.states(id)).toHaveLength(1);
  // A command that changes nothing reports nothing either.
  house.command("virtual_front_door", { open: false });
  house.command("virtual_front_door", { open: true });
  await until("the door is open", () => house.last("virtual_front_door")?.open);
  expect(house.states("virtual_front_door")).toHaveLength(2);
});

test("with random events something changes without a command and without a cause", async () => {
  await using broker = await openBroker();
  await using house = await startHouse(broker, "interval_secs = 1\nspeed = 3600\nrandom_events = true\n");
  const moved = () => [...house.states("virtual_front_door"), ...house.states("virtual_motion_sensor")];
  await until("something moves", () => moved().some(({ open, motion }) => open || motion));
  expect(moved().filter((state) => "_hc" in state)).toEqual([]);
});

test("a house of two hundred lights, which has one light after a change of its configuration", async () => {
  await using broker = await openBroker();
  await using house = await startHouse(broker, "lights = 200\n");
  await until("204 devices", () => broker.on("house/plugins/virtual/register").length === 204);
  await until("the last light's state", () => house.last("virtual_light_cellar_25"));
  expect(await house.ask("set_config", { config: { lights: 1 } })).toMatchObject({ status: "ok" });
  await until("199 are gone", () => broker.on("house/plugins/virtual/unregister").length === 199);
  house.command("virtual_light_living_room", { on: true });
  await until("the remaining light carries out commands", () => house.last("virtual_light_living_room")?.on);
});

test("actions: a leak that dries, a battery that drains, and what they refuse", async () => {
  await using broker = await openBroker();
  await using house = await startHouse(broker, "speed = 600\n");
  expect(await house.ask("simulate_leak", { minutes: 10 })).toMatchObject({ status: "ok" });
  await until("it is wet", () => house.last("virtual_leak_sensor")?.leak);
  await until("it is dry again, long before the next step", () => house.last("virtual_leak_sensor")?.leak === false);
  expect(await house.ask("simulate_leak", { minutes: 0 })).toMatchObject({ status: "error" });

  const device = "virtual_front_door";
  expect(await house.ask("drain_battery", { device })).toMatchObject({ data: { device, battery: 10 } });
  await until("it is at 10 %", () => house.last(device)?.battery === 10);
  const up = await house.ask("drain_battery", { device, to_pct: 50 });
  expect(up).toMatchObject({ status: "error", error: expect.stringContaining("only 10 % are left") });
  const none = await house.ask("drain_battery", { device: "virtual_light_kitchen" });
  expect(none).toMatchObject({ status: "error", error: expect.stringContaining("virtual_leak_sensor") });
});

test("a burst reports the requested changes at their rate, and the light is as before", async () => {
  await using broker = await openBroker();
  await using house = await startHouse(broker);
  const id = "virtual_light_kitchen";
  const before = house.last(id) as Record<string, unknown>;
  const { request_id } = await house.ask("burst", { device: id, changes: 2000, per_second: 4000 });
  const end = await until("its end", () => house.events(request_id).find(({ stage }) => stage === "complete"));
  expect(end).toMatchObject({ data: { changes: 2000 } });
  expect((end.data as { took_ms: number }).took_ms).toBeGreaterThan(450);
  await until("its own state", () => house.states(id).length === 2002);
  expect(house.last(id)).toEqual(before);
  const values = house.states(id).map(({ brightness }) => brightness);
  expect(values.filter((value, at) => at > 0 && value === values[at - 1])).toEqual([]);
  expect(house.states(id)[1]).toEqual({ on: true, brightness: 1, brightness_pct: 1, power: 0.5 });
});

test("a burst is cancelled at once; a too long one is refused", async () => {
  await using broker = await openBroker();
  await using house = await startHouse(broker);
  const id = "virtual_light_living_room";
  const { request_id } = await house.ask("burst", { changes: 50_000, per_second: 100 });
  await until("it has begun", () => house.states(id).length > 3);
  expect(await house.ask("burst", {})).toMatchObject({ status: "busy" });
  broker.send("house/plugins/virtual/manage/cmd", { action: "cancel", request_id: "x", target_request_id: request_id });
  await until("it is over", () => house.events(request_id).some(({ stage }) => stage === "canceled"));
  await until("its own state", () => house.last(id)?.on === false);
  for (const wrong of [{ changes: 50_001 }, { per_second: 10_001 }, { per_second: 0 }, { chnages: 5 }])
    expect(await house.ask("burst", wrong)).toMatchObject({ status: "error" });
  const { request_id: other } = await house.ask("burst", { device: "virtual_thermostat" });
  const failed = await until("it fails", () => house.events(other).find(({ stage }) => stage === "error"));
  expect(failed.error).toContain("device: must be one of virtual_light_living_room, virtual_light_kitchen");
});

test("ends on SIGTERM in the middle of a burst and of a transition, in bounded time", async () => {
  await using broker = await openBroker();
  await using house = await startHouse(broker);
  house.command("virtual_light_kitchen", { on: true, transition: 300 });
  await house.ask("burst", { changes: 50_000, per_second: 5000 });
  await until("it has begun", () => house.states("virtual_light_living_room").length > 100);
  house.child.terminate();
  expect(await house.child.exited).toBe(0);
  expect(await house.child.stderr).toBe("");
  for (const id of IDS) expect(broker.retained(`house/devices/${id}/availability`)).toBe("offline");
  expect(house.last("virtual_light_living_room")).toMatchObject({ on: false });
});

test("a wrong configuration names every problem", async () => {
  await using broker = await openBroker();
  const config = `${bundle.folder}/wrong.toml`;
  await Bun.write(config, "lights = 0\nspeed = 0.5\nspede = 2\n");
  await using child = startChild({ bundle, port: broker.port, id: "virtual", config });
  expect(await child.exited).toBe(1);
  const said = await child.stderr;
  for (const word of ["lights:", "speed:", "spede: unknown key"]) expect(said).toContain(word);
});
