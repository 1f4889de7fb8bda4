// The limits on devices, as plugins and people see them: over MQTT and HTTP.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { jsonBytes } from "../../../src/kit/schema/memory-size.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

const USERS = ["ann", "ben"].map((name) => `[[mqtt.users]]\nusername = "${name}"\npassword = "of ${name}"\n`).join("");
const LIMITS = `${USERS}[devices]\nmax_device_kb = 64\nmax_mb_per_account = 1\nmax_mb = 1.5`;
let hub: TestHub;
const clients: MqttClient[] = [];

beforeAll(async () => {
  hub = await startTestHub({ toml: LIMITS });
});
afterAll(async () => {
  for (const client of clients) await client.endAsync(true);
  await hub[Symbol.asyncDispose]();
});

async function client(name: string, of = hub): Promise<MqttClient> {
  const made = await connectAsync({ host: "127.0.0.1", port: of.mqttPort, username: name, password: `of ${name}` });
  clients.push(made);
  return made;
}

async function get<T>(path: string, of = hub): Promise<T> {
  return (await (await of.request("GET", path, { token: of.adminToken })).json()) as T;
}

const devices = (of = hub) =>
  get<{ id: string; plugin_id: string; attributes: Record<string, unknown> }[]>("/devices", of);
const problems = async (of = hub) => (await get<{ problems: { message: string }[] }>("/system/status", of)).problems;

describe("the memory of devices is limited", () => {
  test("a device that reports ever more attributes stops growing, with a reason, and can still change those it has", async () => {
    const ann = await client("ann");
    const say = (report: object) =>
      ann.publishAsync("hub/devices/grower/state/partial", JSON.stringify(report), { qos: 1 });
    for (let count = 0; count < 200; count++) await say({ [`name_${count}`]: "x".repeat(1000) });
    await say({ name_0: "still accepted" });
    const grower = await until("the last report", async () =>
      (await devices()).find(({ id, attributes }) => id === "grower" && attributes.name_0 === "still accepted"),
    );
    const names = Object.keys(grower.attributes);
    expect(names.length).toBeGreaterThan(50);
    expect(names.length).toBeLessThan(64);
    // The last accepted one is complete.
    expect(grower.attributes[names.at(-1) ?? ""]).toBe("x".repeat(1000));
    expect(await problems()).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining("[devices] max_device_kb, reached by ann") }),
    );
    expect(hub.platform.stdout.text).toContain("an MQTT message was ignored");
    // A change that takes no more memory than before is accepted, even at the limit.
    await say(Object.fromEntries(names.slice(1).map((name) => [name, null])));
    await say({ afterwards: "x".repeat(5000) });
    await until("space again", async () => (await devices()).find(({ attributes }) => attributes.afterwards));
  });

  test("the description counts as well: a schema, capabilities", async () => {
    const ann = await client("ann");
    const text = "x".repeat(70_000);
    await ann.publishAsync("hub/devices/described/schema", JSON.stringify({ text }), { qos: 1 });
    const register = { device_id: "described", name: "Described", capabilities: { text } };
    await ann.publishAsync("hub/plugins/ann/register", JSON.stringify(register), { qos: 1 });
    await ann.publishAsync("hub/devices/described/state", '{"on":true}', { qos: 1 });
    await until("its state", async () => (await devices()).find(({ id }) => id === "described"));
    expect(await get("/devices/described")).toMatchObject({ name: "described", schema: null, capabilities: null });
  });

  test("values that are small as text and large in memory are counted by their memory", async () => {
    const ann = await client("ann");
    await ann.publishAsync("hub/devices/lists/state", `{"lists":[${"[],".repeat(2000)}[]]}`, { qos: 1 });
    await ann.publishAsync("hub/devices/behind/state", '{"on":true}', { qos: 1 });
    await until("the one behind it", async () => (await devices()).some(({ id }) => id === "behind"));
    expect((await devices()).map(({ id }) => id)).not.toContain("lists");
    expect(jsonBytes(JSON.parse(`[${"[],".repeat(2000)}[]]`))).toBeGreaterThan(140_000);
  });

  test("there is a limit for each account, and one for all together", async () => {
    // It takes all the memory there is.
    await using own = await startTestHub({ toml: LIMITS });
    const [ann, ben] = [await client("ann", own), await client("ben", own)];
    const flood = async (who: MqttClient, name: string) => {
      for (let count = 0; count < 60; count++)
        await who.publishAsync(`hub/devices/${name}_${count}/state`, `{"text":"${"x".repeat(40_000)}"}`, { qos: 1 });
    };
    const of = (all: { plugin_id: string }[], name: string) => all.filter((one) => one.plugin_id === name).length;
    await flood(ann, "ann");
    await flood(ben, "ben");
    const reached = ["max_mb_per_account, reached by ann", "max_mb, reached by all"].map((one) => `[devices] ${one}`);
    await until("both were reached", async () => {
      const messages = (await problems(own)).map(({ message }) => message);
      return reached.every((one) => messages.some((message) => message.includes(one)));
    });
    const all = await devices(own);
    expect(of(all, "ann")).toBeGreaterThan(20);
    expect(of(all, "ann")).toBeLessThan(30);
    expect(of(all, "ben")).toBeGreaterThan(8);
    expect(of(all, "ben")).toBeLessThan(16);
    // A removed device frees its memory.
    await own.request("DELETE", "/devices/ann_0", { token: own.adminToken });
    await ben.publishAsync("hub/devices/ben_again/state", `{"text":"${"x".repeat(30_000)}"}`, { qos: 1 });
    await until("ben's", async () => (await devices(own)).some(({ id }) => id === "ben_again"));
    for (const one of [ann, ben]) await one.endAsync(true);
  });
});

