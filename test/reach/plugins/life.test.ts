import { describe, expect, spyOn, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";
import { alive, createRig, type Rig, until } from "./rig.ts";

const SLEEPER = { "p.sh": "#!/bin/sh\nexec sleep 60\n" };

/** Moves the clock until the condition is true: real processes end in real time. */
async function advanceUntil(clock: VirtualClock, what: string, condition: () => unknown, stepMs = 1000): Promise<void> {
  await until(what, () => {
    if (condition()) return true;
    void clock.advance(stepMs);
    return false;
  });
}

function sleeper(clock: VirtualClock): Rig {
  return createRig([{ id: "p", binary: "p.sh", heartbeat_timeout_secs: 30 }], SLEEPER, { clock });
}

test("a heartbeat makes it active, silence offline, another heartbeat active again", async () => {
  const clock = createVirtualClock();
  await using rig = sleeper(clock);
  await rig.plugins.start("p");
  rig.plugins.heartbeat("p", {
    version: "1.2.3",
    uptime_secs: 5,
    device_count: 2,
    notices: [{ level: "warning", code: "weak", message: "weak signal" }],
  });
  expect(rig.plugins.get("p")).toMatchObject({
    status: "active",
    version: "1.2.3",
    devices: 2,
    last_heartbeat: "2026-01-15T12:00:00Z",
    notices: [{ code: "weak" }],
  });
  await clock.advance(29_000);
  rig.plugins.heartbeat("p", {});
  await clock.advance(29_000);
  expect(rig.plugins.get("p").status).toBe("active");
  await clock.advance(1000);
  expect(rig.plugins.get("p").status).toBe("offline");
  expect(rig.unavailable).toEqual(["p"]);
  rig.plugins.heartbeat("p", {});
  expect(rig.statuses()).toEqual(["starting", "active", "offline", "active"]);
  expect(rig.events.filter(({ type }) => type === "plugin_offline")).toEqual([
    { type: "plugin_offline", plugin_id: "p", reason: "no heartbeat for 30 s" },
  ]);
});

test("a registration makes it active and is announced once per start", async () => {
  const clock = createVirtualClock();
  await using rig = sleeper(clock);
  await rig.plugins.start("p");
  rig.plugins.registered("p", "lamp");
  rig.plugins.registered("p", "plug");
  expect(rig.plugins.get("p").status).toBe("active");
  await rig.plugins.restart("p");
  rig.plugins.registered("p", "lamp");
  expect(rig.events.filter(({ type }) => type === "plugin_registered")).toEqual([
    { type: "plugin_registered", plugin_id: "p", device_id: "lamp" },
    { type: "plugin_registered", plugin_id: "p", device_id: "lamp" },
  ]);
});

test("a process that hangs is ended after twice its timeout and restarted", async () => {
  const clock = createVirtualClock();
  await using rig = sleeper(clock);
  const { pid } = await rig.plugins.start("p");
  rig.plugins.heartbeat("p", {});
  await clock.advance(59_000);
  expect(rig.plugins.get("p")).toMatchObject({ status: "offline", pid });
  await advanceUntil(clock, "another process", () => (rig.plugins.get("p").pid ?? pid) !== pid);
  expect(alive(pid ?? 0)).toBe(false);
  expect(rig.plugins.get("p")).toMatchObject({ status: "starting", restarts: 1 });
  expect(rig.plugins.get("p").last_exit?.reason).toBe("no heartbeat for 60 s: ended by the hub");
  // It is known to send heartbeats, so one that hangs before its first is restarted as well.
  await advanceUntil(clock, "a third process", () => rig.plugins.get("p").restarts === 2);
});

test("a process that hangs, and ends later than the hub waits, ended for its silence as well", async () => {
  const clock = createVirtualClock();
  await using rig = sleeper(clock);
  await rig.plugins.start("p");
  rig.plugins.heartbeat("p", {});
  await clock.advance(600_000);
  await until("its end is noticed", () => rig.plugins.get("p").last_exit !== null);
  expect(rig.plugins.get("p").last_exit?.reason).toBe("no heartbeat for 60 s: ended by the hub");
});

test("a plugin that never sends heartbeats is not restarted for its silence", async () => {
  const clock = createVirtualClock();
  await using rig = sleeper(clock);
  const { pid } = await rig.plugins.start("p");
  await clock.advance(30_000);
  expect(rig.plugins.get("p")).toMatchObject({ status: "offline", pid });
  await clock.advance(300_000);
  expect(rig.plugins.get("p")).toMatchObject({ status: "offline", pid, restarts: 0 });
  rig.plugins.markSeen("p");
  await clock.advance(300_000);
  expect(rig.plugins.get("p")).toMatchObject({ status: "active", pid, restarts: 0, last_heartbeat: null });
  expect(rig.events.filter(({ type }) => type === "plugin_offline")).toEqual([
    { type: "plugin_offline", plugin_id: "p", reason: "it sent nothing within 30 s" },
  ]);
});

test("any message keeps a plugin active that has sent heartbeats before", async () => {
  const clock = createVirtualClock();
  await using rig = sleeper(clock);
  await rig.plugins.start("p");
  rig.plugins.heartbeat("p", {});
  for (let n = 0; n < 10; n++) {
    await clock.advance(29_000);
    rig.plugins.markSeen("p");
  }
  await clock.advance(29_999);
  expect(rig.plugins.get("p").status).toBe("active");
  await clock.advance(1);
  expect(rig.plugins.get("p").status).toBe("offline");
});

const reported = (rig: Rig) =>
  rig.events.flatMap((event) => {
    if (event.type === "plugin_offline") return [`plugin_offline: ${event.reason}`];
    if (event.type !== "plugin_status_changed") return [];
    return [event.reason === undefined ? event.status : `${event.status}: ${event.reason}`];
  });

describe("what is reported of a plugin that goes", () => {
  for (const [byWill, words] of [
    [false, "the plugin reported itself offline"],
    [true, "its MQTT connection broke off"],
    [undefined, "the plugin reported itself offline, or its MQTT connection broke off"],
  ] as const)
    test(`${words}: plugin_offline comes when its heartbeats have stopped, and not if it comes back before`, async () => {
      const clock = createVirtualClock();
      await using rig = sleeper(clock);
      await rig.plugins.start("p");
      rig.plugins.heartbeat("p", {});
      await clock.advance(10_000);
      rig.plugins.status("p", "offline", byWill);
      expect(reported(rig)).toEqual(["starting", "active", `offline: ${words}`]);
      expect(rig.unavailable).toEqual(["p"]);
      rig.plugins.heartbeat("p", {});
      rig.plugins.status("p", "offline", byWill);
      await clock.advance(30_000);
      expect(reported(rig).slice(3)).toEqual(["active", `offline: ${words}`, "plugin_offline: no heartbeat for 30 s"]);
    });

  test("one that never sent heartbeats has its time from when it said that it goes", async () => {
    const clock = createVirtualClock();
    await using rig = sleeper(clock);
    await rig.plugins.start("p");
    rig.plugins.markSeen("p");
    await clock.advance(300_000);
    rig.plugins.status("p", "offline", true);
    await clock.advance(29_999);
    expect(rig.types()).not.toContain("plugin_offline");
    await clock.advance(1);
    expect(reported(rig).at(-1)).toBe("plugin_offline: it sent nothing within 30 s");
  });

  test("a person's stop and restart are no plugin_offline, whatever the plugin says of itself meanwhile", async () => {
    const script = "#!/bin/sh\ntrap 'touch going; sleep 0.1; exit 0' TERM\ntouch ready\nwhile :; do sleep 0.02; done\n";
    await using rig = createRig([{ id: "p", binary: "p.sh" }], { "p.sh": script }, { clock: createVirtualClock() });
    const has = (name: string) => existsSync(`${rig.home.plugin("p").root}/${name}`);
    for (const order of ["stop", "restart"] as const) {
      for (const name of ["ready", "going"]) rmSync(`${rig.home.plugin("p").root}/${name}`, { force: true });
      await rig.plugins.start("p");
      rig.plugins.heartbeat("p", {});
      await until("it runs", () => has("ready"));
      rig.events.length = 0;
      const done = rig.plugins[order]("p");
      await until("it is ordered to end", () => has("going"));
      rig.plugins.status("p", "offline", false);
      await done;
      const begins = order === "restart" ? ["starting"] : [];
      const ordered = order === "restart" ? "restarted" : "stopped";
      expect(reported(rig)).toEqual([`stopped: ${ordered} by a person`, ...begins]);
    }
  });

  test("one that is killed says how it ended, also where its connection broke off before", async () => {
    await using rig = sleeper(createVirtualClock());
    const { pid } = await rig.plugins.start("p");
    rig.plugins.heartbeat("p", {});
    process.kill(-(pid ?? 0), "SIGKILL");
    rig.plugins.status("p", "offline", true);
    await until("it is seen", () => rig.plugins.get("p").last_exit);
    expect(reported(rig).slice(2)).toEqual([
      "offline: its MQTT connection broke off",
      "plugin_offline: ended by SIGKILL",
    ]);
  });
});

test("the status that a plugin reports is used", async () => {
  await using rig = sleeper(createVirtualClock());
  await rig.plugins.start("p");
  rig.plugins.status("p", "degraded");
  rig.plugins.status("p", "offline");
  rig.plugins.heartbeat("p", {});
  expect(rig.statuses()).toEqual(["starting", "active", "offline", "active"]);
});

test("messages of a stopped plugin change nothing", async () => {
  await using rig = sleeper(createVirtualClock());
  await rig.plugins.start("p");
  await rig.plugins.stop("p");
  rig.plugins.heartbeat("p", {});
  rig.plugins.registered("p", "lamp");
  rig.plugins.status("p", "active");
  expect(rig.plugins.get("p")).toMatchObject({ status: "stopped", last_heartbeat: null });
  expect(rig.statuses()).toEqual(["starting", "stopped"]);
});

test("a crash is reported with the last output, and restarted after growing pauses", async () => {
  const clock = createVirtualClock();
  const script = '#!/bin/sh\necho "password is $HUB_MQTT_PASSWORD"\necho broken >&2\nexit 3\n';
  await using rig = createRig([{ id: "p", binary: "p.sh" }], { "p.sh": script }, { clock });
  await rig.plugins.start("p");
  await until("it crashed", () => rig.plugins.get("p").last_exit);
  const { status, last_exit } = rig.plugins.get("p");
  expect(status).toBe("offline");
  expect(last_exit).toMatchObject({ code: 3, signal: null, reason: "ended with exit code 3" });
  expect(last_exit?.output.toSorted()).toEqual(["broken", "password is [redacted]"]);
  expect(rig.revoked).toEqual(["p"]);
  // Random bytes are zero here, so each pause is a quarter below 1, 2, 4, … s.
  for (const pauseMs of [750, 1500, 3000, 6000, 12_000]) {
    const runs = rig.issued.length;
    await clock.advance(pauseMs - 1);
    expect(rig.issued.length).toBe(runs);
    await clock.advance(1);
    await until("it crashed again", () => rig.revoked.length === runs + 1);
  }
  expect(rig.plugins.get("p").restarts).toBe(5);
  expect(rig.plugins.get("p").notices[0]).toMatchObject({ code: "crashes", message: "ended 6 times in the last hour" });
  expect(rig.types().filter((type) => type === "plugin_offline")).toHaveLength(1);
  await rig.plugins.stop("p");
  expect(clock.pending().filter((name) => name === "plugin restart")).toEqual([]);
});

test("a missing binary is retried slowly until it exists", async () => {
  const clock = createVirtualClock();
  await using rig = createRig([{ id: "p", binary: "p.sh" }], {}, { clock });
  await rig.plugins.start("p");
  await clock.advance(44_000);
  await Bun.write(`${rig.home.root}/p.sh`, "#!/bin/sh\nexec sleep 60\n");
  Bun.spawnSync(["chmod", "+x", `${rig.home.root}/p.sh`]);
  expect(rig.plugins.get("p").pid).toBe(null);
  await clock.advance(2000);
  await until("it runs", () => rig.plugins.get("p").pid);
  expect(rig.statuses()).toEqual(["offline", "starting"]);
});

test("a plugin that only connects is listed, and goes offline when it is silent", async () => {
  const clock = createVirtualClock();
  await using rig = createRig([], {}, { clock });
  rig.plugins.status("ghost", "offline");
  rig.plugins.registered("far", "lamp");
  expect(rig.plugins.list()).toMatchObject([{ id: "far", managed: false, status: "active", pid: null }]);
  await clock.advance(3_600_000);
  expect(rig.plugins.get("far").status).toBe("active");
  rig.plugins.heartbeat("far", {});
  await clock.advance(90_000);
  expect(rig.plugins.get("far").status).toBe("offline");
  expect(rig.unavailable).toEqual(["far"]);
  rig.plugins.heartbeat("far", { version: "2" });
  expect(rig.plugins.get("far")).toMatchObject({ status: "active", version: "2" });
  // Devices of others make no plugins.
  rig.plugins.markDeviceSeen("tester");
  rig.plugins.markSeen("lamps");
  expect(rig.plugins.list().map(({ id }) => id)).toEqual(["far", "lamps"]);
  rig.plugins.status("far", "degraded");
  rig.plugins.status("far", "offline");
  expect(rig.seen).toEqual(["far", "far", "far", "lamps", "far"]);
});

test("the next run of the hub waits for a plugin that only connects, as long as it has devices", async () => {
  const clock = createVirtualClock();
  const known: string[] = [];
  await using earlier = createRig([], {}, { clock, known });
  earlier.plugins.registered("far", "lamp");
  earlier.plugins.heartbeat("near", {});
  expect(known).toEqual(["far", "near"]);

  await using rig = createRig([], {}, { clock, known });
  rig.plugins.startAll();
  expect(rig.seen).toEqual([]);
  expect(rig.plugins.list()).toMatchObject([
    { id: "far", managed: false, status: "starting", last_heartbeat: null },
    { id: "near", status: "starting" },
  ]);
  rig.plugins.registered("far", "lamp");
  await clock.advance(89_000);
  rig.plugins.heartbeat("far", {});
  expect(rig.statuses()).toEqual(["active"]);
  await clock.advance(1000);
  expect(rig.plugins.list().map(({ id, status }) => `${id} ${status}`)).toEqual(["far active", "near offline"]);
  expect(rig.unavailable).toEqual(["near"]);
});

test("a process of whose end Bun is not notified is found to be gone, and the plugin is restarted", async () => {
  const { spawn } = Bun;
  // What Bun 1.4.5 does where the kernel refuses its descriptor of the process (seen with strace -e inject=epoll_ctl:error=ENOMEM).
  const unsized = (argv: string[], options: object) => {
    const child = spawn(argv, { ...options, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    const exited = Promise.reject(new Error("ENOMEM: not enough memory, epoll_ctl"));
    const { pid, stdin, stdout, stderr } = child;
    return { pid, stdin, stdout, stderr, exited, exitCode: null, signalCode: null };
  };
  const clock = createVirtualClock();
  await using rig = sleeper(clock);
  using _ = spyOn(Bun, "spawn").mockImplementationOnce(unsized as unknown as typeof spawn);
  const { pid } = await rig.plugins.start("p");
  await clock.advance(60_000);
  expect(rig.plugins.get("p")).toMatchObject({ pid, restarts: 0 });
  process.kill(pid ?? 0, "SIGKILL");
  await advanceUntil(clock, "another process", () => (rig.plugins.get("p").pid ?? pid) !== pid);
  expect(rig.plugins.get("p").last_exit).toMatchObject({ code: null, reason: "ended; the system did not say how" });
});
