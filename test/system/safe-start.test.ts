// A hub that cannot start as it is: three times it fails, then it begins with what failed switched off. The compiled binary.
// Over 10 s: forty starts, of which each decides about the next.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { freePort } from "../support/free-port.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import { type HubProcess, spawnHub } from "../support/hub-process.ts";
import { openNotifySocket } from "../support/notify-socket.ts";
import { until } from "../support/wait.ts";

const MQTT_OFF = { part: "mqtt", error: "x", tries: 0, next: 0 };
const NIGHT = '(id: "", name: "Night", trigger: ManualTrigger, actions: [LogMessage(message: "good night")])';

interface Status {
  safe_start: { since: string; failed_part: string; error: string; off: string[]; parts: unknown[] } | null;
  problems: { part: string; message: string }[];
  rules: number;
}

async function takePort(): Promise<{ port: number; server: Server } & AsyncDisposable> {
  const port = freePort();
  const server = createServer().listen(port, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return { port, server, [Symbol.asyncDispose]: async () => void server.close() };
}

/** Another process's port, as MQTT's. */
function configureMqtt(place: HubPlace, port: number): void {
  const text = place.read("config", "hub.toml").replace("[mqtt]\nport = 0", `[mqtt]\nport = ${port}`);
  place.put("config/hub.toml", text, 0o600);
}

async function failToStart(place: HubPlace, times: number): Promise<string> {
  let output = "";
  for (let time = 0; time < times; time++) {
    const hub = spawnHub(place);
    const code = await hub.exited;
    expect({ time, code, output: hub.output }).toMatchObject({ time, code: 1 });
    output = hub.output;
  }
  return output;
}

/** Killed as soon as it is up, so that its death counts as one of the start. */
async function killAtStart(place: HubPlace, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const hub = await place.start();
    hub.kill("SIGKILL");
    await hub.exited;
  }
}

const statusOf = (hub: HubProcess): Promise<Status> => hub.get<Status>("/system/status");

test("the MQTT port is taken: the fourth start runs without MQTT, and the first after that with it again", async () => {
  await using place = createHubPlace();
  place.put("rules/night.ron", NIGHT);
  await place.layOut();
  await using taken = await takePort();
  configureMqtt(place, taken.port);
  expect(await failToStart(place, 3)).toContain(`port ${taken.port} on 127.0.0.1 is in use`);

  await using hub = await place.start();
  expect((await hub.request("GET", "/health", { token: null })).status).toBe(200);
  const status = await statusOf(hub);
  expect(status.safe_start).toEqual({
    since: expect.stringMatching(/^\d{4}-.*Z$/),
    failed_part: "mqtt",
    error: expect.stringContaining(`port ${taken.port} on 127.0.0.1 is in use`),
    off: ["plugins", "mqtt"],
    parts: [
      { part: "plugins", why: expect.stringContaining("mqtt is off"), next_try: expect.stringMatching(/Z$/) },
      { part: "mqtt", why: expect.stringContaining("is in use already"), next_try: expect.stringMatching(/Z$/) },
    ],
  });
  expect(status.problems).toContainEqual({
    part: "mqtt",
    message: expect.stringMatching(/mqtt is off in this safe start.* in use already.*restart the hub/s),
  });
  expect(status.rules).toBe(1);
  expect(hub.output).toMatch(/\[ERR\].*safe start.*mqtt/);
  const [rule] = await hub.get<{ id: string }[]>("/rules");
  const ran = await hub.request("POST", `/rules/${rule?.id}/run`, { body: {} });
  expect({ status: ran.status, text: ran.text }).toMatchObject({
    status: 200,
    text: expect.stringContaining("good night"),
  });
  expect((await hub.request("POST", "/timers", { body: { id: "kettle", name: "Kettle" } })).status).toBe(201);
  const refused = await hub.request("GET", "/plugins");
  expect({ status: refused.status, text: refused.text }).toMatchObject({
    status: 503,
    text: expect.stringContaining("plugins is off in this safe start, because mqtt is off"),
  });
  using stream = await hub.openStream();
  await hub.request("PATCH", "/devices/kettle", { body: { name: "Tea" } });
  await stream.frame("the new name", ({ type }) => type === "device_name_changed");
  const events = await hub.get<{ type: string }[]>("/events?type=system_safe_start");
  expect(events).toMatchObject([{ type: "system_safe_start", failed_part: "mqtt", off: ["plugins", "mqtt"] }]);
  await hub.end();

  // The next start tries all of it once, and is safe again at once where that fails.
  await failToStart(place, 1);
  await using again = await place.start();
  expect((await statusOf(again)).safe_start?.failed_part).toBe("mqtt");
  await again.end();
  taken.server.close();
  await using whole = await place.start();
  expect((await statusOf(whole)).safe_start).toBeNull();
  expect(whole.mqttPort).toBe(taken.port);
  await whole.end();
  expect(existsSync(place.at("data", "starts.json"))).toBe(false);
});

