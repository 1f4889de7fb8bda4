// A person's new name for an attribute, on the compiled hub: a relay that announces itself, a group, a scene, a history and rules go on by it
// together; and a hub that is killed while it gives a name starts with either the old house or the new one.
import { afterAll, beforeAll, expect } from "bun:test";
import type { MqttClient } from "mqtt";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { story } from "../support/story.ts";
import { until } from "../support/wait.ts";

const RULES = 16;
const account = { username: "box", password: "box-password" };
const place = createHubPlace({
  toml: `[[mqtt.users]]
username = "box"
password = "box-password"
publish = ["homeassistant/#", "box/#"]
subscribe = ["homeassistant/#", "box/#"]
`,
});
/** Two relays of one box: both are `value` where they are read. */
const relay = (name: string) => ({
  ...{ name, unique_id: `box_${name}`, state_topic: `box/${name}`, command_topic: `box/${name}/set` },
  ...{ value_template: "{{ value_json.value }}", state_on: 1, state_off: 0, payload_on: "1", payload_off: "0" },
  device: { identifiers: ["box"], name: "Box" },
});

interface House {
  attributes: Record<string, unknown>;
  group: Record<string, unknown>;
  scene: Record<string, unknown>;
  /** How many rules speak of each name. */
  rules: Record<string, number>;
  recorded: unknown[];
}

let hub: HubProcess;
let box: MqttClient;
let id = "";
let name = "";
let received: string[] = [];

const ruleFile = (number: number): string => `rules/pump_${number}.ron`;
const uuid = (number: number): string => `22222222-2222-4222-8222-2222222222${String(number).padStart(2, "0")}`;
const ruleText = (number: number): string => `(
    id: "${uuid(number)}",
    name: "Pump ${number}",
    trigger: DeviceStateChanged(device_id: "${id}", attribute: "${name}", to: true), // ${name} of the box
    actions: [LogMessage(message: "runs: {{device.${name}}}")],
)
`;

/** As a box does when it has found its broker (again). */
async function connect(): Promise<void> {
  box = await hub.mqtt(account);
  await box.subscribeAsync("box/+/set");
  box.on("message", (topic, payload) => received.push(`${topic} ${payload}`));
  for (const one of ["drain", "pump"])
    await box.publishAsync(`homeassistant/switch/box/${one}/config`, JSON.stringify(relay(one)), {
      qos: 1,
      retain: true,
    });
}
async function startAgain(): Promise<void> {
  await hub.exited;
  hub = await place.start();
  await connect();
}
const say = (relay: string, value: number) =>
  box.publishAsync(`box/${relay}`, JSON.stringify({ value }), { qos: 1, retain: true });
const device = (of: string) => hub.get<{ attributes: Record<string, unknown> }>(`/devices/${of}`);
const recorded = async (attribute: string): Promise<unknown[]> =>
  (await hub.get<{ value: unknown }[]>(`/devices/${id}/history?from=2026-01-01T00:00:00Z&attribute=${attribute}`)).map(
    ({ value }) => value,
  );
const fired = async (number: number): Promise<number> =>
  (await hub.get<{ outcome: string }[]>(`/rules/${uuid(number)}/traces`)).filter(({ outcome }) => outcome === "fired")
    .length;
const rename = (from: string, to: string) =>
  hub.request("PATCH", `/devices/${id}/attributes/${from}`, { body: { name: to } });
const written = (number: number): string =>
  /attribute: "(\w+)"/.exec(place.read(ruleFile(number)))?.[1] ?? "something else";

/** It stops and starts, which is what the rules are for. */
async function runs(called: string): Promise<void> {
  const before = await fired(0);
  await say("pump", 0);
  await until("it is off", async () => (await device(id)).attributes[called] === false);
  await say("pump", 1);
  await until("a rule fires", async () => (await fired(0)) === before + 1);
}

/** All that names the attribute, as a person finds it. */
async function house(called: string): Promise<House> {
  const numbers = [...Array(RULES).keys()];
  const names = numbers.map(written);
  for (const number of numbers) expect(place.read(ruleFile(number))).toContain(`{{device.${written(number)}}}`);
  return {
    attributes: (await device(id)).attributes,
    group: (await device("pumps")).attributes,
    scene: (await hub.get<{ states: Record<string, Record<string, unknown>> }>("/scenes/dry")).states[id] ?? {},
    rules: Object.fromEntries(
      Map.groupBy(names, (one) => one)
        .entries()
        .map(([one, all]) => [one, all.length]),
    ),
    recorded: await recorded(called),
  };
}

