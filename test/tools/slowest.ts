// bun run slowest [--strict] [--write]: the twenty slowest test files, as `bun run test:all` left them in dist/timings.json; Bun also writes
// there what test/timings.json says of files that did not run. --strict: ends with 1 where a file takes over 10 s and its first comment
// does not say why, behind "Over 10 s:". --write: makes test/timings.json of it, by which Bun begins with the slowest files.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const ROOT = join(import.meta.dir, "..", "..");
const MEASURED = join(ROOT, "dist", "timings.json");
const KNOWN = join(ROOT, "test", "timings.json");
const SHOWN = 20;
const SLOW_SECS = 10;
/** A busy moment must not fail a file that is known to be quicker. */
const UNEXPECTED_SECS = 15;
const LISTED_SECS = 2;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

type Timings = Readonly<Record<string, number>>;

interface Timed {
  path: string;
  /** As measured. */
  secs: number;
  /** On the machine that test/timings.json is from. */
  thereSecs: number;
}

function read(path: string): Timings {
  const files: Record<string, number> = JSON.parse(readFileSync(path, "utf8")).files;
  return Object.fromEntries(Object.entries(files).map(([file, ms]) => [file, ms / 1000]));
}

/** How many times as long this machine takes; 1 where it is as quick. */
function slowdown(measured: Timings, known: Timings): number {
  const both = Object.keys(known).filter((path) => measured[path] !== undefined);
  const sum = (timings: Timings): number => both.reduce((total, path) => total + (timings[path] ?? 0), 0);
  return both.length === 0 ? 1 : Math.max(1, sum(measured) / sum(known));
}

function saysWhy(path: string): boolean {
  const [heading = ""] = /^(?:\/\/.*\n)*/.exec(readFileSync(join(ROOT, path), "utf8")) ?? [];
  return /\bOver 10 s[:,] \S/.test(heading);
}

function written(timed: readonly Timed[]): string {
  const listed = timed.filter(({ thereSecs }) => Math.round(thereSecs) >= LISTED_SECS);
  const byPath = listed.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const files = Object.fromEntries(byPath.map(({ path, thereSecs }) => [path, Math.round(thereSecs) * 1000]));
  return `${JSON.stringify({ version: 1, files }, null, 2)}\n`;
}

function main(): number {
  const { values } = parseArgs({
    options: { strict: { type: "boolean", default: false }, write: { type: "boolean", default: false } },
  });
  const [measured, known] = [existsSync(MEASURED) ? read(MEASURED) : {}, read(KNOWN)];
  if (Object.keys(measured).length === 0) throw new Error("nothing was measured: bun run test:all");
  const factor = slowdown(measured, known);
  const timed = Object.entries(measured)
    .filter(([path]) => existsSync(join(ROOT, path)))
    .map(([path, secs]): Timed => ({ path, secs, thereSecs: secs / factor }))
    .toSorted((a, b) => b.secs - a.secs);
  print(`The slowest ${SHOWN} of ${timed.length} test files; test/timings.json says ${factor.toFixed(1)} times less:`);
  for (const { path, secs } of timed.slice(0, SHOWN)) print(`${secs.toFixed(1).padStart(7)} s  ${path}`);
  if (values.write) writeFileSync(KNOWN, written(timed));
  const slow = timed.filter(({ path, thereSecs }) => {
    return thereSecs > ((known[path] ?? 0) > SLOW_SECS ? SLOW_SECS : UNEXPECTED_SECS) && !saysWhy(path);
  });
  if (slow.length > 0)
    print(`${slow.length} take over ${SLOW_SECS} s and do not say why ("// Over 10 s: …" at their beginning).`);
  if (!values.strict) return 0;
  for (const { path, thereSecs } of slow) print(`${thereSecs.toFixed(1).padStart(7)} s  ${path}`);
  return slow.length > 0 ? 1 : 0;
}

process.exitCode = main();
