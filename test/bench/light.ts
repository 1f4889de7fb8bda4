// bun test/bench/light.ts [--binary PATH] [--full]: how light the hub is, in one table: each figure with its target, what the twin needs
// for the same work, and whether the target is met. Takes some nine minutes; with --full the rounds of the benchmarks themselves, and
// longer. Ends with 1 only where a benchmark broke: a missed target is reported and fails nothing.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Row } from "./support/bench.ts";
import { formatTable } from "./support/table.ts";

interface Line {
  /** What the table calls it. */
  title: string;
  bench: string;
  /** The rows of that benchmark which belong to it. */
  rows: RegExp;
}

const LINES: readonly Line[] = [
  { title: "start", bench: "cold-start", rows: /^ms to \/health, median/ },
  { title: "at rest", bench: "idle-memory", rows: /^(RSS|own) MiB, started again/ },
  { title: "at rest", bench: "idle-cpu", rows: /./ },
  { title: "5,000 rules", bench: "rules-memory", rows: /^ms to logged in/ },
  { title: "disk", bench: "sd-card", rows: /^MB\/day, (100 devices|the 100 devices|a meter|a rule|the same)/ },
  { title: "history", bench: "history-query", rows: /^ms, p95: a year of three million/ },
  { title: "fan-out", bench: "fan-out", rows: /^deliveries\/s/ },
  { title: "GET with a token", bench: "authenticated-get", rows: /^requests\/s/ },
  { title: "MQTT in", bench: "mqtt-to-socket", rows: /^messages\/s/ },
  { title: "after a load", bench: "memory-after-load", rows: /^RSS MiB above rest, a minute after 100,000/ },
  { title: "beside", bench: "others", rows: /./ },
];
/** One after the other; what stands side by side waits most of the time, or counts what is its own. */
const STEPS: readonly (readonly (readonly string[])[])[] = [
  [["cold-start", "authenticated-get", "fan-out", "mqtt-to-socket", "rules-memory", "others", "history-query"]],
  [["sd-card"], ["idle-cpu", "memory-after-load"], ["idle-memory"]],
];
const HERE = import.meta.dir;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

type Results = Record<string, Row[]>;

const { values } = parseArgs({ options: { binary: { type: "string" }, full: { type: "boolean", default: false } } });
const folder = mkdtempSync(join(tmpdir(), "hub-light-"));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const begun = performance.now();
  const all: Results = {};
  let broken = false;
  for (const step of STEPS) {
    for (const ran of await Promise.all(step.map(run))) {
      Object.assign(all, ran.results);
      broken ||= ran.broken;
    }
  }
  const rows = LINES.flatMap(({ title, bench, rows }) =>
    (all[bench] ?? []).filter(({ name }) => rows.test(name)).map((row) => ({ ...row, name: `${title}: ${row.name}` })),
  );
  print(`\n${formatTable("how light the hub is", rows)}`);
  const judged = rows.filter(({ met }) => met !== undefined);
  const met = judged.filter((row) => row.met).length;
  print(`\n${met} of ${judged.length} targets met, in ${Math.round((performance.now() - begun) / 1000)} s`);
  return broken ? 1 : 0;
}

/** Benchmarks in a process of their own: what it has ended and waited for counts as its own writing. */
async function run(names: readonly string[]): Promise<{ results: Results; broken: boolean }> {
  const file = join(folder, `${names[0]}.json`);
  const options = [...(values.full ? [] : ["--brief"]), ...(values.binary ? ["--binary", values.binary] : [])];
  const child = Bun.spawn([process.execPath, join(HERE, "run.ts"), ...options, "--results", file, ...names], {
    stdout: "inherit",
    stderr: "inherit",
  });
  const broken = (await child.exited) !== 0;
  const { results } = existsSync(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as { results: Results })
    : { results: {} };
  return { results, broken };
}