test("the number of devices is limited, for an account and in all; existing devices can still report", async () => {
  await using own = await startTestHub({ toml: `${USERS}[devices]\nmax_devices_per_account = 3\nmax_devices = 5` });
  const as = (username: string) =>
    connectAsync({ host: "127.0.0.1", port: own.mqttPort, username, password: `of ${username}` });
  const [ann, ben] = [await as("ann"), await as("ben")];
  const say = (who: MqttClient, id: string, report: object) =>
    who.publishAsync(`hub/devices/${id}/state`, JSON.stringify(report), { qos: 1 });
  const ask = async <T>(path: string) =>
    (await (await own.request("GET", path, { token: own.adminToken })).json()) as T;
  const known = async () =>
    (await ask<{ id: string; plugin_id: string }[]>("/devices"))
      .filter(({ plugin_id }) => plugin_id !== "core")
      .map(({ id }) => id);
  for (let n = 0; n < 5; n++) await say(ann, `ann_${n}`, { on: true });
  const register = { device_id: "ann_9", name: "Another" };
  await ann.publishAsync("hub/plugins/ann/register", JSON.stringify(register), { qos: 1 });
  for (let n = 0; n < 5; n++) await say(ben, `ben_${n}`, { on: true });
  await say(ann, "ann_0", { on: false, level: 3 });
  await until(
    "the last report",
    async () => (await ask<{ attributes: { level?: number } }>("/devices/ann_0")).attributes.level === 3,
  );
  expect(await known()).toEqual(["ann_0", "ann_1", "ann_2", "ben_0", "ben_1"]);
  const found = (await ask<{ problems: { message: string }[] }>("/system/status")).problems;
  const messages = found.map(({ message }) => message).join("\n");
  expect(messages).toContain("[devices] max_devices_per_account, reached by ann");
  expect(messages).toContain("[devices] max_devices, reached by all");
  // A removed device makes a new one possible, for its account and for others.
  await own.request("DELETE", "/devices/ann_1", { token: own.adminToken });
  await say(ben, "ben_9", { on: true });
  await until("ben's", async () => (await known()).includes("ben_9"));
  for (const one of [ann, ben]) await one.endAsync(true);
});

test("GET /devices answers in pages of some megabytes, and the Link header leads to the next", async () => {
  await using own = await startTestHub();
  const flood = await connectAsync({ host: "127.0.0.1", port: own.mqttPort });
  for (let count = 0; count < 45; count++)
    await flood.publishAsync(`hub/devices/d${count}/state`, `{"text":"${"x".repeat(400_000)}"}`, { qos: 1 });
  const page = async (query: string) => {
    const response = await own.request("GET", `/devices${query}`, { token: own.adminToken });
    const text = await response.text();
    const next = /after=(\w+)/.exec(response.headers.get("link") ?? "")?.[1];
    return { ids: (JSON.parse(text) as { id: string }[]).map(({ id }) => id), bytes: text.length, next };
  };
  await until("the last", async () => (await own.request("GET", "/devices/d44", { token: own.adminToken })).ok);
  const ids: string[] = [];
  let query = "";
  for (let count = 0; count < 10; count++) {
    const one = await page(query);
    expect(one.bytes).toBeLessThan(8_900_000);
    ids.push(...one.ids);
    if (one.next === undefined) break;
    query = `?after=${one.next}`;
  }
  expect(ids).toEqual(Array.from({ length: 45 }, (_, index) => `d${index}`));
  expect((await own.request("GET", "/devices?after=gone", { token: own.adminToken })).status).toBe(409);
  await flood.endAsync(true);
});
