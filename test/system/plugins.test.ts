// Plugins as people write them: good, crashing, silent, stubborn, chatty, missing. None outlives the hub.
// Over 10 s: only after five seconds of silence does a plugin hang, and its pauses grow.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { processesOf } from "../support/processes.ts";
import { soon, until } from "../support/wait.ts";

const SCRIPTS: Record<string, string> = {
  "lamp.ts": `import { runPlugin, Type } from "../../sdk/hub-sdk.js";
interface State { on: boolean }
const initial: State = { on: false };
runPlugin({
  version: "1.2.3",
  configSchema: Type.Object({}),
  start(plugin) {
    const lamp = plugin.device({ id: "ts_lamp", name: "Lamp", onCommand: (wanted: State) => ({ on: wanted.on }) });
    lamp.set(initial);
    console.log("env " + Object.keys(process.env).sort().join(" "));
    console.log("password " + process.env.HUB_MQTT_PASSWORD);
  },
});
`,
  crash: "#!/bin/sh\necho about to fail\necho the reason >&2\nexit 3\n",
  silent: "#!/bin/sh\nexec sleep 1000\n",
  stubborn: '#!/bin/sh\ntrap "" TERM\necho ready\nwhile :; do sleep 1; done\n',
  chatty: "#!/bin/sh\nexec yes this plugin prints without end\n",
  family: "#!/bin/sh\n(sh -c 'sleep 1001; true' & sleep 1002; true) &\necho ready\nsleep 1003\ntrue\n",
  inert: "#!/bin/sh\nexit 0\n",
};

function addPlugins(place: HubPlace, names: readonly string[]): void {
  const entries = names.map((name) => {
    const id = name.replace(".ts", "");
    const script = SCRIPTS[name];
    if (script) place.put(`plugins/${id}/bin/${name}`, script, name === "inert" ? 0o644 : 0o755);
    return `[[plugins]]\nid = "${id}"\nbinary = "plugins/${id}/bin/${name}"\nheartbeat_timeout_secs = 5\n`;
  });
  place.configure({ toml: entries.join("") });
}

interface PluginBody {
  id: string;
  status: string;
  pid: number | null;
  restarts: number;
  last_exit: { code: number | null; signal: string | null; reason: string; output: string[] } | null;
}

