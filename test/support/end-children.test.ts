// A test run leaves no process behind, however it ends.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { isAlive } from "./processes.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { until } from "./wait.ts";

async function startRun(name: string, pidFile: string) {
  const run = Bun.spawn([process.execPath, "test", "./test/support/hanging.ts", "-t", name], {
    cwd: `${import.meta.dir}/../..`,
    env: { ...process.env, HANGING_PID_FILE: pidFile },
    stdout: "ignore",
    stderr: "ignore",
  });
  const pids = await until("the children run", () =>
    existsSync(pidFile) ? /^(\d+) (\d+)\n$/.exec(readFileSync(pidFile, "utf8"))?.slice(1).map(Number) : undefined,
  );
  return { run, pids };
}

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s to the run ends its children and theirs", async (signal) => {
  using folder = createTemporaryFolder();
  const { run, pids } = await startRun("hangs", folder.at("pids"));
  expect(pids.filter(isAlive)).toEqual(pids);
  run.kill(signal);
  expect(await run.exited).toBeGreaterThan(128);
  await until("they are gone", () => !pids.some(isAlive));
});

test("a test that times out leaves none, not even a stopped one", async () => {
  using folder = createTemporaryFolder();
  const { run, pids } = await startRun("leaves a stopped child", folder.at("pids"));
  expect(await run.exited).toBe(1);
  await until("they are gone", () => !pids.some(isAlive));
});
