// The compiled hub in the home of a former version that turned `contact` round, killed in the moment in which it finds out: the door, its past
// and a rule about it, and `hub rules turn`.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../src/kit/schema/json.ts";
import { ANNOUNCED, DOOR, PAST, putFormerDoor } from "../support/former-door.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const RULE = `(
    id: "${ID}",
    name: "Front door",
    trigger: DeviceStateChanged(device_id: "${DOOR}", attribute: "contact", to: true),
    actions: [LogMessage(message: "opened")],
)
`;
const MAILBOX = `(
    id: "22222222-2222-4222-8222-222222222222",
    name: "Doors",
    trigger: DeviceStateChanged(device_ids: ["${DOOR}", "mailbox"], attribute: "contact", to: true),
    actions: [LogMessage(message: "opened")],
)
`;
const toml = `[[mqtt.users]]
username = "z2m"
password = "z2m-password"
publish = ["zigbee2mqtt/#"]
subscribe = ["zigbee2mqtt/#"]
`;

async function say(hub: HubProcess, topic: string, payload: unknown): Promise<void> {
  const bridge = await hub.mqtt({ username: "z2m", password: "z2m-password" });
  const retain = topic.startsWith("bridge/");
  await bridge.publishAsync(`zigbee2mqtt/${topic}`, JSON.stringify(payload), { qos: 1, retain });
  await bridge.endAsync();
}

const attributes = async (hub: HubProcess): Promise<JsonObject> =>
  (await hub.get<{ attributes: JsonObject }>(`/devices/${DOOR}`)).attributes;
const recorded = async (hub: HubProcess, attribute: string): Promise<unknown[]> =>
  (
    await hub.get<{ value: unknown }[]>(`/devices/${DOOR}/history?from=2026-01-01T00:00:00Z&attribute=${attribute}`)
  ).map(({ value }) => value);

test("a door of a former version is open when it is open, and its rule fires then, once it is turned", async () => {
  await using place = createHubPlace({ toml });
  await place.layOut();
  putFormerDoor(place.at("data"));
  place.put("rules/front.ron", RULE);
  place.put("rules/doors.ron", MAILBOX);

  const first = await place.start();
  const client = await first.mqtt();
  await client.publishAsync("hub/devices/mailbox/state", JSON.stringify({ contact: true }), { qos: 1 });
  await say(first, "bridge/devices", [ANNOUNCED]);
  await until("the door is known", async () => (await attributes(first)).open === true);
  first.kill("SIGKILL");
  await first.exited;

  const hub = await place.start();
  await say(hub, "bridge/devices", [ANNOUNCED]);
  expect(await attributes(hub)).toEqual({ contact: false, open: true, voltage: 3005, battery: 90 });
  expect((await recorded(hub, "open")).slice(0, 3)).toEqual(PAST.map(([, isOpen]) => isOpen));
  const url = ["--url", `http://127.0.0.1:${hub.port}`];

  const shown = await place.run(["rules", "turn", "--dry-run", "front", ...url]);
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toBe(`Front door (front.ron): would be turned
  front door: contact is open now
  4 - trigger: DeviceStateChanged(device_id: "${DOOR}", attribute: "contact", to: true),
  4 + trigger: DeviceStateChanged(device_id: "${DOOR}", attribute: "open", to: true),
`);
  expect(place.read("rules/front.ron")).toBe(RULE);

  const turned = await place.run(["rules", "turn", ...url]);
  expect(turned.code).toBe(1);
  expect(turned.stdout).toContain("Front door (front.ron): turned\n");
  expect(turned.stdout).toContain('Doors (doors.ron): not changed, "contact" still means the same of mailbox');
  expect(place.read("rules/front.ron")).toBe(RULE.replace('"contact"', '"open"'));
  expect(place.read("rules/doors.ron")).toBe(MAILBOX);
  expect(await place.run(["rules", "turn", "front", ...url])).toMatchObject({
    code: 0,
    stdout: "nothing to turn: no rule uses an attribute that is called otherwise now\n",
  });

  const fired = async (): Promise<number> =>
    (await hub.get<{ outcome: string }[]>(`/rules/${ID}/traces`)).filter(({ outcome }) => outcome === "fired").length;
  await say(hub, "front door", { contact: true });
  await say(hub, "front door", { contact: false });
  await until("it fires", async () => (await fired()) === 1);
  await say(hub, "front door", { contact: true });
  await until("it is closed", async () => (await attributes(hub)).open === false);
  expect(await fired()).toBe(1);
  // What a killed hub knew of it is recorded by the next one, although nothing had happened.
  const changes = (values: unknown[]) => values.filter((value, index) => value !== values[index - 1]);
  expect(changes(await recorded(hub, "open"))).toEqual([...PAST.map(([, isOpen]) => isOpen), false, true, false]);
  expect(changes(await recorded(hub, "contact"))).toEqual([false, true, false, true]);
  await hub.end();
  expect((await place.run(["rules", "turn"])).stderr).toContain("is not running");
});
