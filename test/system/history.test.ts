// The history of the compiled hub: what comes over MQTT is found again over REST, also after the worst.
import { afterEach, expect, test } from "bun:test";
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import type { MqttClient } from "mqtt";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

let place: HubPlace;
afterEach(() => place[Symbol.asyncDispose]());

interface Sample {
  timestamp: string;
  attribute: string;
  value: unknown;
}
interface Status {
  history: { recording: boolean; samples_recorded: number; samples_dropped: number };
  problems: { part: string; message: string }[];
}

const say = (client: MqttClient, id: string, state: unknown) =>
  client.publishAsync(`hub/devices/${id}/state`, typeof state === "string" ? state : JSON.stringify(state), { qos: 1 });
const history = (hub: HubProcess, id: string, query = "") => hub.get<Sample[]>(`/devices/${id}/history?${query}`);
const status = (hub: HubProcess) => hub.get<Status>("/system/status");
const written = (hub: HubProcess, count: number) =>
  until(`${count} samples are in the file`, async () => (await status(hub)).history.samples_recorded >= count);

test("what was flushed outlives SIGKILL, with its types, and what comes later follows it", async () => {
  place = createHubPlace();
  const first = await place.start();
  const client = await first.mqtt();
  await say(client, "hall", { on: true, level: 3.5, name: "1", color: { x: 0.25 }, tags: ["a"] });
  await say(client, "hall", { on: false, level: 3, name: "1", color: { x: 0.25 }, tags: ["a"] });
  await written(first, 7);
  first.kill("SIGKILL");
  await first.exited;

  const again = await place.start();
  await say(await again.mqtt(), "hall", { on: true, level: 3, name: "1", color: { x: 0.25 } });
  const samples = await until("the last change is found", async () => {
    const found = await history(again, "hall");
    return found.length === 9 ? found : undefined;
  });
  const of = (attribute: string) => samples.filter((one) => one.attribute === attribute).map(({ value }) => value);
  expect({ on: of("on"), level: of("level"), name: of("name"), color: of("color"), tags: of("tags") }).toEqual({
    on: [true, false, true],
    level: [3.5, 3],
    name: ["1"],
    color: [{ x: 0.25 }],
    tags: [["a"], null],
  });
});

for (const [how, harm] of [
  ["overwritten", (file: string) => writeFileSync(file, "this is no database, it is a shopping list\n".repeat(500))],
  ["cut off", (file: string) => truncateSync(file, 5000)],
] as const) {
  test(`a history that was ${how} is set aside, and a new one begun`, async () => {
    place = createHubPlace();
    const first = await place.start();
    await say(await first.mqtt(), "hall", { on: true });
    await written(first, 1);
    await first.end();
    harm(place.at("data", "history.db"));

    const again = await place.start();
    await again.said("history");
    await say(await again.mqtt(), "hall", { on: false });
    await until("it records again", async () => (await history(again, "hall")).at(-1)?.value === false);
    expect(readdirSync(place.at("data")).filter((name) => name.startsWith("history.db.damaged-"))).not.toEqual([]);
    expect(await status(again)).toMatchObject({ history: { recording: true }, problems: [] });
  });
}

test("a history of a newer hub is left alone, said why, and the hub runs", async () => {
  place = createHubPlace();
  const first = await place.start();
  await first.end();
  const { Database } = await import("bun:sqlite");
  const db = new Database(place.at("data", "history.db"));
  db.run("PRAGMA user_version = 99");
  db.close();
  const before = readFileSync(place.at("data", "history.db"));

  const again = await place.start();
  await say(await again.mqtt(), "hall", { on: true });
  const reported = await until("the status says so", async () => {
    const { problems } = await status(again);
    return problems.find(({ part }) => part === "history");
  });
  expect(reported.message).toContain("newer");
  expect((await again.request("GET", "/devices/hall/history")).status).toBe(503);
  await again.end();
  expect(readFileSync(place.at("data", "history.db")).equals(before)).toBe(true);
});

test("10,000 attributes at once, 1,000 changes in a second, and what is no number", async () => {
  place = createHubPlace();
  const hub = await place.start();
  const client = await hub.mqtt();
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a${index}`, index]));
  await say(client, "wide", wide);
  for (let count = 0; count < 1000; count++) await say(client, "fast", { count });
  for (const bad of ['{"x":NaN}', '{"x":1e999}', '{"x":Infinity}']) await say(client, "odd", bad);
  await say(client, "odd", { huge: 1.7e308, tiny: 5e-324, whole: 9007199254740991, deep: { a: [{ b: null }] } });
  await written(hub, 11_004);
  expect((await history(hub, "wide", "limit=10000")).length).toBe(10_000);
  const counts = (await history(hub, "fast", "limit=2000")).map(({ value }) => value);
  expect(counts).toEqual(Array.from({ length: 1000 }, (_, index) => index));
  const odd = Object.fromEntries((await history(hub, "odd")).map(({ attribute, value }) => [attribute, value]));
  expect(odd).toEqual({ huge: 1.7e308, tiny: 5e-324, whole: 9007199254740991, deep: { a: [{ b: null }] } });
  const decade = await hub.get<unknown[]>("/devices/fast/history?from=2016-01-01&to=2027-01-01&bucket=1w&agg=count");
  expect(decade.length).toBeGreaterThan(0);
  const tooFine = await hub.request("GET", "/devices/fast/history?from=2016-01-01&to=2027-01-01&bucket=1s");
  expect(tooFine.status).toBe(400);
  expect(tooFine.text).toContain("bucket");
});
