// Who is available after a restart of the hub, and what rules learn of it.
import { expect, test } from "bun:test";
import { connectAsync, type MqttClient } from "mqtt";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";

const TOML = ["lamps", "blinds"]
  .map((name) => `[[mqtt.users]]\nusername = "${name}"\npassword = "password-of-${name}"\n`)
  .join("");
const RULE = `(id: "back", name: "Back", trigger: DeviceAvailabilityChanged(), actions: [LogMessage(message: "changed")])`;

async function get<T>(hub: TestHub, path: string): Promise<T> {
  return (await (await hub.request("GET", path, { token: hub.adminToken })).json()) as T;
}

const connect = (hub: TestHub, username: string): Promise<MqttClient> =>
  connectAsync({
    ...{ host: "127.0.0.1", port: hub.mqttPort, reconnectPeriod: 0, keepalive: 0 },
    ...{ username, password: `password-of-${username}` },
  });
const say = (client: MqttClient, topic: string, payload: object) =>
  client.publishAsync(`hub/${topic}`, JSON.stringify(payload), { qos: 1 });
const availables = async (hub: TestHub): Promise<string[]> =>
  (await get<{ id: string }[]>(hub, "/devices?available=true")).map(({ id }) => id).sort();

test("after a restart a device is available when its plugin is back, and not before; rules take neither for news", async () => {
  using folder = createTemporaryFolder();
  const clock = createVirtualClock();
  const options = { folder, clock, toml: TOML };
  let admin: TestHub["admin"];
  {
    await using hub = await startTestHub(options);
    admin = hub.admin;
    await hub.request("POST", "/switches", { token: hub.adminToken, body: { id: "guests" } });
    const [lamps, blinds] = [await connect(hub, "lamps"), await connect(hub, "blinds")];
    for (const id of ["lamp", "spare"]) await say(lamps, "plugins/lamps/register", { device_id: id, name: id });
    await say(blinds, "plugins/blinds/register", { device_id: "blind", name: "blind" });
    await say(blinds, "devices/blind/state", { position: 0 });
    await until("they are there", async () => (await availables(hub)).length === 4);
    await clock.advance(2_000);
    await Bun.write(folder.at("rules", "back.ron"), RULE);
    for (const client of [lamps, blinds]) client.end(true);
  }
  await using hub = await startTestHub({ ...options, admin });
  expect(await availables(hub)).toEqual(["guests"]);
  const refused = await hub.request("PATCH", "/devices/lamp/state", { token: hub.adminToken, body: { on: false } });
  expect(refused.status).toBe(409);
  const lamps = await connect(hub, "lamps");
  // A message about one of its devices is a sign of life of the account.
  await say(lamps, "devices/lamp/state/partial", { on: true });
  await until("its devices are", async () => (await availables(hub)).length === 3);
  expect(await availables(hub)).toEqual(["guests", "lamp", "spare"]);
  const changes = () => get<{ available: boolean }[]>(hub, "/events?type=device_availability_changed");
  expect(await changes()).toMatchObject([
    { device_id: "spare", available: true, after_restart: true },
    { device_id: "lamp", available: true, after_restart: true },
  ]);
  const fired = async () => (await get<{ fire_count: number }>(hub, "/rules/back")).fire_count;
  expect(await fired()).toBe(0);
  await clock.advance(60_000);
  await say(lamps, "plugins/lamps/heartbeat", { version: "1" });
  await clock.advance(60_000);
  const gone = (await changes()).filter(({ available }) => !available);
  expect(gone).toMatchObject([{ device_id: "blind", available: false }]);
  await until("the rule fires for the one that is gone", async () => (await fired()) === 1);
  lamps.end(true);
});
