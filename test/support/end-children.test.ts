// A test run that is ended by a signal leaves no process behind.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { isAlive } from "./processes.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { until } from "./wait.ts";

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s to the run ends its children and theirs", async (signal) => {
  using folder = createTemporaryFolder();
  const pidFile = folder.at("pids");
  const run = Bun.spawn([process.execPath, "test", "./test/support/hanging.ts"], {
    cwd: `${import.meta.dir}/../..`,
    env: { ...process.env, HANGING_PID_FILE: pidFile },
    stdout: "ignore",
    stderr: "ignore",
  });
  const pids = await until("the children run", () =>
    existsSync(pidFile) ? /^(\d+) (\d+)\n$/.exec(readFileSync(pidFile, "utf8"))?.slice(1).map(Number) : undefined,
  );
  expect(pids.filter(isAlive)).toEqual(pids);
  run.kill(signal);
  expect(await run.exited).toBeGreaterThan(128);
  await until("they are gone", () => !pids.some(isAlive));
});
