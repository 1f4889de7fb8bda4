// bun run flaky [PATTERN…] [--times N] [--limit-secs N]: which tests fail now and then. Runs the files that match fifty times, each time
// in another order and beside a busy process on every core, and at the end names what failed. No run takes longer than its limit.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Failure, failuresIn, lastFileIn } from "./failures.ts";

const ROOT = join(import.meta.dir, "..", "..");
const FIRST_LINES = 12;
/** What a run that is ordered to end has for ending the hubs it started. */
const END_MS = 10_000;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

interface Seen {
  seeds: number[];
  lines: readonly string[];
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { times: { type: "string", default: "50" }, "limit-secs": { type: "string", default: "300" } },
  });
  const [times, limitMs] = [Number(values.times), Number(values["limit-secs"]) * 1000];
  if (!(Number.isInteger(times) && times > 0 && limitMs > 0)) {
    print("Usage: bun run flaky [PATTERN…] [--times N] [--limit-secs N]");
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), "hub-flaky-"));
  using _load = busyCores();
  const seen = new Map<string, Seen>();
  try {
    for (let run = 1; run <= times; run++) {
      const seed = Math.floor(Math.random() * 2 ** 31);
      const failures = await runOnce(positionals, { seed, limitMs, report: join(folder, `${run}.xml`) });
      for (const { test, lines } of failures) {
        const before = seen.get(test);
        if (before) before.seeds.push(seed);
        else seen.set(test, { seeds: [seed], lines });
      }
      print(
        `run ${run} of ${times}, seed ${seed}: ${failures.map(({ test }) => `FAILED ${test}`).join(", ") || "passed"}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  print(summary(seen, times));
  return seen.size > 0 ? 1 : 0;
}

interface Run {
  seed: number;
  limitMs: number;
  /** Where Bun writes what came out. */
  report: string;
}

async function runOnce(patterns: readonly string[], { seed, limitMs, report }: Run): Promise<Failure[]> {
  const ignored = ["system", "bench", "page"].filter(
    (folder) => !patterns.some((one) => one.includes(`test/${folder}`)),
  );
  const child = Bun.spawn(
    [
      ...[process.execPath, "--no-orphans", "test", ...patterns, "--isolate", "--randomize", `--seed=${seed}`],
      ...["--timeout", "120000", "--reporter=junit", `--reporter-outfile=${report}`],
      ...ignored.flatMap((folder) => ["--path-ignore-patterns", `test/${folder}/**`]),
    ],
    { cwd: ROOT, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  );
  let isLate = false;
  const end = setTimeout(() => {
    isLate = true;
    child.kill("SIGTERM");
  }, limitMs);
  const kill = setTimeout(() => child.kill("SIGKILL"), limitMs + END_MS);
  const [output, code] = await Promise.all([child.stderr.text(), child.exited]);
  clearTimeout(end);
  clearTimeout(kill);
  if (output.includes("did not match any test files")) throw new Error(`no test file matches ${patterns.join(" ")}`);
  const file = lastFileIn(output) || "no file";
  const last = output.trimEnd().split("\n").slice(-FIRST_LINES);
  if (isLate) return [{ test: `${file}: (not over after ${limitMs / 1000} s)`, lines: last }];
  if (code === 0) return [];
  const found = failuresIn(output, readIfThere(report));
  return found.length > 0 ? found : [{ test: `${file}: (bun test ended with ${code})`, lines: last }];
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** They end with this process, however it ends. */
function busyCores(): Disposable {
  const busy = Array.from({ length: availableParallelism() }, () =>
    Bun.spawn([process.execPath, "--no-orphans", "-e", "for (;;);"], { stdio: ["ignore", "ignore", "ignore"] }),
  );
  return {
    [Symbol.dispose]() {
      for (const child of busy) child.kill("SIGKILL");
    },
  };
}

function summary(seen: ReadonlyMap<string, Seen>, times: number): string {
  if (seen.size === 0) return `\nnothing failed in ${times} runs`;
  const often = [...seen].toSorted(([, a], [, b]) => b.seeds.length - a.seeds.length);
  return often
    .flatMap(([test, { seeds, lines }]) => [
      "",
      `${seeds.length} of ${times}: ${test}`,
      `  --isolate --randomize --seed=${seeds.join(", ")}`,
      ...lines.slice(0, FIRST_LINES).map((line) => `  | ${line}`),
    ])
    .join("\n");
}

process.exitCode = await main();