beforeAll(async () => {
  hub = await place.start();
  await connect();
  await say("drain", 0);
  await say("pump", 1);
  const found = () => hub.get<{ id: string; name: string; attributes: Record<string, unknown> }[]>("/devices");
  const known = await until("the box", async () =>
    (await found()).find((one) => one.name === "Box" && Object.values(one.attributes).length >= 2),
  );
  id = known.id;
  name = Object.entries(known.attributes).find(([, value]) => value === true)?.[0] ?? "";
  for (let number = 0; number < RULES; number++) place.put(ruleFile(number), ruleText(number));
  await until("the rules", async () => (await hub.get<unknown[]>("/rules")).length === RULES);
  await hub.request("POST", "/groups", { body: { id: "pumps", name: "Pumps", members: [id] } });
  await hub.request("POST", "/scenes", { body: { id: "dry", name: "Dry", states: { [id]: { [name]: false } } } });
});
afterAll(() => place[Symbol.asyncDispose]());

const step = story("the second relay of a box becomes pump");

step("a dry run names what is changed, and changes nothing", async () => {
  const before = await house(name);
  const shown = await place.run([
    "devices",
    "rename-attribute",
    "--dry-run",
    id,
    name,
    "pump",
    "--url",
    `http://127.0.0.1:${hub.port}`,
  ]);
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toContain(`${name} of ${id} would be called pump\n`);
  for (const line of ["rule Pump 0", "rule Pump 15", "scene Dry", `history ${id}/pump`])
    expect(shown.stdout).toContain(`  ${line}\n`);
  expect(await house(name)).toEqual(before);
});

step("rules, scene, group, history and commands go on by the new name", async () => {
  expect((await rename(name, "pump")).status).toBe(200);
  await until("the group has it", async () => Object.hasOwn((await device("pumps")).attributes, "pump"));
  const { attributes, group, scene, rules, recorded: past } = await house("pump");
  expect(attributes).toMatchObject({ pump: true });
  expect(attributes).not.toHaveProperty(name);
  expect(group).toEqual(attributes);
  expect(scene).toEqual({ pump: false });
  expect(rules).toEqual({ pump: RULES });
  expect(past).toEqual([true]);
  await runs("pump");
  expect(await recorded("pump")).toEqual([true, false, true]);
  expect(await recorded(name)).toEqual([]);
  received = [];
  await hub.request("PATCH", `/devices/${id}/state?wait=false`, { body: { pump: false } });
  await until("the command", () => received.length === 1);
  await hub.request("POST", "/scenes/dry/activate", { body: {} });
  await until("the scene", () => received.length === 2);
  expect(received).toEqual(["box/pump/set 0", "box/pump/set 0"]);
});

/** When it is killed: the first rule is written, half of them, the last, and when the answer is there. */
const KILLED: readonly (readonly [when: string, rule: number])[] = [
  ["after the first rule", 0],
  ["after half of the rules", RULES / 2],
  ["after the last rule", RULES - 1],
];
for (const [when, number] of KILLED)
  step(`a hub that is killed ${when} is not half renamed`, async () => {
    const [from, to] = ["pump", `pump_${number}`];
    const past = await recorded(from);
    const order = [...Array(RULES).keys()].map(ruleFile).sort();
    const awaited = Number(/\d+/.exec(order[number] ?? "")?.[0]);
    const answered = rename(from, to).catch(() => undefined);
    await until("the rule is written", () => written(awaited) === to, { everyMs: 0 });
    hub.kill("SIGKILL");
    await answered;
    await startAgain();
    const after = await house(to);
    expect(after.rules).toEqual({ [to]: RULES });
    expect(after.scene).toEqual({ [to]: false });
    expect(after.attributes).toMatchObject({ [to]: true });
    expect(after.attributes).not.toHaveProperty(from);
    expect(after.group).toEqual(after.attributes);
    expect(after.recorded).toEqual(past);
    expect((await rename(to, from)).status).toBe(200);
  });

step("a hub that is killed as soon as it has answered has the new name", async () => {
  const past = await recorded("pump");
  expect((await rename("pump", "spout")).status).toBe(200);
  hub.kill("SIGKILL");
  await startAgain();
  const after = await house("spout");
  expect(after).toMatchObject({ rules: { spout: RULES }, scene: { spout: false }, attributes: { spout: true } });
  expect(after.attributes).not.toHaveProperty("pump");
  expect(after.recorded).toEqual(past);
  await runs("spout");
  received = [];
  await hub.request("PATCH", `/devices/${id}/state?wait=false`, { body: { spout: false } });
  await until("the command", () => received.length === 1);
  expect(received).toEqual(["box/pump/set 0"]);
});
