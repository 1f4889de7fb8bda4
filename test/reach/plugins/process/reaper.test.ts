import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { systemClock } from "../../../../src/kit/time/clock.ts";
import { startChild } from "../../../../src/reach/plugins/process/child.ts";
import { createReaper, type Reaper } from "../../../../src/reach/plugins/process/reaper.ts";
import { alive, pidIn, until } from "../rig.ts";

const env = { PATH: process.env.PATH ?? "" };

test("a plugin does not run before the reaper knows its process group, nor when the reaper cannot be reached", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hub-reaper-"));
  const unreachable: Reaper = {
    pid: null,
    newMark: () => "no reaper",
    add: () => Promise.reject(new Error("no reaper")),
    remove() {},
    async [Symbol.asyncDispose]() {},
  };
  const argv = ["/bin/sh", "-c", "echo ran > ran"];
  const options = { cwd: folder, env, reaper: unreachable, clock: systemClock };
  expect(await startChild({ argv, ...options }).catch((error) => error.message)).toBe("no reaper");
  expect(await Bun.file(join(folder, "ran")).exists()).toBe(false);
  rmSync(folder, { recursive: true });
});

test("a reaper that dies is replaced, knows the groups, and ends without harm", async () => {
  const reaper = createReaper(silentLog, randomBytes);
  const child = await startChild({ argv: ["sleep", "300"], cwd: "/", env, reaper, clock: systemClock });
  const first = reaper.pid ?? 0;
  process.kill(first, "SIGKILL");
  const second = await until("another reaper", () => reaper.pid !== first && reaper.pid);
  expect(alive(child.pid)).toBe(true);
  child.terminate();
  expect(await child.exited).toEqual({ code: null, signal: "SIGTERM" });
  await reaper[Symbol.asyncDispose]();
  expect(alive(second)).toBe(false);
});

test("SIGKILL of the hub leaves no process of any plugin", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hub-killed-"));
  const script =
    "#!/bin/sh\necho $$ > pid\nsh -c 'trap \"\" TERM HUP; sleep 300 & echo $! > grandchild; wait' &\nsetsid sleep 300 & echo $! > stray\nsetsid env -i sleep 300 & echo $! > bare\nexec sleep 300\n";
  writeFileSync(join(folder, "p.sh"), script, { mode: 0o755 });
  writeFileSync(join(folder, "p.ts"), 'await Bun.write("pid", process.pid + "\\n"); setInterval(() => {}, 1000);');
  const source = (path: string) => JSON.stringify(join(import.meta.dir, "../../../../src", path));
  // It ends by itself if this test dies first.
  writeFileSync(
    join(folder, "hub.ts"),
    `import { systemClock } from ${source("kit/time/clock.ts")};
    import { silentLog } from ${source("kit/lifecycle/log.ts")};
    import { homeAt } from ${source("server/home/paths.ts")};
    import { createPlugins } from ${source("reach/plugins/supervisor.ts")};
    import { probeLandlock } from ${source("reach/plugins/confine/landlock.ts")};
    import { probeNamespaces } from ${source("reach/plugins/confine/namespaces.ts")};
    const entry = {
      enabled: true, args: [], env: {}, heartbeat_timeout_secs: 90, confine: "auto", read: [], write: [],
      max_processes: 1000, publish: [], subscribe: [],
    };
    const plugins = createPlugins({
      entries: [{ ...entry, id: "sh", binary: "p.sh" }, { ...entry, id: "ts", binary: "p.ts" }],
      home: homeAt(${JSON.stringify(folder)}), execPath: process.execPath, env: process.env, clock: systemClock,
      log: silentLog, random: (n) => crypto.getRandomValues(new Uint8Array(n)), emit() {}, broker: () => ({ host: "::", port: 1, prefix: "hub" }),
      accounts: { issue: () => "x", revoke() {} }, channel: {}, devices: { count: () => 0, heard() {}, unavailable() {} },
      known: { load: () => [], save() {} }, limits: { reached() {} }, landlock: probeLandlock, namespaces: probeNamespaces, secrets: [],
    });
    plugins.startAll();
    setTimeout(() => process.exit(1), 20_000);`,
  );
  const hub = Bun.spawn([process.execPath, join(folder, "hub.ts")], { env, stdout: "ignore", stderr: "inherit" });
  const file = (...parts: string[]) => join(folder, "plugins", ...parts);
  const paths = [
    file("sh", "pid"),
    file("sh", "grandchild"),
    file("sh", "stray"),
    file("sh", "bare"),
    file("ts", "pid"),
  ];
  const pids = await until("all run", () => {
    const found = paths.map(pidIn);
    return found.every((pid) => pid !== undefined) && found.map(Number);
  });
  expect(pids.filter(alive)).toEqual(pids);
  const children = Bun.spawnSync(["ps", "-o", "pid=,args=", "--ppid", String(hub.pid)])
    .stdout.toString()
    .split("\n");
  const reaper = Number(
    children
      .find((line) => line.includes("while read"))
      ?.trim()
      .split(" ")[0],
  );
  expect(alive(reaper)).toBe(true);
  hub.kill("SIGKILL");
  await hub.exited;
  await until("none is left", () => ![...pids, reaper].some(alive));
  rmSync(folder, { recursive: true, force: true });
});
