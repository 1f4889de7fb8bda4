// What a hub reports to systemd: the compiled hub, and the module alone where the test moves the clock.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { silentLog } from "../../src/kit/lifecycle/log.ts";
import { openSupervision } from "../../src/server/system/supervision.ts";
import { createHubPlace } from "../support/hub-place.ts";
import { openNotifySocket } from "../support/notify-socket.ts";
import { processesOf, standStill } from "../support/processes.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";

const SYSMON = '[[plugins]]\nid = "sysmon"\nbinary = "plugins/sysmon/bin/sysmon.js"\n';

test("a hub reports that it is ready, its status, the watchdog's keep-alive, and that it stops", async () => {
  await using place = createHubPlace({ toml: SYSMON });
  using socket = openNotifySocket(`${place.home}-notify`);
  await using hub = await place.start({ env: { NOTIFY_SOCKET: socket.name, WATCHDOG_USEC: "400000" } });
  await socket.received("READY=1");
  expect((await hub.request("GET", "/health", { token: null })).status).toBe(200);
  await socket.received("WATCHDOG=1", 2);
  await socket.received(/^STATUS=version \S+, [1-9]\d* devices?, 1 plugin$/);
  expect(socket.count("STOPPING=1")).toBe(0);
  await hub.end();
  await socket.received("STOPPING=1");
  expect(socket.count("READY=1")).toBe(1);
  expect(socket.lines()[0]).toBe("READY=1");
});

test("the socket may have an abstract name, and the watchdog may be for another process", async () => {
  await using place = createHubPlace();
  using socket = openNotifySocket(`@hub-test-${process.pid}-${Date.now()}`);
  const env = { NOTIFY_SOCKET: socket.name, WATCHDOG_USEC: "100000", WATCHDOG_PID: "1" };
  await using hub = await place.start({ env });
  await socket.received("READY=1");
  await hub.end();
  await socket.received("STOPPING=1");
  expect(socket.count("WATCHDOG=1")).toBe(0);
});

test("a hub that is stopped sends no keep-alive to the watchdog", async () => {
  await using place = createHubPlace();
  using socket = openNotifySocket(`${place.home}-notify`);
  await using hub = await place.start({ env: { NOTIFY_SOCKET: socket.name, WATCHDOG_USEC: "100000" } });
  await socket.received("WATCHDOG=1");
  await standStill(hub.pid);
  const before = socket.count("WATCHDOG=1");
  // Three intervals: there is no event to wait for when nothing is sent.
  await Bun.sleep(150);
  expect(socket.count("WATCHDOG=1")).toBe(before);
  hub.kill("SIGCONT");
  await socket.received("WATCHDOG=1", before);
});

test("a socket that is missing, too long or of another kind changes nothing, and plugins do not inherit it", async () => {
  await using place = createHubPlace({ toml: SYSMON });
  for (const socket of [place.at("no", "socket"), `/${"x".repeat(200)}`, "vsock:2:1"]) {
    await using hub = await place.start({ env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "100000" } });
    expect((await hub.request("GET", "/health", { token: null })).status).toBe(200);
    const children = await until("sysmon runs", () => {
      const pids = processesOf(place.home).filter((pid) => pid !== hub.pid);
      return pids.length > 0 ? pids : undefined;
    });
    for (const pid of children)
      expect(readFileSync(`/proc/${pid}/environ`, "latin1")).not.toMatch(/NOTIFY_SOCKET|WATCHDOG/);
    await hub.end();
    expect(await hub.exited).toBe(0);
  }
});

test("the health check does not use the proxy of the environment", async () => {
  await using place = createHubPlace();
  using socket = openNotifySocket(`${place.home}-notify`);
  const proxy = "http://127.0.0.1:1";
  await using _hub = await place.start({
    env: { NOTIFY_SOCKET: socket.name, WATCHDOG_USEC: "100000", HTTP_PROXY: proxy, http_proxy: proxy },
  });
  await socket.received("WATCHDOG=1", 1);
});

test("an unhealthy hub is checked again, and sends a keep-alive only when it is healthy", async () => {
  using folder = createTemporaryFolder();
  using socket = openNotifySocket(folder.at("notify"));
  const clock = createVirtualClock();
  let well = true;
  let asked = 0;
  const env = { NOTIFY_SOCKET: socket.name, WATCHDOG_USEC: "60000000", WATCHDOG_PID: "42" };
  using supervision = openSupervision({ env, clock, log: silentLog, pid: 42 });
  supervision.ready({
    summary: () => "two\nlines",
    async isWell(withinMs) {
      asked++;
      expect(withinMs).toBe(7500);
      return well;
    },
  });
  expect(socket.lines()).toEqual(["READY=1", "STATUS=two lines"]);
  await clock.advance(29_999);
  expect(asked).toBe(0);
  await clock.advance(1);
  expect({ asked, fed: socket.count("WATCHDOG=1") }).toEqual({ asked: 1, fed: 1 });
  well = false;
  await clock.advance(59_000);
  expect({ again: asked > 2, fed: socket.count("WATCHDOG=1") }).toEqual({ again: true, fed: 1 });
  well = true;
  await clock.advance(7500);
  expect(socket.count("WATCHDOG=1")).toBe(2);
  supervision.stopping();
  const after = asked;
  await clock.advance(120_000);
  expect({ after: asked, stopping: socket.count("STOPPING=1") }).toEqual({ after, stopping: 1 });
});
