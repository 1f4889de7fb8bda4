// A hub that is stopped leaves no timer: what falls due later would find a closed database. Whatever can begin one has been used before: one
// of everything, every route, rules that wait, and devices that announce themselves, also to a house that is older than their names.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { homeAt } from "../../src/server/home/paths.ts";
import { type DocumentedRoute, fetchDocument } from "../support/documented.ts";
import {
  addressOf,
  createSamples,
  layOutOneOfEach,
  makeOneOfEach,
  nameIn,
  ONE_OF_EACH_TOML,
} from "../support/one-of-each.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";

const BOX = `[[mqtt.users]]
username = "box"
password = "password of the box"
publish = ["homeassistant/#", "relay/#"]
`;
const LOGIN = { username: "box", password: "password of the box", reconnectPeriod: 0, keepalive: 0 };
const RELAY = {
  device: { identifiers: ["relay"], name: "Relay" },
  ...{ unique_id: "relay_power", state_topic: "relay/power", unit_of_measurement: "W" },
  expire_after: 3600,
};
const WAITING = {
  ...{ id: "waiting", name: "Waiting", trigger: { type: "manual_trigger" } },
  actions: [
    { type: "notify", channel: "log", message: "It waits" },
    { type: "delay", duration_secs: 3600 },
  ],
};
/** What ends a session, restarts or leaves would be the end of the others. */
const ENDS = /logout|sessions|restart|upgrade|restore|standby|change-password/;

test("a hub that is stopped leaves no timer", async () => {
  using folder = createTemporaryFolder();
  layOutOneOfEach(folder);
  const clock = createVirtualClock();
  const server = "max_anonymous_requests_per_second = 1000000\n";
  const options = { clock, folder, server, toml: `${BOX}${ONE_OF_EACH_TOML}` };
  let admin: TestHub["admin"];
  {
    await using hub = await startTestHub(options);
    admin = hub.admin;
    await announce(hub, clock);
    await useAll(hub);
    expect(clock.pending()).toContain("readings");
  }
  expect(clock.pending()).toEqual([]);

  forgetNames(homeAt(folder.path).stateDb);
  {
    await using hub = await startTestHub({ ...options, admin });
    await announce(hub, clock);
    await until("its names are to be kept", () => clock.pending().includes("names of attributes"));
  }
  expect(clock.pending()).toEqual([]);
}, 60_000);

async function announce(hub: TestHub, clock: VirtualClock): Promise<void> {
  const client = await connectAsync({ host: "127.0.0.1", port: hub.mqttPort, ...LOGIN });
  await client.publishAsync("homeassistant/sensor/relay/config", JSON.stringify(RELAY), { qos: 1 });
  await client.publishAsync("relay/power", "21", { qos: 1 });
  await until("the device is there", async () => {
    await clock.advance(100);
    const devices = await hub.request("GET", "/devices", { token: hub.adminToken });
    return (await devices.text()).includes("Relay");
  });
  await client.endAsync(true);
}

async function useAll(hub: TestHub): Promise<void> {
  const api = await fetchDocument(hub.api);
  await makeOneOfEach(hub, api);
  const { bodyThatFits } = createSamples(api);
  const ask = (method: string, path: string, body?: unknown) =>
    hub.request(method, path, { token: hub.adminToken, ...(body !== undefined && { body: body as object }) });
  await ask("POST", "/rules", WAITING);
  // Answered when it has ended.
  void ask("POST", "/rules/waiting/run", {}).catch(() => {});
  const lasting = (route: DocumentedRoute): boolean => route.method !== "DELETE" && !ENDS.test(route.path);
  const done: boolean[] = [];
  for (const route of api.routes.filter(lasting)) {
    const name = route.path.includes("{") ? nameIn(route.path) : "";
    const body = route.operation.requestBody ? bodyThatFits(route) : undefined;
    const answer = await ask(route.method, addressOf(route, name), body);
    await answer.body?.cancel();
    done.push(answer.ok);
  }
  // Else nothing would have been begun that could be left.
  expect(done.filter(Boolean).length).toBeGreaterThan(done.length / 2);
}

/** As a house is that was there before names were kept. */
function forgetNames(stateDb: string): void {
  using db = new Database(stateDb);
  db.run("DELETE FROM discovery_names");
}
