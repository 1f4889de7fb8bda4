// The tools that developers run all day: what fails now and then is named, nothing stays behind, and what a change reaches is found.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { isAlive, processesOf } from "../support/processes.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";
import { distancesFrom, namedBy } from "./named-files.ts";

const EVERY_OTHER = `
import { expect, test } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
const runs = join(import.meta.dir, "runs");
appendFileSync(runs, "x");
test("now & then", () => expect(readFileSync(runs, "utf8").length % 2).toBe(1));
test("always", () => {});
`;
const HANGING = `import { test } from "bun:test";\ntest("never over", () => new Promise(() => {}), 60_000);\n`;

function flaky(file: string, ...options: string[]) {
  return Bun.spawn([process.execPath, "--no-orphans", join(import.meta.dir, "flaky.ts"), file, ...options], {
    // By this its children are found.
    env: { ...process.env, FLAKY_OF: join(file, "..") },
    stdout: "pipe",
    stderr: "inherit",
  });
}

test("a test that fails now and then is named, with how often, its seeds and why", async () => {
  using folder = createTemporaryFolder();
  await Bun.write(folder.at("every-other.test.ts"), EVERY_OTHER);
  const run = flaky(folder.at("every-other.test.ts"), "--times", "4");
  const reported = await run.stdout.text();
  expect(await run.exited).toBe(1);
  expect(reported).toMatch(
    /\n2 of 4: .*every-other\.test\.ts: now & then\n {2}--isolate --randomize --seed=\d+, \d+\n/,
  );
  expect(reported).toContain("| AssertionError: expect(received).toBe(expected)");
  expect(reported).not.toContain("always");
}, 120_000);

test("a run that does not end fails, and so does a file that cannot be loaded", async () => {
  using folder = createTemporaryFolder();
  await Bun.write(folder.at("hanging.test.ts"), HANGING);
  await Bun.write(folder.at("broken.test.ts"), 'throw new Error("broken at its beginning");\n');
  const hanging = flaky(folder.at("hanging.test.ts"), "--times", "1", "--limit-secs", "2");
  expect(await hanging.stdout.text()).toMatch(/\n1 of 1: .*hanging\.test\.ts: \(not over after 2 s\)\n/);
  const broken = flaky(folder.at("broken.test.ts"), "--times", "1");
  expect(await broken.stdout.text()).toMatch(
    /\n1 of 1: .*broken\.test\.ts: \(between tests\)\n(?:.*\n)*.*broken at its beginning/,
  );
  expect([await hanging.exited, await broken.exited]).toEqual([1, 1]);
}, 120_000);

test("its load and its run end with it, also when it is killed", async () => {
  using folder = createTemporaryFolder();
  await Bun.write(folder.at("hanging.test.ts"), HANGING);
  const run = flaky(folder.at("hanging.test.ts"), "--times", "1");
  const children = () => processesOf(folder.path).filter((pid) => pid !== run.pid);
  await until("the load and the run are there", () => children().length > navigator.hardwareConcurrency);
  run.kill("SIGKILL");
  await run.exited;
  await until("they are gone", () => children().every((pid) => !isAlive(pid)));
}, 120_000);

test("a change reaches who imports it, starts it or reads it, but not who uses its types", async () => {
  using folder = createTemporaryFolder();
  const texts = {
    "src/a/word.ts": "export const word = 1;",
    "src/a/worker.ts": 'import { word } from "./word.ts";',
    "src/a/client.ts": 'new Worker(new URL("./worker.ts", import.meta.url));',
    "src/a/table.sql": "SELECT 1",
    "src/a/later.ts": 'export const later = () => import("./client.ts");',
    "src/a/list.ts": 'import table from "./table.sql" with { type: "text" };',
    "src/a/shape.ts": 'import type { Word } from "./word.ts";\n// As in src/a/word.ts.',
    "test/a/child.test.ts": 'join(import.meta.dir, "../../src/a", "later.ts"); readFile("src/a/later.ts");',
    "test/a/page.test.ts": `await import(\`\${folder}/a/word.ts\`);`,
  };
  for (const [path, text] of Object.entries(texts)) await Bun.write(folder.at(...path.split("/")), text);
  const named = namedBy(folder.path, new Set(Object.keys(texts)));
  const reached = (path: string) => Object.fromEntries(distancesFrom([path], named));
  expect(reached("src/a/word.ts")).toEqual({
    "src/a/word.ts": 0,
    "src/a/worker.ts": 1,
    "test/a/page.test.ts": 1,
    "src/a/client.ts": 2,
    "src/a/later.ts": 3,
    "test/a/child.test.ts": 4,
  });
  expect(reached("src/a/table.sql")).toEqual({ "src/a/table.sql": 0, "src/a/list.ts": 1 });
});

test("steps run beside light ones, and one alone after all; the rest goes on after one that failed", async () => {
  using folder = createTemporaryFolder();
  // Each waits for a file that the other writes.
  const meets = (writes: string, wants: string): string =>
    `cd ${folder.path} && touch ${writes} && for i in $(seq 600); do [ -e ${wants} ] && break; sleep 0.1; done; [ -e ${wants} ]`;
  const steps = [`alone [ -e ${folder.at("last")} ]`, "false", meets("a", "b"), `light ${meets("b", "a")}`];
  const run = Bun.spawn([process.execPath, join(import.meta.dir, "side-by-side.ts"), "--at-once", "1"], {
    stdin: new TextEncoder().encode([...steps, `light touch ${folder.at("last")}`].join("\n")),
    stdout: "pipe",
  });
  const reported = await run.stdout.text();
  expect(await run.exited).toBe(1);
  expect(reported.match(/^FAILED .*/gm)).toEqual(["FAILED with 1: false"]);
});
