// A hub that was killed reports that in its health, its alerts, an event and a notification.
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";

const json = async <T>(answer: Promise<Response>): Promise<T> => (await (await answer).json()) as T;

test("a hub that was killed reports that at its next start, once", async () => {
  using folder = createTemporaryFolder();
  mkdirSync(join(folder.path, "data"), { recursive: true });
  writeFileSync(join(folder.path, "data", "hub.lock.pid"), "4242\n");
  // The process of the test runs the whole suite.
  const toml = '[alerts]\nchannel = "log"\nmemory_mb = 100000\n';
  let admin = { username: "", password: "" };
  {
    await using hub = await startTestHub({ folder, toml });
    admin = hub.admin;
    expect(await json(hub.request("GET", "/health"))).toMatchObject({
      status: "ok",
      ready: true,
      degraded: ["unclean_stop"],
    });
    const token = hub.adminToken;
    expect(await json<object[]>(hub.request("GET", "/system/alerts", { token }))).toMatchObject([
      { id: "unclean_stop", kind: "unclean_stop", severity: "info", until: null },
    ]);
    expect(await json<object[]>(hub.request("GET", "/events?type=alert", { token }))).toMatchObject([
      { type: "alert", kind: "unclean_stop", state: "raised" },
    ]);
    await until("the notification", () =>
      hub.platform.stdout.text.includes("a power cut, a crash or a kill. Nothing that was"),
    );
  }
  await using hub = await startTestHub({ folder, toml, admin });
  expect(await json(hub.request("GET", "/health"))).toMatchObject({ ready: true, degraded: [] });
});
