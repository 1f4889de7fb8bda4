// How long the tests take that say "in bounded time" in their names: what guests can send must not cost more than this. Tests
// themselves look at no clock, so that a slow machine fails none; here a time above its ceiling is a missed target.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { atMost, type Bench, type Row } from "./support/bench.ts";

const TAG = "in bounded time";
const CEILING_MS = 2500;
/** Where another ceiling is meant: a part of the test's name, and ms. */
const CEILINGS: readonly (readonly [RegExp, number])[] = [
  [/^SIGTERM ends the hub and all of its children/, 10_000],
  [/^(leaves|ends) .*on SIGTERM/, 6000],
  [/^five thousand schedules/, 12_000],
  [/^5,000 files/, 8000],
  [/^placeholders/, 5000],
];
const TEST = join(import.meta.dir, "..");

export const bounds: Bench = {
  name: "bounds",
  async run({ binary, say }) {
    const files = [...new Glob("**/*.test.ts").scanSync(TEST)]
      .filter((file) => readFileSync(join(TEST, file), "utf8").includes(TAG))
      .sort();
    const rows: Row[] = [];
    for (const file of files) {
      const times = await timesOf(file, binary);
      if (times.length === 0) throw new Error(`no test of ${file} that says "${TAG}" was run`);
      say(`${file}: ${times.length} tests`);
      for (const [ceiling, group] of Map.groupBy(times, ({ name }) => ceilingOf(name))) {
        const slowest = Math.max(...group.map(({ ms }) => ms));
        rows.push(atMost(`${file}: slowest of ${group.length}, ms`, slowest, undefined, ceiling, "ms"));
      }
    }
    return rows;
  },
};

interface Timed {
  name: string;
  ms: number;
}

async function timesOf(file: string, binary: string): Promise<Timed[]> {
  const run = Bun.spawn([process.execPath, "test", `./test/${file}`, "-t", TAG, "--timeout", "120000"], {
    cwd: join(TEST, ".."),
    env: { ...Bun.env, HUB_BINARY: binary },
    stdout: "ignore",
    stderr: "pipe",
  });
  const output = await new Response(run.stderr).text();
  if ((await run.exited) !== 0) throw new Error(`${file} fails:\n${output.slice(-2000)}`);
  return [...output.matchAll(/^\(pass\) (.+) \[([\d.]+)ms\]$/gm)].map(([, name = "", ms]) => ({
    name,
    ms: Number(ms),
  }));
}

function ceilingOf(name: string): number {
  return CEILINGS.find(([pattern]) => pattern.test(name))?.[1] ?? CEILING_MS;
}
