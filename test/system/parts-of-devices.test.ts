// Parts of a device on the compiled hub: one that is away keeps its value and is not commanded, one that is taken back has none.
import { afterAll, beforeAll, expect } from "bun:test";
import type { MqttClient } from "mqtt";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { story } from "../support/story.ts";
import { until } from "../support/wait.ts";

const DEVICE = { identifiers: ["boiler"], name: "Boiler" };
const entity = (part: string) => ({
  ...{ unique_id: part, object_id: part, device: DEVICE, state_topic: `b/${part}`, command_topic: `b/${part}/set` },
  availability_topic: `b/${part}/there`,
});

const place = createHubPlace({
  toml: `[[mqtt.users]]
username = "b"
password = "b-password"
publish = ["b/#", "homeassistant/#"]
subscribe = ["b/#"]
`,
});
let hub: HubProcess;
let boiler: MqttClient;
const sets: string[] = [];
const say = (topic: string, payload: string) => boiler.publishAsync(topic, payload, { qos: 1, retain: true });

beforeAll(async () => {
  hub = await place.start();
  boiler = await hub.mqtt({ username: "b", password: "b-password" });
  await boiler.subscribeAsync("b/+/set");
  boiler.on("message", (topic, payload) => sets.push(`${topic} ${payload}`));
  await say("homeassistant/switch/pump/config", JSON.stringify(entity("pump")));
  await say("homeassistant/number/limit/config", JSON.stringify(entity("limit")));
  for (const part of ["pump", "limit"]) await say(`b/${part}/there`, "online");
  await say("b/pump", "ON");
  await say("b/limit", "5");
  await seen({ available: true, attributes: { on: true, limit: 5 } });
});
afterAll(() => place[Symbol.asyncDispose]());

interface Shown {
  available: boolean;
  unavailable?: string[];
  attributes: Record<string, unknown>;
}

/** Waits until it is so. */
async function seen(wanted: Shown): Promise<void> {
  let last: Shown | undefined;
  const is = async (): Promise<boolean> => {
    const { status, json } = await hub.request("GET", "/devices/boiler");
    if (status !== 200) return false;
    const { available, unavailable, attributes } = json<Shown>();
    last = { available, ...(unavailable && { unavailable }), attributes };
    return Bun.deepEquals(last, wanted);
  };
  await until("the boiler", is).catch(() => expect(last).toEqual(wanted));
}

const command = (body: object, query = "") => hub.request("PATCH", `/devices/boiler/state${query}`, { body });
const step = story("parts of a device");

step("one that is away keeps its value, and is not commanded unless forced", async () => {
  await say("b/limit/there", "offline");
  await seen({ available: true, unavailable: ["limit"], attributes: { on: true, limit: 5 } });
  const refused = await command({ limit: 7 });
  expect(refused.status).toBe(409);
  expect(refused.json<{ detail: string }>().detail).toContain('limit of the device "boiler" is not available');
  expect((await command({ on: false })).status).toBe(202);
  expect((await command({ limit: 8 }, "?force=true")).status).toBe(202);
  await until("both commands", () => sets.length === 2);
  expect(sets).toEqual(["b/pump/set OFF", "b/limit/set 8"]);
  const events = await hub.get<{ type: string; unavailable?: string[] }[]>(
    "/events?type=device_attributes_unavailable",
  );
  expect(events.map(({ unavailable }) => unavailable)).toEqual([["limit"]]);
});

step("it is so again after a restart", async () => {
  await hub.end();
  hub = await place.start();
  boiler = await hub.mqtt({ username: "b", password: "b-password" });
  await say("b/pump", "ON");
  await seen({ available: true, unavailable: ["limit"], attributes: { on: true, limit: 5 } });
});

step("the device is away when all of it is", async () => {
  await say("b/pump/there", "offline");
  await seen({ available: false, attributes: { on: true, limit: 5 } });
  for (const part of ["pump", "limit"]) await say(`b/${part}/there`, "online");
  await seen({ available: true, attributes: { on: true, limit: 5 } });
});

step("what is taken back has no value, and its name when it returns", async () => {
  await say("homeassistant/number/limit/config", "");
  await seen({ available: true, attributes: { on: true } });
  await say("homeassistant/number/limit/config", JSON.stringify(entity("limit")));
  await say("b/limit", "6");
  await seen({ available: true, attributes: { on: true, limit: 6 } });
});
