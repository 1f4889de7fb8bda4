// A safe start ends by itself: parts that are off are tried again, and what dies of it is reported from what was killed. The compiled binary.
// Over 10 s: the hub looks every five seconds for a part whose time has come.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { until } from "../support/wait.ts";

const HOUR_MS = 3_600_000;
const NOW = 0;
const LATER = Date.now() + HOUR_MS;

interface Status {
  safe_start: { off: string[]; parts: { part: string; why: string }[] } | null;
}

/** As safe starts leave it. */
function noteOff(place: HubPlace, ...off: { part: string; next: number }[]): void {
  const version = JSON.parse(readFileSync("package.json", "utf8")).version as string;
  const failure = { part: "unknown", error: "they did", since: "2026-11-21T00:00:00Z" };
  const parts = off.map((one) => ({ ...one, error: "they did", tries: 0 }));
  place.put("data/starts.json", JSON.stringify({ version, score: 6, ...failure, off: parts }), 0o600);
}

const offIn = async (hub: HubProcess): Promise<string[] | undefined> =>
  (await hub.get<Status>("/system/status")).safe_start?.off;

const healthOf = async (hub: HubProcess) =>
  (await hub.request("GET", "/health", { token: null })).json<{ status: string; ready: boolean; degraded: string[] }>();

test("a part whose time has come is tried alone, in the same process; a kill meanwhile makes it wait longer", async () => {
  await using place = createHubPlace();
  await (await place.start()).end();
  noteOff(place, { part: "rules", next: NOW }, { part: "mqtt", next: LATER });
  await using hub = await place.start();
  expect(await offIn(hub)).toEqual(["rules", "plugins", "mqtt"]);
  await hub.said(/a part that is off is tried again.*rules/, 20_000);
  await hub.said("the hub is up again", 20_000);
  await until("the rules are back", async () => (await offIn(hub))?.join() === "plugins,mqtt");
  expect((await hub.request("GET", "/rules")).status).toBe(200);
  expect(await healthOf(hub)).toMatchObject({ status: "degraded", ready: false });
  hub.kill("SIGKILL");
  await hub.exited;

  await using after = await place.start();
  expect(await offIn(after)).toEqual(["rules", "plugins", "mqtt"]);
  const { off } = JSON.parse(place.read("data", "starts.json")) as {
    off: { part: string; tries: number; next: number }[];
  };
  const rules = off.find(({ part }) => part === "rules");
  expect(rules?.tries).toBe(1);
  expect(rules?.next).toBeGreaterThan(Date.now() + HOUR_MS - 120_000);
  expect(off.find(({ part }) => part === "mqtt")).toMatchObject({ tries: 0, next: LATER });
});

test("a part that fails again is off again, the rest runs on; once the cause is gone it comes back", async () => {
  await using place = createHubPlace();
  await (await place.start()).end();
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { port: number };
  const text = place.read("config", "hub.toml").replace("[mqtt]\nport = 0", `[mqtt]\nport = ${port}`);
  place.put("config/hub.toml", text, 0o600);
  noteOff(place, { part: "mqtt", next: NOW });
  await using hub = await place.start();
  await hub.said("a part that was tried again failed: it is off again", 20_000);
  await hub.said("the hub is up again", 20_000);
  const { safe_start } = await hub.get<Status>("/system/status");
  expect(safe_start?.parts).toContainEqual(
    expect.objectContaining({ part: "mqtt", why: expect.stringContaining(`port ${port} on 127.0.0.1 is in use`) }),
  );
  expect((await hub.request("GET", "/rules")).status).toBe(200);
  const alerts = await hub.get<{ id: string; message: string; mend: string }[]>("/system/alerts");
  expect(alerts).toContainEqual(
    expect.objectContaining({ id: "part_off:mqtt", mend: expect.stringMatching(/tried again by itself at \d{4}-/) }),
  );
  expect(await Promise.race([hub.exited, "runs"])).toBe("runs");
  hub.kill("SIGTERM");
  await hub.exited;
  taken.close();

  noteOff(place, { part: "mqtt", next: NOW });
  await using healed = await place.start();
  await healed.said("the hub is up again", 20_000);
  await until("all of it runs", async () => (await healthOf(healed)).ready, { timeoutMs: 20_000 });
  expect(await healthOf(healed)).toMatchObject({ status: "ok", ready: true });
  await (await healed.mqtt()).publishAsync("hub/devices/lamp/state", '{"on":true}', { qos: 1 });
});

test("an error that nobody caught ends the hub, with its message in the log", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  // No more files: what the hub reads of its own process each few seconds fails where nobody expects it.
  Bun.spawnSync(["prlimit", "--pid", `${hub.pid}`, "--nofile=3:3"]);
  expect(await hub.exited).toBe(1);
  expect(hub.output).toMatch(/the hub ends, because of an error that nobody caught.*memory usage/);
});
