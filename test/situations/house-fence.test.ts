// A hub that may not be the hub of its house any more: what would change it is refused, since it would be lost, and reading goes on.
import { afterAll, beforeAll, expect } from "bun:test";
import { systemClock } from "../../src/kit/time/clock.ts";
import { openMcpClient } from "../api/mcp/mcp-client.ts";
import {
  type BrokerProcess,
  type ExternalHub,
  retained,
  startBroker,
  startExternalHub,
} from "../reach/mqtt/external/rig.ts";
import { createTestStanding, type TestStanding } from "../support/fake-standing.ts";
import { story } from "../support/story.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";

const HOUSE = "house-hub";
const TOML = `client_id = "${HOUSE}"\n[mcp]\nenabled = true\n`;
const RULE = `(id: "bell", name: "Bell", trigger: WebhookReceived(path: "bell", secret: "a secret of the bell"),
  actions: [LogMessage(message: "rung")])`;
const OTHER = { id: "machine-b", name: "attic", address: "http://192.168.1.21:8080" };

const folder = createTemporaryFolder();
let broker: BrokerProcess;
let standing: TestStanding;
let hub: ExternalHub;
let key: string;

beforeAll(async () => {
  broker = await startBroker();
  const device = await broker.client();
  await device.publishAsync("hub/devices/lamp/state", '{"on":false}', retained);
  await device.publishAsync("hub/devices/lamp/availability", "online", retained);
  standing = createTestStanding(systemClock, { epoch: 5 });
  await Bun.write(folder.at("rules", "bell.ron"), RULE);
  hub = await startExternalHub(`mqtt://127.0.0.1:${broker.port}`, { folder, toml: TOML, standing });
  await hub.connected();
  await until("the device", () => hub.device("lamp"));
  expect((await ask("POST", "/standby/pair", { machine: OTHER })).status).toBe(200);
  const made = await ask("POST", "/auth/api-keys", { label: "assistant", scopes: ["mcp"], read_only: false });
  key = String(made.body.key);
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await broker[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

async function ask(method: string, path: string, body?: unknown, token = hub.adminToken): Promise<Answer> {
  const answer = await hub.request(method, path, { token, ...(body !== undefined && { body }) });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
}

const variables = () => ask("GET", "/variables");
const ring = (method: string) => ask(method, "/webhooks/bell?secret=a%20secret%20of%20the%20bell");
const rung = async () =>
  JSON.stringify((await ask("GET", "/rules/bell/traces")).body).split("webhook_received").length - 1;

/** Each would be lost, or would do something to a house that is another machine's. */
const WRITES: [string, () => Promise<Answer>][] = [
  ["a variable", () => ask("PUT", "/variables/guests", { value: 3 })],
  ["a command", () => ask("PATCH", "/devices/lamp/state", { on: true })],
  ["a rule that is removed", () => ask("DELETE", "/rules/bell")],
  ["a user", () => ask("POST", "/auth/users", { username: "eve", password: "password of eve", role: "user" })],
  ["a login", () => ask("POST", "/auth/login", hub.admin)],
  ["a webhook", () => ring("POST")],
  ["a webhook of something that can only open a URL", () => ring("GET")],
  ["a pairing", () => ask("POST", "/standby/pair", { machine: { ...OTHER, id: "machine-c" } })],
];

/** What a refusal says; its address is that of the other machine, as people and programs find it. */
async function expectRefusals(says: string): Promise<void> {
  const before = [await variables(), await rung()];
  for (const [what, write] of WRITES) {
    const { status, body } = await write();
    const detail = String(body.detail);
    expect({ what, status, code: body.code, hub: body.hub, detail }).toEqual({
      ...{ what, status: 503, code: "unavailable", hub: OTHER.address },
      detail: expect.stringContaining(says),
    });
    expect(detail).toEndWith(`; nothing was changed; the other machine is attic, ${OTHER.address}`);
  }
  await using assistant = await openMcpClient(new URL("/mcp", hub.api), key);
  const refused = await assistant.fail("command_device", { id: "lamp", state: { on: true } });
  expect(JSON.parse(refused)).toMatchObject({ code: "unavailable", error: expect.stringContaining(says) });
  expect(await assistant.ask("get_device", { id: "lamp" })).toMatchObject({ id: "lamp" });
  expect([await variables(), await rung()]).toEqual(before);
  for (const path of ["/devices/lamp", "/rules", "/system/status", "/health", "/standby"])
    expect({ path, status: (await ask("GET", path)).status }).toEqual({ path, status: 200 });
  expect((await hub.request("OPTIONS", "/devices")).status).toBeLessThan(500);
  await using _stream = await hub.openStream();
}

const step = story("a hub whose house may be another machine's");

step("as long as another machine may be the hub, writes are refused; afterwards they are accepted again", async () => {
  const engine = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  standing.lease.engine = () => {
    asked.resolve();
    return engine.promise;
  };
  const reporter = await broker.client();
  const note = { epoch: 6, machine: OTHER.id, name: OTHER.name, house: HOUSE };
  await reporter.publishAsync("hub/epoch", JSON.stringify(note), retained);
  await asked.promise;
  await expectRefusals('this machine may no longer be the hub of this house: the machine "attic" has taken over');
  engine.resolve();
  await until("the fence is open", async () => (await WRITES[0]?.[1]())?.status === 200);
  expect((await variables()).body).toMatchObject([{ name: "guests", value: 3 }]);
  expect((await ask("POST", "/auth/login", hub.admin)).status).toBe(200);
  expect([(await ring("POST")).status, (await ring("GET")).status]).toEqual([202, 202]);
  await using assistant = await openMcpClient(new URL("/mcp", hub.api), key);
  expect(await assistant.ask("command_device", { id: "lamp", state: { on: true } })).toBeDefined();
  expect(standing.steps).toEqual([]);
});

step("from the end of its lease until it has stopped, writes are refused", async () => {
  standing.lease.until = 0;
  await expectRefusals("this machine is no longer the hub of this house: its lease has ended");
  expect(standing.steps).toEqual(["its lease has ended"]);
});
