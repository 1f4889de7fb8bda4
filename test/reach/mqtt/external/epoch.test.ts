// Two machines of one house at one broker: the note of the epoch orders the older hub to stop, and the lease decides.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createTestStanding, type TestStanding } from "../../../support/fake-standing.ts";
import { unanswered } from "../../../support/unanswered.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";
import { until } from "../../../support/wait.ts";
import { type BrokerProcess, type Client, type ExternalHub, retained, startBroker } from "./rig.ts";
import { startVirtualHub, type VirtualHubOptions } from "./virtual-hub.ts";

const ID = "house-hub";
const TOML = `client_id = "${ID}"\n`;
let broker: BrokerProcess;
let watcher: Client;
let clock: VirtualClock;

beforeAll(async () => {
  broker = await startBroker();
  watcher = await broker.client();
  await watcher.subscribeAsync("hub/#", { qos: 1 });
  await watcher.publishAsync("hub/devices/lamp/state", '{"on":false}', retained);
  await watcher.publishAsync("hub/devices/lamp/availability", "online", retained);
});
afterAll(async () => broker[Symbol.asyncDispose]());
beforeEach(() => {
  clock = createVirtualClock();
});

const url = () => `mqtt://127.0.0.1:${broker.port}`;
const start = (standing: TestStanding, options: VirtualHubOptions = {}) =>
  startVirtualHub(url(), { toml: TOML, standing, clock, ...options });
/** The hub waits for two seconds for a note that the broker does not keep. */
const NO_NOTE = { unanswered: true };
const noteOf = (machine: string, epoch: number, house = ID) => JSON.stringify({ epoch, machine, name: machine, house });
const say = (text: string) => watcher.publishAsync("hub/epoch", text, retained);

/** What the broker keeps. */
async function kept(): Promise<string | undefined> {
  const asks = await broker.client();
  await asks.subscribeAsync("hub/epoch", { qos: 1 });
  await asks.subscribeAsync("asks/end", { qos: 1 });
  await asks.publishAsync("asks/end", "", { qos: 1 });
  await until("the answer", () => asks.messages.some(({ topic }) => topic === "asks/end"));
  asks.end(true);
  return asks.messages.find(({ topic }) => topic === "hub/epoch")?.text;
}

async function command(hub: ExternalHub) {
  const sending = hub.request("PATCH", "/devices/lamp/state", { token: hub.adminToken, body: { on: true } });
  const answer = await unanswered(clock, sending);
  return { status: answer.status, text: await answer.text() };
}

test("the epoch is reported before anything else, and the broker keeps it", async () => {
  await say("");
  watcher.messages.length = 0;
  const standing = createTestStanding(clock, { epoch: 4 });
  await using hub = await start(standing, NO_NOTE);
  await hub.back();
  await until("the device", () => hub.device("lamp"));
  expect((await command(hub)).status).toBe(202);
  const sent = await until("the command", () => watcher.messages.find(({ topic }) => topic === "hub/devices/lamp/cmd"));
  expect(JSON.parse(sent.text)).toMatchObject({ _hc: { command: { epoch: 4 } } });
  const topics = watcher.messages.map(({ topic }) => topic).filter((topic) => !topic.includes("_probe"));
  expect(topics.indexOf("hub/epoch")).toBeLessThan(topics.indexOf("hub/devices/lamp/cmd"));
  expect(JSON.parse((await kept()) ?? "")).toEqual({ epoch: 4, machine: "machine-a", name: "kitchen", house: ID });
  expect(standing.steps).toEqual([]);
});

test("a hub that a person has replaced does not even take the other one's place at the broker", async () => {
  await say(noteOf("machine-b", 2));
  // The other machine's hub.
  const other = await broker.client({ clientId: ID });
  const standing = createTestStanding(clock, { epoch: 1, leased: false });
  await using hub = await start(standing, { logsIn: false });
  await until("it says so", () =>
    hub.platform.stdout.text.includes(
      'the machine \\"machine-b\\" has taken over, as the MQTT broker says (epoch 2, here 1)',
    ),
  );
  await until("it steps down", () => standing.steps.length === 1);
  const login = await hub.request("POST", "/auth/login", { body: hub.admin });
  expect({ status: login.status, text: await login.text() }).toMatchObject({
    ...{ status: 503, text: expect.stringContaining("is no longer the hub") },
  });
  expect(other.connected).toBe(true);
  expect(await kept()).toBe(noteOf("machine-b", 2));
  other.end(true);
});