test("a part that fails in the safe start as well is off in the next one", async () => {
  await using place = createHubPlace();
  await place.layOut();
  await using taken = await takePort();
  // The rules fail first, and hide that MQTT would.
  const version = JSON.parse(readFileSync("package.json", "utf8")).version as string;
  const failure = { part: "rules", error: "they did", since: "2026-11-21T00:00:00Z" };
  const off = [{ part: "rules", error: "they did", tries: 0, next: Date.now() + 600_000 }];
  place.put("data/starts.json", JSON.stringify({ version, score: 6, ...failure, off }), 0o600);
  configureMqtt(place, taken.port);
  await failToStart(place, 1);
  await using hub = await place.start();
  expect((await statusOf(hub)).safe_start).toMatchObject({ failed_part: "mqtt", off: ["rules", "plugins", "mqtt"] });
  const rules = await hub.request("GET", "/rules");
  expect({ status: rules.status, text: rules.text }).toMatchObject({
    status: 503,
    text: expect.stringContaining("rules is off"),
  });
  expect((await hub.request("POST", "/webhooks/x", { token: null })).status).toBe(503);
});

test("five kills right after the start are no fault of the hub: all of it runs", async () => {
  await using place = createHubPlace();
  await killAtStart(place, 5);
  await using hub = await place.start();
  expect((await statusOf(hub)).safe_start).toBeNull();
  expect((await hub.request("GET", "/health", { token: null })).json()).toMatchObject({ status: "ok", ready: true });
  await (await hub.mqtt()).publishAsync("hub/devices/lamp/state", '{"on":true}', { qos: 1 });
});

test("a hub that dies six times without an error leaves off rules and plugins", async () => {
  await using place = createHubPlace({ toml: '[[plugins]]\nid = "sysmon"\nbinary = "plugins/sysmon/bin/sysmon.js"\n' });
  place.put("rules/night.ron", NIGHT);
  await killAtStart(place, 6);
  await using hub = await place.start();
  expect((await statusOf(hub)).safe_start).toMatchObject({
    failed_part: "unknown",
    error: expect.stringContaining("died within a minute of its start"),
    off: ["rules", "plugins"],
  });
  expect((await hub.request("GET", "/health", { token: null })).json()).toMatchObject({
    status: "degraded",
    ready: false,
    degraded: expect.arrayContaining(["part_off"]),
  });
  const shown = await place.run(["status", "--url", `http://127.0.0.1:${hub.port}`]);
  expect({ code: shown.code, text: shown.stdout }).toEqual({
    code: 4,
    text: expect.stringMatching(
      /^The hub made a safe start; these parts are off: rules, plugins\.\n[\s\S]*rules: rules is off/,
    ),
  });
  const client = await hub.mqtt();
  await client.publishAsync("hub/devices/lamp/state", '{"on":true}', { qos: 1 });
  await until("the device is there", async () => (await hub.get<unknown[]>("/devices")).length > 0);
  // And where that was not it, everything a hub can do without.
  hub.kill("SIGKILL");
  await hub.exited;
  await using last = await place.start();
  expect((await statusOf(last)).safe_start?.off).toEqual(["history", "notify", "backup", "rules", "plugins", "mqtt"]);
  for (const path of [
    "/notify/channels",
    "/notify/outbox",
    "/devices/lamp/history",
    "/rules",
    "/plugins",
    "/system/backups",
  ])
    expect({ path, status: (await last.request("GET", path)).status }).toEqual({ path, status: 503 });
  expect((await last.get<unknown[]>("/devices")).length).toBeGreaterThan(0);
});

