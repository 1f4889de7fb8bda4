// Profiles in a whole hub: its home's folder, its broker, its API and what it lists as problems.
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { connectAsync } from "mqtt";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { startTestHub } from "../../support/test-hub.ts";
import { until } from "../../support/wait.ts";

const ACCOUNT = `[[mqtt.users]]
username = "valves"
password = "of the valves"
publish = ["valve/#"]
subscribe = ["valve/#"]
`;
const VALVE = `topic = "valve/{id}/state"
[attributes.on]
map = { OPEN = true, CLOSE = false }
[attributes.on.command]
topic = "valve/{id}/set"
`;

async function startHub() {
  const folder = createTemporaryFolder();
  mkdirSync(folder.at("config/profiles"), { recursive: true });
  const save = (text: string): void => writeFileSync(folder.at("config/profiles/valve.toml"), text);
  save(VALVE);
  const hub = await startTestHub({ folder, toml: ACCOUNT });
  const client = await connectAsync(`mqtt://127.0.0.1:${hub.mqttPort}`, {
    username: "valves",
    password: "of the valves",
  });
  const get = async (path: string): Promise<unknown> =>
    (await hub.request("GET", path, { token: hub.adminToken })).json();
  return {
    ...{ hub, client, save, get },
    device: () => get("/devices/valve_roof") as Promise<{ attributes?: { on?: boolean } }>,
    problems: async () =>
      ((await get("/system/status")) as { problems: { part: string; message: string }[] }).problems.filter(
        ({ part }) => part === "profiles",
      ),
    async [Symbol.asyncDispose]() {
      await client.endAsync();
      await hub[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

test("a device that announces nothing appears, is listed, is commanded, and follows its profile when that is edited", async () => {
  await using house = await startHub();
  const { hub, client, save } = house;
  const isOpen = async (): Promise<boolean> => (await house.device()).attributes?.on === true;
  const incoming: string[] = [];
  client.on("message", (topic, payload) => incoming.push(`${topic} ${payload}`));
  await client.subscribeAsync("valve/+/set");
  await client.publishAsync("valve/roof/state", "OPEN", { qos: 1 });
  await until("the valve is open", isOpen);
  expect(await house.get("/discovery")).toEqual([
    expect.objectContaining({ source: "profiles", account: "valves", state: "accepted", device_id: "valve_roof" }),
  ]);

  const command = await hub.request("PATCH", "/devices/valve_roof/state", {
    token: hub.adminToken,
    body: { on: false },
  });
  expect(command.status).toBe(202);
  await until("the valve is ordered to close", () => incoming.includes("valve/roof/set CLOSE"));

  save(VALVE.replace("[attributes.on]\nmap", "[attributes.on]\nmapp"));
  await until("the mistake is listed", async () => (await house.problems()).length === 1);
  expect(await house.problems()).toEqual([
    {
      part: "profiles",
      message: expect.stringMatching(/valve\.toml:3: attributes\.on\.mapp: unknown key "mapp" – did you mean "map"\?$/),
    },
  ]);
  save(VALVE.replace("OPEN", "UP"));
  await until("the mistake is mended", async () => (await house.problems()).length === 0);
  await client.publishAsync("valve/roof/state", "CLOSE", { qos: 1 });
  await until("the valve is closed", async () => !(await isOpen()));
  await client.publishAsync("valve/roof/state", "UP", { qos: 1 });
  await until("the valve is open by its new word", isOpen);
});