test("a note that is older, of another house, or of this machine itself, stops nobody", async () => {
  for (const note of [noteOf("machine-b", 2), noteOf("machine-b", 9, "other-house"), noteOf("machine-a", 9), "{}"]) {
    await say(note);
    const standing = createTestStanding(clock, { epoch: 3, leased: false });
    await using hub = await start(standing);
    await hub.connected();
    await until(
      "its own note",
      async () => (await kept()) === JSON.stringify({ epoch: 3, machine: "machine-a", name: "kitchen", house: ID }),
    );
    expect(standing.steps).toEqual([]);
  }
});

test("where the lease's engine lost its epochs, the hub that has the lease stays the hub", async () => {
  await say(noteOf("machine-b", 17));
  const standing = createTestStanding(clock, { epoch: 1 });
  await using hub = await start(standing);
  await hub.connected();
  await until("its own note", async () => JSON.parse((await kept()) ?? "{}").epoch === 1);
  expect(standing.steps).toEqual([]);
});

test("while it runs, a later epoch refuses everything at once, until the lease's engine has answered", async () => {
  await say("");
  const standing = createTestStanding(clock, { epoch: 5 });
  await using hub = await start(standing, NO_NOTE);
  await hub.back();
  await until("the device", () => hub.device("lamp"));
  const engine = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  standing.lease.engine = () => {
    asked.resolve();
    return engine.promise;
  };
  await say(noteOf("machine-b", 6));
  await asked.promise;
  expect(await command(hub)).toMatchObject({ status: 503, text: expect.stringContaining("may no longer be the hub") });
  expect(standing.steps).toEqual([]);
  standing.lease.until = 0;
  engine.resolve();
  await until("it steps down", () => standing.steps.length === 1);
  expect(await command(hub)).toMatchObject({ status: 503, text: expect.stringContaining("is no longer the hub") });
  expect(await kept()).toBe(noteOf("machine-b", 6));
});

test("an older hub that comes back is contradicted", async () => {
  await say("");
  const standing = createTestStanding(clock, { epoch: 5 });
  await using hub = await start(standing, NO_NOTE);
  await hub.back();
  await say(noteOf("machine-b", 4));
  await until("its own note", async () => JSON.parse((await kept()) ?? "{}").epoch === 5);
  expect(standing.steps).toEqual([]);
});

test("another program takes the session: with the lease the hub connects again, without it steps down", async () => {
  await say("");
  const standing = createTestStanding(clock, { epoch: 5 });
  await using hub = await start(standing, NO_NOTE);
  await hub.back();
  const first = await broker.client({ clientId: ID });
  await hub.back();
  expect(standing.steps).toEqual([]);
  first.end(true);
  standing.lease.until = 0;
  const second = await broker.client({ clientId: ID });
  await until("it steps down", () => standing.steps.length === 1);
  await hub.troubled("no longer the hub");
  expect(second.connected).toBe(true);
  second.end(true);
});

test("what waits for the broker is not sent after the lease has ended", async () => {
  const standing = createTestStanding(clock, { epoch: 5 });
  await using first = await startBroker();
  const { port } = first;
  await using hub = await startVirtualHub(`mqtt://127.0.0.1:${port}`, { toml: TOML, standing, clock, ...NO_NOTE });
  await hub.back();
  const device = await first.client();
  await device.publishAsync("hub/devices/lamp/state", '{"on":false}', retained);
  await device.publishAsync("hub/devices/lamp/availability", "online", retained);
  await until("the device", async () => (await hub.device("lamp"))?.available);
  await first.kill();
  await hub.troubled("is gone");
  const waits = command(hub);
  standing.lease.until = 0;
  await using second = await startBroker({ port });
  const listens = await second.client();
  await listens.subscribeAsync("hub/#", { qos: 1 });
  expect(await waits).toMatchObject({ status: 503, text: expect.stringContaining("no longer the hub") });
  await hub.says("no longer the hub");
  expect(listens.messages).toEqual([]);
  expect(standing.steps).toEqual(["its lease has ended"]);
});
