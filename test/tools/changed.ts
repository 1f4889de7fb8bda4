// bun run test:changed [BASE] [--all] [--secs N] [--list]: the tests of what differs from BASE (HEAD), also where it is in no commit yet.
// Of all that reach it, the nearest run, as many as take so many seconds (15) by test/timings.json: nearly everything reaches the
// hub, and with it the tests that start one. `bun test --changed` runs them all, and passes over workers, child processes and files read.
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { distancesFrom, namedBy } from "./named-files.ts";

const ROOT = join(import.meta.dir, "..", "..");
const AT_ONCE = Math.min(2, availableParallelism());
/** What test/timings.json leaves out. */
const QUICK_SECS = 1;
const IN_PROCESS = /^test\/(?!system\/|bench\/|page\/).*\.test\.tsx?$/;
/** They look at every file. */
const ALWAYS = ["test/architecture.test.ts"];
const print = (text: string): void => void process.stdout.write(`${text}\n`);

function git(...args: string[]): string[] {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd: ROOT });
  if (exitCode !== 0) throw new Error(stderr.toString().trim());
  return stdout
    .toString()
    .split("\0")
    .filter((path) => path !== "");
}

interface Candidate {
  path: string;
  distance: number;
  isSameRoom: boolean;
  secs: number;
}

function candidates(changed: readonly string[], known: ReadonlySet<string>): Candidate[] {
  const timings: Record<string, number> = JSON.parse(readFileSync(join(ROOT, "test/timings.json"), "utf8")).files;
  const roomOf = (path: string): string => path.split("/")[1] ?? "";
  const rooms = new Set(changed.map(roomOf));
  return [...distancesFrom(changed, namedBy(ROOT, known))]
    .filter(([path]) => IN_PROCESS.test(path) && existsSync(join(ROOT, path)))
    .map(([path, distance]) => ({
      path,
      distance,
      isSameRoom: rooms.has(roomOf(path)),
      secs: (timings[path] ?? QUICK_SECS * 1000) / 1000,
    }))
    .sort((a, b) => a.distance - b.distance || Number(b.isSameRoom) - Number(a.isSameRoom) || a.secs - b.secs);
}

/** Whoever changes a test wants to see it, however long it takes. */
function nearest(all: readonly Candidate[], secs: number): Candidate[] {
  let left = secs * AT_ONCE;
  return all.filter((one) => {
    if (one.distance > 0 && one.secs > left) return false;
    left -= one.secs;
    return true;
  });
}

async function run(command: readonly string[]): Promise<number> {
  const child = Bun.spawn([process.execPath, ...command], { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  return await child.exited;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      all: { type: "boolean", default: false },
      secs: { type: "string", default: "15" },
      list: { type: "boolean", default: false },
    },
  });
  const others = git("ls-files", "-z", "--others", "--exclude-standard");
  const changed = [...git("diff", "-z", "--name-only", "--no-renames", positionals[0] ?? "HEAD", "--"), ...others];
  const all = candidates(changed, new Set([...git("ls-files", "-z"), ...others, ...changed]));
  const chosen = values.all ? all : nearest(all, Number(values.secs));
  print(`${changed.length} files differ, ${all.length} test files reach them, ${chosen.length} of these run`);
  if (values.list) for (const { path, distance, secs } of chosen) print(`${distance}\t${secs} s\t${path}`);
  if (values.list || changed.length === 0) return 0;
  const isEmbedded = changed.some((path) => /^(?:plugins|src\/(?:plugins\/confine|web))\//.test(path));
  if ((isEmbedded || !existsSync(join(ROOT, "dist/plugins"))) && (await run(["build.ts", "--embedded"])) !== 0)
    return 1;
  const files = [...new Set([...ALWAYS, ...chosen.map(({ path }) => path)])].map((path) => `./${path}`);
  const options = [`--parallel=${AT_ONCE}`, "--timings=test/timings.json", "--timeout", "60000"];
  const code = await run(["test", ...files, ...options]);
  if (chosen.length < all.length) print(`${all.length - chosen.length} further away: bun run test:changed --all`);
  return code;
}

process.exitCode = await main();