const place = createHubPlace();
let hub: HubProcess;
beforeAll(async () => {
  addPlugins(place, ["lamp.ts", "crash", "silent", "stubborn", "chatty", "missing", "inert"]);
  hub = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

const plugin = (id: string) => hub.get<PluginBody>(`/plugins/${id}`);
const when = (what: string, id: string, fits: (body: PluginBody) => boolean, timeoutMs = 45_000) =>
  until(what, async () => [await plugin(id)].find(fits), { timeoutMs, everyMs: 50 });
const order = (id: string, verb: string) => hub.request("POST", `/plugins/${id}/${verb}`);

test("a TypeScript plugin runs on the hub's own Bun, with its own environment only", async () => {
  await when("it is active", "lamp", ({ status }) => status === "active");
  await until("its device is there", async () => (await hub.request("GET", "/devices/ts_lamp")).status === 200);
  expect(await plugin("lamp")).toMatchObject({ version: "1.2.3", devices: 1, managed: true, enabled: true });
  expect((await hub.request("PATCH", "/devices/ts_lamp/state", { body: { on: true } })).status).toBe(202);
  await until("the lamp is on", async () => {
    return (await hub.get<{ attributes: { on: boolean } }>("/devices/ts_lamp")).attributes.on;
  });
  const printed = (await hub.get<string[]>("/plugins/lamp/log")).join("\n");
  expect(printed).toContain("HUB_MQTT_PASSWORD HUB_MQTT_PORT");
  expect(printed).toContain("password [redacted]");
});

test("a plugin that crashes is restarted after growing pauses, and its record says why", async () => {
  const stream = await hub.openStream({ type: "plugin_status_changed,plugin_offline", since: "0" });
  await when("it was restarted twice", "crash", ({ restarts }) => restarts >= 2);
  expect((await plugin("crash")).last_exit).toMatchObject({
    ...{ code: 3, signal: null, reason: "ended with exit code 3" },
    output: expect.arrayContaining(["about to fail", "the reason"]),
  });
  const own = stream.frames.filter(({ plugin_id }) => plugin_id === "crash");
  expect(own.map(({ status }) => status)).toEqual(expect.arrayContaining(["starting", "offline"]));
  expect(own.filter(({ type }) => type === "plugin_offline")).toHaveLength(1);
  const pauses = [...hub.output.matchAll(/hub·plugins·crash: plugin ended .*again_in_ms=(\d+)/g)].map(([, ms]) =>
    Number(ms),
  );
  expect(pauses[1]).toBeGreaterThan(pauses[0] ?? 0);
});

test("what is reported of a plugin that a person stops, and of one that is killed, is what happened", async () => {
  const { pid } = await when("it is active", "lamp", ({ status }) => status === "active");
  const stream = await hub.openStream({ type: "plugin_status_changed,plugin_offline" });
  const reported = () =>
    stream.frames.flatMap(({ plugin_id, type, status, reason }) =>
      plugin_id === "lamp" ? [`${type === "plugin_offline" ? type : status} ${reason ?? ""}`.trim()] : [],
    );
  process.kill(pid ?? 0, "SIGKILL");
  await when("it is back", "lamp", (body) => body.status === "active" && body.pid !== pid);
  expect(reported()).toContain("plugin_offline ended by SIGKILL");
  const before = reported().length;
  await order("lamp", "stop");
  await order("lamp", "start");
  await when("it is active again", "lamp", ({ status }) => status === "active");
  expect(reported().slice(before)).toEqual(["stopped stopped by a person", "starting", "active"]);
});

test("a missing or not executable plugin is reported once, and retried slowly", async () => {
  for (const [id, words] of [
    ["missing", "does not exist"],
    ["inert", "is not executable (chmod +x)"],
  ] as const) {
    const { last_exit, status, pid } = await when("it failed", id, (body) => body.last_exit !== null);
    expect({ status, pid, reason: last_exit?.reason }).toEqual({
      status: "offline",
      pid: null,
      reason: expect.stringContaining(words),
    });
  }
  expect(hub.output.match(/plugin cannot be started/g)).toHaveLength(2);
});

test("a plugin that prints without end neither slows the hub nor fills the disk", async () => {
  await when("it runs", "chatty", ({ pid }) => pid !== null);
  const log = place.at("plugins/chatty/logs/chatty.log");
  await until("its output is cut", () => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 200_000);
  for (let n = 0; n < 50; n++) expect((await hub.request("GET", "/health")).status).toBe(200);
  expect((await hub.get<string[]>("/plugins/chatty/log?lines=1000")).at(-1)).toContain("without end");
  expect((await order("chatty", "stop")).json()).toMatchObject({ status: "stopped", pid: null });
  expect(statSync(log).size).toBeLessThan(1_100_000);
});

test("a plugin that ignores SIGTERM is killed", async () => {
  const { pid } = await when("it runs", "stubborn", (body) => body.pid !== null);
  const stopped = await order("stubborn", "stop");
  expect(stopped.json()).toMatchObject({ status: "stopped", pid: null, last_exit: { signal: "SIGKILL" } });
  expect(processesOf(place.home)).not.toContain(Number(pid));
});

test("start, stop and restart over REST, and their errors", async () => {
  const first = await when("it is active", "lamp", ({ status }) => status === "active");
  const again = (await order("lamp", "restart")).json<PluginBody>();
  expect(again.pid).not.toBe(first.pid);
  await when("it is active again", "lamp", ({ status }) => status === "active");
  expect((await order("lamp", "stop")).json()).toMatchObject({ status: "stopped" });
  expect(await hub.get("/devices/ts_lamp")).toMatchObject({ available: false });
  expect((await order("lamp", "stop")).status).toBe(200);
  expect((await order("lamp", "start")).json()).toMatchObject({ status: "starting" });
  await when("it is active once more", "lamp", ({ status }) => status === "active");
  await until("its device is back", async () => (await hub.get<{ available: boolean }>("/devices/ts_lamp")).available);
  expect((await order("nobody", "start")).status).toBe(404);
  expect((await hub.request("GET", "/plugins/lamp/log?lines=0")).status).toBe(400);
});

test("a plugin that hangs is restarted in the end; one that has never sent a heartbeat only goes offline", async () => {
  const silent = await when("it runs", "silent", (body) => body.pid !== null);
  const { pid, restarts } = await when("it is active", "lamp", ({ status }) => status === "active");
  process.kill(Number(pid), "SIGSTOP");
  await when("it is offline", "lamp", ({ status }) => status === "offline");
  const fits = (body: PluginBody) => body.restarts > restarts && body.pid !== null;
  const after = await when("it was restarted", "lamp", fits);
  expect(after.pid).not.toBe(pid);
  expect(after.last_exit?.reason).toContain("no heartbeat");
  expect(await plugin("silent")).toMatchObject({ status: "offline", pid: silent.pid, restarts: 0 });
});

test("SIGTERM ends the hub and all of its children in bounded time", async () => {
  await order("stubborn", "start");
  await when("it runs", "stubborn", (body) => body.pid !== null);
  // The launcher's environment does not name the home yet.
  await until("several run", () => processesOf(place.home).length > 2);
  hub.kill("SIGTERM");
  expect(await soon("the hub ends", hub.exited)).toBe(0);
  await until("no child is left", () => processesOf(place.home).length === 0);
  for (const text of [hub.output, place.read("logs", "hub.log")]) expect(text).toContain("stopped");
  hub = await place.start();
});

test.each(["SIGKILL", "SIGSEGV"] as const)("%s of the hub leaves no child and no grandchild", async (signal) => {
  await using other = createHubPlace();
  addPlugins(other, ["lamp.ts", "stubborn", "family", "chatty"]);
  await using killed = await other.start();
  const sleeps = (): number =>
    processesOf(other.home).filter((pid) =>
      Bun.spawnSync(["cat", `/proc/${pid}/cmdline`])
        .stdout.toString()
        .startsWith("sleep\x00100"),
    ).length;
  await until("the family is complete", () => sleeps() >= 3);
  killed.kill(signal);
  await killed.exited;
  await until("nobody is left", () => processesOf(other.home).length === 0);
});
