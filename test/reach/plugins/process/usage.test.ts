// Limits on the memory and processes of plugins, with real processes.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { excessOf, listProcesses, ownTasks, usageOf } from "../../../../src/reach/plugins/process/usage.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { createRig, textOf, until } from "../rig.ts";

const GREEDY = `const kept = []; for (let n = 0; n < 10; n++) kept.push(new Uint8Array(10_000_000).fill(n + 1));
require("fs").writeFileSync("done", "x"); setInterval(() => kept.length, 1000);`;

test.each(["auto", "off"])(
  "a plugin with too much memory is ended, restarted, and reported (confine = %s)",
  async (confine) => {
    const clock = createVirtualClock();
    const entry = { id: "p", binary: "plugins/p/p.js", max_memory_mb: 60, confine };
    await using rig = createRig([entry], { "plugins/p/p.js": GREEDY }, { clock });
    const { pid } = await rig.plugins.start("p");
    await until("it has taken its memory", () => existsSync(rig.home.resolve("plugins/p/done")));
    await clock.advance(10_000);
    const exit = await until("it was ended", () => rig.plugins.get("p").last_exit);
    expect(exit.reason).toMatch(/^\d+ MB of memory are more than 60: ended by the hub$/);
    expect(rig.reached).toEqual([
      {
        limit: "[[plugins]] max_memory_mb",
        account: "p",
        message: expect.stringContaining("more than 60; it is restarted"),
      },
    ]);
    await clock.advance(2000);
    expect(await until("it runs again", () => rig.plugins.get("p").pid)).not.toBe(pid);
  },
);

test("a plugin with too many processes is ended, and so are processes without a parent", async () => {
  const clock = createVirtualClock();
  const script = "#!/bin/sh\nfor n in 1 2 3 4 5 6; do (sleep 60 & exit); done; touch done; exec sleep 60\n";
  const entry = { id: "p", binary: "plugins/p/run", max_processes: 5 };
  await using rig = createRig([entry], { "plugins/p/run": script }, { clock });
  await rig.plugins.start("p");
  await until(
    "they run or cannot be started",
    () => existsSync(rig.home.resolve("plugins/p/done")) || rig.plugins.get("p").last_exit,
  );
  await clock.advance(10_000);
  const exit = await until("it was ended", () => rig.plugins.get("p").last_exit);
  expect(exit.reason).toBe("7 processes and threads are more than 5: ended by the hub");
  expect(rig.reached.map(({ limit }) => limit)).toEqual(["[[plugins]] max_processes"]);
});

test("a plugin within its limits, or without limits, keeps running", async () => {
  const clock = createVirtualClock();
  const entries = [
    { id: "p", binary: "plugins/p/p.js" },
    { id: "q", binary: "plugins/q/p.js", max_memory_mb: 0, max_processes: 0 },
  ];
  await using rig = createRig(entries, { "plugins/p/p.js": GREEDY, "plugins/q/p.js": GREEDY }, { clock });
  for (const { id } of entries) await rig.plugins.start(id);
  for (const { id } of entries)
    await until("it has its memory", () => existsSync(rig.home.resolve(`plugins/${id}/done`)));
  await clock.advance(10_000);
  expect(rig.plugins.list().map(({ pid, last_exit }) => [pid !== null, last_exit])).toEqual([
    [true, null],
    [true, null],
  ]);
  expect(rig.reached).toEqual([]);
});

test("this process and this user are counted", () => {
  const all = listProcesses();
  expect(all.find(({ pid }) => pid === process.pid)).toMatchObject({ parent: process.ppid });
  expect(ownTasks()).toBeGreaterThan(1);
  const nothing = { entry: { max_memory_mb: 1, max_processes: 0 }, totalMemory: 0 };
  expect(excessOf(usageOf(process.pid, all), nothing)?.limit).toBe("[[plugins]] max_memory_mb");
  expect(excessOf(usageOf(process.pid, []), nothing)).toBeUndefined();
});

test("when memory is short the kernel kills a plugin before the hub, and there is no core dump", async () => {
  const script =
    "#!/bin/sh\ncat /proc/self/oom_score_adj >oom; ulimit -c >core; (ulimit -p || ulimit -u) >most 2>/dev/null; touch done; exec sleep 60\n";
  for (const confine of ["auto", "off"]) {
    await using rig = createRig([{ id: "p", binary: "plugins/p/run", confine, max_processes: 300 }], {
      "plugins/p/run": script,
    });
    const before = ownTasks() ?? 0;
    await rig.plugins.start("p");
    const text = (name: string) => textOf(rig.home.resolve(`plugins/p/${name}`));
    await until("it is done", () => text("done") !== undefined);
    expect({ oom: text("oom"), core: text("core") }).toEqual({ oom: "500\n", core: "0\n" });
    expect(Number(text("most"))).toBeGreaterThan(300);
    expect(Number(text("most"))).toBeLessThan(before + 400);
  }
});

test("the hub writes the log without following links of the plugin, and does not wait at a pipe", async () => {
  const files = {
    "plugins/p/run": "#!/bin/sh\necho printed; exit 1\n",
    "rules/p.log": "rule\n",
    "rules/mine.toml": "rule\n",
  };
  for (const place of ["folder", "file", "pipe"] as const) {
    await using rig = createRig([{ id: "p", binary: "plugins/p/run" }], files);
    const { logs, log } = rig.home.plugin("p");
    if (place === "folder") symlinkSync(rig.home.rules, logs);
    else mkdirSync(logs);
    if (place === "file") symlinkSync(rig.home.resolve("rules/mine.toml"), log);
    if (place === "pipe") Bun.spawnSync(["mkfifo", log]);
    await rig.plugins.start("p");
    await until("it has ended", () => rig.plugins.get("p").last_exit);
    await rig.plugins.stop("p");
    // More lines than are in memory, so the file is read.
    expect(rig.plugins.log("p", 1000).join("\n")).not.toContain("rule");
    expect(readFileSync(rig.home.resolve("rules/p.log"), "utf8")).toBe("rule\n");
    expect(readFileSync(rig.home.resolve("rules/mine.toml"), "utf8")).toBe("rule\n");
    expect(rig.warned.filter((line) => line.includes("a plugin's log cannot be written"))).toHaveLength(1);
    rmSync(join(log), { force: true });
  }
});
