// The first rule of the README on the compiled hub that is killed during its delay: the lamp goes off at the right second.
// Over 10 s: the delay of that rule.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { downloadBackup } from "../support/archives.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const README = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");
const [, RULE = ""] = /^```ron\n(\(\n {4}id: "door-light".*?)^```$/ms.exec(README) ?? [];
const DELAY_MS = 10_000;
const LAMP = "virtual_light_living_room";

interface RunBody {
  id: string;
  waits: { path: string; until: string }[];
}
interface TraceBody {
  id: string;
  why: string;
  actions: { type: string; result: string }[];
}

const isOn = async (hub: HubProcess): Promise<unknown> =>
  (await hub.get<{ attributes: { on?: boolean } }>(`/devices/${LAMP}`)).attributes.on;

async function turnOn(hub: HubProcess): Promise<number> {
  return (await hub.request("PATCH", `/devices/${LAMP}/state`, { body: { on: true } })).status;
}

function createHouse(): HubPlace {
  const place = createHubPlace({
    toml: '[[plugins]]\nid = "virtual"\nbinary = "plugins/virtual/bin/virtual.js"\nenabled = true\n',
  });
  place.put("rules/door-light.ron", RULE);
  return place;
}

/** Opens the door, and gives the run that waits. */
async function open(hub: HubProcess): Promise<RunBody> {
  await until(
    "the house is there",
    async () => (await hub.request("GET", "/devices/virtual_front_door")).status === 200,
  );
  await hub.request("PATCH", "/devices/virtual_front_door/state", { body: { open: true } });
  await until("the lamp is on", () => isOn(hub));
  return until("the rule waits", async () => (await hub.get<RunBody[]>("/rules/door-light/runs"))[0]);
}

test.concurrent("killed during the delay, it turns the lamp off at the right second", async () => {
  await using place = createHouse();
  const first = await place.start();
  const run = await open(first);
  const due = Date.parse(run.waits[0]?.until ?? "");
  expect(run.waits[0]?.path).toBe("actions[1]");
  expect(due - Date.now()).toBeLessThanOrEqual(DELAY_MS);
  first.kill("SIGKILL");
  await first.exited;

  const second = await place.start();
  expect(await second.get<RunBody[]>("/rules/door-light/runs")).toMatchObject([{ id: run.id, waits: run.waits }]);
  // The simulated house begins anew with the hub, and all its lamps are off.
  await until("the lamp is there", async () => (await turnOn(second)) < 300);
  await until("the lamp is on", () => isOn(second));
  await until("the lamp is off", async () => (await isOn(second)) === false, { everyMs: 50 });
  const lateMs = Date.now() - due;
  expect(lateMs).toBeGreaterThan(-100);
  // Whatever a busy machine takes for its part of it.
  expect(lateMs).toBeLessThan(5000);
  const [trace] = await second.get<TraceBody[]>("/rules/door-light/traces");
  expect(trace).toMatchObject({ id: run.id, why: expect.stringContaining("the hub was restarted meanwhile") });
  expect(trace?.actions.at(-1)).toMatchObject({ type: "set_device_state", result: "ok" });
});

test.concurrent("stopped until long after the delay, it turns the lamp off as soon as the lamp is there", async () => {
  await using place = createHouse();
  const first = await place.start();
  const run = await open(first);
  first.kill("SIGTERM");
  expect(await first.exited).toBe(0);
  await Bun.sleep(Math.max(0, Date.parse(run.waits[0]?.until ?? "") - Date.now()));

  const second = await place.start();
  await until("the run is over", async () => (await second.get<RunBody[]>("/rules/door-light/runs")).length === 0);
  const [trace] = await second.get<TraceBody[]>("/rules/door-light/traces");
  expect(trace?.actions.map(({ result }) => result).slice(-2)).toEqual(["ok", "ok"]);
  await until("the lamp is off", async () => (await isOn(second)) === false);
  // With what it did before the restart.
  expect(trace?.id).toBe(run.id);
});

test.concurrent("a backup of a house with a run that waits goes on in the house that it is restored to", async () => {
  await using place = createHouse();
  const first = await place.start();
  const run = await open(first);
  // Users come with the house, and so do their tokens.
  const token = await first.adminToken();
  const zip = join(place.cwd, "..", "house.zip");
  await downloadBackup(first, zip);
  first.kill("SIGKILL");
  await first.exited;

  await using other = createHubPlace(null);
  expect(await other.run(["restore", zip])).toMatchObject({ code: 0 });
  const second = await other.start();
  const read = async <T>(path: string): Promise<T[]> => (await second.request("GET", path, { token })).json<T[]>();
  await until("the run is over", async () => (await read<RunBody>("/rules/door-light/runs")).length === 0);
  const [trace] = await read<TraceBody>("/rules/door-light/traces");
  expect(trace).toMatchObject({ id: run.id, why: expect.stringContaining("the hub was restarted meanwhile") });
  expect(trace?.actions.at(-1)).toMatchObject({ type: "set_device_state", result: "ok" });
  expect(Date.now()).toBeGreaterThan(Date.parse(run.waits[0]?.until ?? ""));
});

test.concurrent("killed during the delay, it commands a device that only subscribes again", async () => {
  await using place = createHubPlace();
  const first = await place.start();
  const actions = [
    { type: "delay", duration_secs: 3 },
    { type: "set_device_state", device_id: "quiet_lamp", state: { on: false } },
  ];
  const device = await first.mqtt();
  await device.publishAsync("hub/devices/quiet_lamp/state", '{"on":true}', { qos: 1 });
  const rule = { id: "quiet", name: "Quiet", trigger: { type: "manual_trigger" }, actions };
  expect((await first.request("POST", "/rules", { body: rule })).status).toBe(201);
  await first.request("POST", "/rules/quiet/run");
  await until("the rule waits", async () => (await first.get<RunBody[]>("/rules/quiet/runs"))[0]?.waits[0]);
  first.kill("SIGKILL");
  await first.exited;
  await Bun.sleep(3000);

  const second = await place.start();
  const runs = () => second.get<RunBody[]>("/rules/quiet/runs");
  // Nobody is there yet who would take it.
  expect(await runs()).toHaveLength(1);
  const back = await second.mqtt();
  const received: string[] = [];
  back.on("message", (topic, payload) => void received.push(`${topic} ${payload}`));
  const since = performance.now();
  await back.subscribeAsync("hub/devices/quiet_lamp/cmd", { qos: 1 });
  await until("the command", () => received.length > 0, { everyMs: 20 });
  // Whatever a busy machine takes; the two minutes that a silent device has are far away.
  expect(performance.now() - since).toBeLessThan(5000);
  expect(received[0]).toStartWith('hub/devices/quiet_lamp/cmd {"on":false');
  await until("the run is over", async () => (await runs()).length === 0);
  expect(await second.get("/devices/quiet_lamp")).toMatchObject({ available: true });
});
