// The trial of another version, by itself: the process of the trial never outlives it, and what cannot be started goes out again.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { silentLog } from "../../src/kit/lifecycle/log.ts";
import { homeAt } from "../../src/server/home/paths.ts";
import { applyUpgrade, readLastUpgrade } from "../../src/server/system/upgrade/apply-upgrade.ts";
import { tryStart } from "../../src/server/system/upgrade/trial-start.ts";
import { isAlive } from "../support/processes.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { soon, until } from "../support/wait.ts";

// Nobody answers there.
const NOWHERE = { host: "127.0.0.1", port: 1, tls: false };
// Before the stop of this process is given up, see serve.ts.
const STOP_MS = 9000;

function rig() {
  const folder = createTemporaryFolder();
  const home = homeAt(folder.at("home"));
  mkdirSync(home.bin, { recursive: true });
  mkdirSync(home.data, { recursive: true });
  const terminated = folder.at("told");
  return {
    home,
    terminated,
    pid: folder.at("pid"),
    clock: createVirtualClock(),
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}

test("a version that does not end by itself is gone before this process has to be", async () => {
  using one = rig();
  const { home, terminated, pid, clock } = one;
  const script = `#!/bin/sh\ntrap 'echo > ${terminated}' TERM\necho $$ > ${pid}\nwhile :; do sleep 0.05; done\n`;
  writeFileSync(home.executable, script, { mode: 0o755 });
  const stop = Promise.withResolvers<void>();
  const options = {
    clock,
    home,
    address: NOWHERE,
    env: process.env,
    version: "9.9.9",
    watchSecs: 60,
    stopped: stop.promise,
  };
  const trial = tryStart(options);
  await until("it runs", () => existsSync(pid) && readFileSync(pid, "utf8").trim() !== "");
  stop.resolve();
  await until("it was ordered to end", async () => {
    // The trial asks again and again.
    await clock.advance(1);
    return existsSync(terminated);
  });
  await clock.advance(STOP_MS);
  expect(await soon("the trial ends", trial, 5000)).toContain("told to stop");
  expect(isAlive(Number(readFileSync(pid, "utf8")))).toBe(false);
});

test("a version that the system cannot even start goes out again", async () => {
  using one = rig();
  const { home, clock } = one;
  const done: string[] = [];
  const swap = { in: () => done.push("in"), out: () => done.push("out"), confirm: () => done.push("confirm") };
  const own = { stopped: new Promise(() => {}), replace: (): Promise<never> => Promise.reject(new Error("replaced")) };
  const upgrade = {
    from: "1.0.0",
    to: "9.9.9",
    withDatabases: false,
    watchSecs: 60,
    address: NOWHERE,
    env: process.env,
    log: silentLog,
  };
  const failed = applyUpgrade({ ...upgrade, home, clock, own, swap });
  expect(await failed.then(String, String)).toContain(home.executable);
  expect(done).toEqual(["in", "out"]);
  expect(readLastUpgrade(home)?.ok).toBe(false);
});