test("being asked to end does not count as a failure, and neither does a power cut", async () => {
  await using place = createHubPlace();
  await place.layOut();
  for (let time = 0; time < 4; time++) {
    const hub = spawnHub(place);
    await hub.said("the MQTT broker listens");
    hub.kill("SIGTERM");
    expect(await hub.exited).toBe(0);
  }
  await killAtStart(place, 2);
  const noted = JSON.parse(place.read("data", "starts.json"));
  expect(noted).toMatchObject({ score: 1, begun: { part: "unknown" } });
  for (let time = 0; time < 3; time++) {
    // As another run of the machine would find it.
    place.put("data/starts.json", JSON.stringify({ ...noted, begun: { ...noted.begun, boot: "before" } }), 0o600);
    await using hub = await place.start();
    expect((await statusOf(hub)).safe_start).toBeNull();
    hub.kill("SIGKILL");
    await hub.exited;
  }
});

test("a start in a home that is in use does not count", async () => {
  await using place = createHubPlace();
  await using hub = await place.start();
  for (let time = 0; time < 4; time++) {
    const second = spawnHub(place);
    expect(await second.exited).toBe(1);
    expect(second.output).toContain("another hub");
  }
  await hub.end();
  expect(existsSync(place.at("data", "starts.json"))).toBe(false);
});

test("a part that every hub needs fails as before, with what to do, however often", async () => {
  await using place = createHubPlace();
  await place.layOut();
  await using taken = await takePort();
  place.put("config/hub.toml", place.read("config", "hub.toml").replace("port = 0", `port = ${taken.port}`), 0o600);
  expect(await failToStart(place, 5)).toContain("set another [server] port");
  taken.server.close();
  await using hub = await place.start();
  expect((await statusOf(hub)).safe_start).toBeNull();
});

test("a note that is damaged, of another version, or cannot be written changes nothing", async () => {
  await using place = createHubPlace();
  const whole = { version: "0.0.1", score: 9, part: "mqtt", error: "x", since: "x", off: [MQTT_OFF] };
  for (const text of ["", "{", "[]", JSON.stringify(whole), '{"score":"many"}']) {
    place.put("data/starts.json", text);
    await using hub = await place.start();
    expect({ text, safe: (await statusOf(hub)).safe_start }).toEqual({ text, safe: null });
    await hub.end();
  }
  mkdirSync(place.at("data", "starts.json.tmp", "in-the-way"), { recursive: true });
  await using hub = await place.start();
  expect((await statusOf(hub)).safe_start).toBeNull();
});

test("files instead of folders in a known home do not stop the rest: rules, logs, history, sdk", async () => {
  await using place = createHubPlace();
  await place.layOut();
  for (const path of ["rules", "logs", "plugins"]) {
    rmSync(place.at(path), { recursive: true });
    writeFileSync(place.at(path), "in the way");
  }
  rmSync(place.at("data", "history.db"));
  mkdirSync(place.at("data", "history.db"));
  await using hub = await place.start();
  await until("each is reported", async () => {
    const { problems } = await statusOf(hub);
    return ["home", "log", "rules", "history"].every((name) => problems.some(({ part }) => part === name));
  });
  expect((await hub.request("POST", "/timers", { body: { id: "kettle", name: "Kettle" } })).status).toBe(201);
});

test("systemd learns that it is a safe start", async () => {
  await using place = createHubPlace();
  using socket = openNotifySocket(`${place.home}-notify`);
  await killAtStart(place, 6);
  await using _hub = await place.start({ env: { NOTIFY_SOCKET: socket.name } });
  await socket.received(/^STATUS=SAFE START because of unknown/);
});

test("only the hub's user can read its files, whatever the umask", async () => {
  const before = process.umask(0o077);
  await using place = createHubPlace();
  process.umask(0o000);
  try {
    await using hub = await place.start();
    const made = await hub.request("POST", "/rules", {
      body: { name: "x", trigger: { type: "manual_trigger" }, actions: [{ type: "log_message", message: "x" }] },
    });
    expect({ status: made.status, text: made.text }).toMatchObject({ status: 201 });
    expect(await place.run(["backup", place.at("house.zip")])).toMatchObject({ code: 0 });
    await hub.end();
  } finally {
    process.umask(before);
  }
  const found = Bun.spawnSync(["find", place.home, "-perm", "/077", "-not", "-type", "l", "-not", "-path", "*/bin/*"]);
  expect(found.stdout.toString()).toBe("");
});
