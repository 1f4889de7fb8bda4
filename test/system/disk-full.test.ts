// A home whose disk is full: what needs no disk goes on, what does says so, and nothing is lost once there is space.
import { expect, test } from "bun:test";
import type { MqttClient } from "mqtt";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { until } from "../support/wait.ts";

const text = "x".repeat(20_000);
const report = (client: MqttClient, n: number, device = "meter") =>
  client.publishAsync(`hub/devices/${device}/state`, JSON.stringify({ n, text }), { qos: 1 });
const rename = (hub: HubProcess, name: string) => hub.request("PATCH", "/devices/meter", { body: { name } });
const failing = async (hub: HubProcess) =>
  (await hub.get<{ storage_failing_since: string | null }>("/system/status")).storage_failing_since;
const nameOf = async (hub: HubProcess) => (await hub.get<{ name: string }>("/devices/meter")).name;

test("the disk fills and is freed again", async () => {
  using disk = mountSmallDisk(8);
  await using place = createHubPlace({}, `${disk.path}/home`);
  // Else the executable alone would fill it.
  place.put("bin/hub", "");
  const hub = await place.start();
  const client = await hub.mqtt();
  const stream = await hub.openStream({ type: "device_state_changed" });
  await report(client, 1);
  await stream.frame("the first report", ({ current }) => (current as { n: number }).n === 1);
  expect((await rename(hub, "before")).status).toBe(200);
  expect(await failing(hub)).toBeNull();

  disk.fill();
  let n = 1;
  await until(
    "writing is known to fail",
    async () => {
      await report(client, ++n);
      return failing(hub);
    },
    { everyMs: 100 },
  );
  await report(client, ++n);
  await stream.frame("state flows on", ({ current }) => (current as { n: number }).n === n);
  expect(stream.frames.map(({ current }) => (current as { n: number }).n)).toEqual(
    Array.from({ length: n }, (_, i) => i + 1),
  );
  const refused = await until("a rename is refused", async () => {
    return [await rename(hub, `full-${++n}`)].find(({ status }) => status !== 200);
  });
  expect(refused.status).toBe(507);
  expect(refused.json()).toMatchObject({ code: "storage", error: expect.stringContaining("disk is full") });
  const kept = await nameOf(hub);
  expect(kept).not.toBe(`full-${n}`);
  const key = await hub.request("POST", "/auth/api-keys", { body: { label: text.slice(0, 90), role: "viewer" } });
  expect([201, 507]).toContain(key.status);
  await report(client, 1, "newcomer");
  expect((await hub.request("GET", "/devices")).status).toBe(200);
  expect((await hub.login("admin", place.admin?.password ?? "")).status).toBe(200);
  await hub.said("device state cannot be written");

  disk.free();
  await until("writing works again", async () => (await failing(hub)) === null);
  await hub.said("device state is written again");
  expect((await rename(hub, "after")).status).toBe(200);
  const last = 10_000;
  await report(client, last);
  await stream.frame("the last report", ({ current }) => (current as { n: number }).n === last);
  await hub.end();

  await using again = await place.start();
  expect(await again.get("/devices/meter")).toMatchObject({ name: "after", attributes: { n: last } });
});

test("a new home on a full disk is refused with the mend, and leaves nothing behind", async () => {
  using disk = mountSmallDisk(1);
  await using place = createHubPlace(null, `${disk.path}/home`);
  disk.fill();
  const { code, stderr } = await place.run(["serve"]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/free some space|disk is full/);
  expect(stderr).not.toContain("\n    at ");
  expect([...new Bun.Glob("**/*.tmp").scanSync({ cwd: disk.path, dot: true })]).toEqual([]);
});
