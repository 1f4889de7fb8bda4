// bun test/campaign/planted.ts [NAME…] [--minutes N]: whether a campaign finds what it is there for. Each defect is planted in a copy of
// the project, which is built, and given to its campaign; one that is not found within its time makes the exit code 1.
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

interface Defect {
  name: string;
  /** Whose campaign has to find it. */
  campaign: string;
  file: string;
  /** Is there once. */
  find: string;
  put: string;
}

const DEFECTS: readonly Defect[] = [
  {
    name: "lost-write",
    campaign: "kills",
    file: "src/state/variables.ts",
    find: "for (const { name, value, updatedAt } of variables) upsert.run(name, JSON.stringify(value), updatedAt);",
    put: "for (const { name, value, updatedAt } of variables)\n      if (updatedAt % 10 !== 0) upsert.run(name, JSON.stringify(value), updatedAt);",
  },
  {
    name: "cut-stream",
    campaign: "streams",
    file: "src/http/stream/hub-stream.ts",
    find: "  function send(topic: string, text: string): void {\n",
    put: "  function send(topic: string, text: string): void {\n    if (Math.random() < 0.0005) return;\n",
  },
  {
    name: "double-message",
    campaign: "kills",
    file: "src/notify/outbox/store.ts",
    find: 'if (message.state === "gone") remove.run(id);',
    put: 'if (message.state === "gone") void (messages.length % 3 === 1 || remove.run(id));',
  },
];

const ROOT = join(import.meta.dir, "..", "..");
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { minutes: { type: "string", default: "2" } },
  });
  const chosen = DEFECTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  let missed = 0;
  for (const defect of chosen) if (!(await isFound(defect, values.minutes))) missed++;
  return missed > 0 || chosen.length === 0 ? 1 : 0;
}

async function isFound({ name, campaign, file, find, put }: Defect, minutes: string): Promise<boolean> {
  await using folder = createTemporaryFolder();
  const copy = join(folder.path, "project");
  mkdirSync(copy);
  const { stdout } = Bun.spawnSync(["git", "ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  const files = stdout.toString().split("\n");
  for (const one of files.filter((path) => path !== "" && existsSync(join(ROOT, path))))
    cpSync(join(ROOT, one), join(copy, one));
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  symlinkSync(join(ROOT, "..", "shared"), join(folder.path, "shared"));
  const path = join(copy, file);
  const text = await Bun.file(path).text();
  if (text.split(find).length !== 2) throw new Error(`${name}: ${file} has not exactly one place for it`);
  await Bun.write(
    path,
    text.replace(find, () => put),
  );
  if ((await run(copy, "build.ts")).code !== 0) throw new Error(`${name}: ${file} does not build`);
  const { code, output } = await run(copy, "test/campaign/run.ts", campaign, "--minutes", minutes);
  print(`${name}: ${code === 1 ? "found" : "NOT FOUND"} by ${campaign}`);
  for (const line of output.split("\n").filter((one) => /^- /.test(one))) print(`  ${line}`);
  return code === 1;
}

async function run(cwd: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([process.execPath, ...args], { cwd, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const output = await child.stdout.text();
  return { code: await child.exited, output };
}

process.exit(await main());
