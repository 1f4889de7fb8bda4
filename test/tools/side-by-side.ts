// bun test/tools/side-by-side.ts [--at-once N] < STEPS: runs the steps, a line of shell each, so many at a time, and prints what each said when
// it has ended, with its seconds and for how many of them processors were busy. A line that begins with "light " waits most of its time:
// those are run one after the other beside the others. A line that begins with "alone " is run after all others, with nothing beside it: it
// measures times. Goes on after a failure, and ends with 1 where one failed.
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { "at-once": { type: "string", default: "2" } } });
const print = (text: string): void => void process.stdout.write(`${text}\n`);

interface Ended {
  step: string;
  secs: number;
  /** Of processors: how much of the time it waits. */
  busySecs: number;
  code: number;
  output: string;
}

const SAYS_WHY = /^\s*(?:\(fail\)|(?:\w*Error|error|FAIL\w*|not ok|fatal)\b)|^(?:Expected|Received)\b/;
const MAX_REASONS = 8;

/** The lines of a failed step that say what failed: of what is logged, often no more than its end is kept. */
function reasonsIn(output: string): string[] {
  const lines = Bun.stripANSI(output)
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  const reasons = lines.filter((line) => SAYS_WHY.test(line));
  return (reasons.length > 0 ? reasons : lines).slice(-MAX_REASONS).map((line) => `  ${line.trim().slice(0, 160)}`);
}

async function run(step: string): Promise<Ended> {
  const begun = performance.now();
  const child = Bun.spawn(["bash", "-c", `exec 2>&1\n${step}`], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const output = await child.stdout.text();
  const code = await child.exited;
  const secs = Math.round((performance.now() - begun) / 1000);
  const busySecs = Math.round(Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6);
  print(`\n==> ${step}\n${output.trimEnd()}\n==> ${code === 0 ? "ok" : `FAILED with ${code}`} in ${secs} s: ${step}`);
  return { step, secs, busySecs, code, output };
}

async function runAll(steps: readonly string[], atOnce: number): Promise<Ended[]> {
  const waiting = [...steps];
  const ended: Ended[] = [];
  const lane = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) ended.push(await run(step));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return ended;
}

const KIND = /^(light|alone)\s+/;
const steps = (await Bun.stdin.text())
  .split("\n")
  .map((line) => line.trim())
  .filter((line) => line !== "" && !line.startsWith("#"));
const stepsOf = (kind?: string): string[] =>
  steps.filter((step) => KIND.exec(step)?.[1] === kind).map((step) => step.replace(KIND, ""));
const together = await Promise.all([runAll(stepsOf(), Number(values["at-once"])), runAll(stepsOf("light"), 1)]);
const ended = [...together.flat(), ...(await runAll(stepsOf("alone"), 1))];

print("");
print(" took   busy");
for (const { step, secs, busySecs } of ended.toSorted((a, b) => b.secs - a.secs))
  print(`${String(secs).padStart(5)} s ${String(busySecs).padStart(4)} s  ${step}`);
const failed = ended.filter(({ code }) => code !== 0);
for (const { step, code, output } of failed) print([`FAILED with ${code}: ${step}`, ...reasonsIn(output)].join("\n"));
process.exit(failed.length > 0 || ended.length === 0 ? 1 : 0);
