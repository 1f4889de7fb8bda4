// What a cell can and cannot do, with real processes and this machine's kernel.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { type CellBounds, type CellEnd, runCell } from "../../../../src/kit/lifecycle/cell.ts";
import { systemClock } from "../../../../src/kit/time/clock.ts";
import { createCellConfinement } from "../../../../src/reach/plugins/confine/cell.ts";
import { type Landlock, probeLandlock } from "../../../../src/reach/plugins/confine/landlock.ts";
import { probeNamespaces } from "../../../../src/reach/plugins/confine/namespaces.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../../support/temporary-folder.ts";
import { until } from "../rig.ts";

const MEBIBYTE = 1_048_576;
const BOUNDS: CellBounds = {
  ...{ memoryBytes: 300 * MEBIBYTE, cpuMs: 20_000, markCpuMs: 10_000, wallMs: 30_000, outputChars: MEBIBYTE },
};
const WITHOUT: Landlock = { ...probeLandlock(), abi: 0, reason: "the test says so" };
const confinedBy = (landlock: () => Landlock) =>
  createCellConfinement({
    ...{ landlock, namespaces: probeNamespaces, execPath: process.execPath, isRoot: process.getuid?.() === 0 },
  });
const confined = confinedBy(probeLandlock);
const MACHINES = [
  ...(probeLandlock().abi > 0 ? [{ by: "Landlock", means: confined }] : []),
  ...(probeNamespaces().command ? [{ by: "namespaces", means: confinedBy(() => WITHOUT) }] : []),
];

let folder: TemporaryFolder;
beforeAll(() => {
  folder = createTemporaryFolder();
  writeFileSync(folder.at("given.ics"), "what it was given");
  writeFileSync(folder.at("hub.toml"), "jwt_secret");
});
afterAll(() => folder[Symbol.dispose]());

function run(
  code: string,
  bounds: Partial<CellBounds> = {},
  { means = confined, signal }: { means?: typeof confined; signal?: AbortSignal } = {},
): Promise<CellEnd> {
  const flags = ["--no-env-file", "--config=/dev/null", "--no-install"];
  const task = {
    argv: [process.execPath, ...flags, "-e", code],
    env: { BUN_BE_BUN: "1" },
    readable: [folder.at("given.ics")],
  };
  return runCell(means(task), { ...BOUNDS, ...bounds }, { clock: systemClock, signal });
}

describe("a cell", () => {
  test("gives its answer, and nothing of the hub's environment", async () => {
    process.env.SECRET_OF_THE_TEST = "x";
    const end = await run(
      `console.log("@3\\n" + require("fs").readFileSync("${folder.at("given.ics")}", "utf8") + process.env.SECRET_OF_THE_TEST)`,
    );
    delete process.env.SECRET_OF_THE_TEST;
    expect(end).toEqual({ kind: "done", answer: "what it was givenundefined" });
  });

  test("that takes memory without end is ended, and says where it was", async () => {
    const end = await run(`console.log("@7"); const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1));`);
    expect(end).toEqual({ kind: "over", limit: "memory", mark: 7 });
  });

  test("that computes without end is ended, and one that waits", async () => {
    expect(await run(`console.log("@1\\n@2"); for (;;);`, { markCpuMs: 500 })).toEqual({
      ...{ kind: "over", limit: "time", mark: 2 },
    });
    expect(await run("for (;;);", { cpuMs: 500 })).toMatchObject({ kind: "over", limit: "time" });
    expect(await run("setInterval(() => {}, 1000)", { wallMs: 500 })).toMatchObject({ kind: "over", limit: "time" });
  });

  test("that writes without end is ended", async () => {
    const end = await run(`const text = "x".repeat(1e5); for (;;) require("fs").writeSync(1, text);`);
    expect(end).toMatchObject({ kind: "over", limit: "output" });
  });

  test("that dies is an answer too", async () => {
    expect(await run(`console.log("@4"); process.abort()`)).toMatchObject({ kind: "died", mark: 4 });
    expect(await run("process.exit(3)")).toEqual({ kind: "died", how: "exit code 3", mark: undefined });
  });

  test("ends with who waits for it", async () => {
    const ending = new AbortController();
    const running = run("for (;;);", {}, { signal: ending.signal });
    ending.abort(new Error("the hub stops"));
    await expect(running).rejects.toThrow("the hub stops");
  });
});

describe.each(MACHINES)("held by $by, a cell", ({ means }) => {
  const attempt = async (code: string): Promise<string> => {
    const tried = `try { ${code}; console.log("done"); } catch (error) { console.log(error.code); }`;
    const end = await run(tried, {}, { means });
    return end.kind === "done" ? end.answer : end.kind;
  };
  // What is not shown is not there.
  const REFUSED = /^(EACCES|ENOENT|EROFS|EPERM)$/;

  test("reads no other file, and writes none", async () => {
    expect(await attempt(`require("fs").readFileSync("${folder.at("given.ics")}")`)).toBe("done");
    expect(await attempt(`require("fs").readFileSync("${folder.at("hub.toml")}")`)).toMatch(REFUSED);
    expect(await attempt(`require("fs").readFileSync("/etc/passwd")`)).toMatch(REFUSED);
    expect(await attempt(`require("fs").readFileSync("/proc/${process.pid}/environ")`)).toMatch(REFUSED);
    expect(await attempt(`require("fs").writeFileSync("${folder.at("new")}", "x")`)).toMatch(REFUSED);
    expect(await attempt(`require("fs").writeFileSync("${folder.at("given.ics")}", "x")`)).toMatch(REFUSED);
    expect(existsSync(folder.at("new"))).toBe(false);
  });

  test("signals nobody but itself", async () => {
    const threads = readdirSync(`/proc/${process.pid}/task`).map(Number);
    for (const number of [process.pid, process.ppid, ...threads])
      expect(await attempt(`process.kill(${number}, 0)`)).toBe("EPERM");
    expect(await attempt("process.kill(process.pid, 0)")).toBe("done");
    let reached = 0;
    const onSignal = (): void => void reached++;
    process.on("SIGUSR2", onSignal);
    // Its group is the hub's.
    for (const group of [0, -1]) await attempt(`process.kill(${group}, "SIGUSR2")`);
    // Which comes behind those that were sent before.
    process.kill(process.pid, "SIGUSR2");
    await until("its own signal is there", () => reached > 0);
    process.off("SIGUSR2", onSignal);
    expect(reached).toBe(1);
  });

  test("starts no program, and has no network", async () => {
    expect(await attempt(`Bun.spawnSync(["/bin/true"])`)).toMatch(REFUSED);
    using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("x") });
    const end = await run(
      `fetch("${server.url.href}").then(() => console.log("reached"), () => console.log("refused"))`,
      {},
      { means },
    );
    expect(end).toEqual({ kind: "done", answer: "refused" });
  });
});
