// bun test/campaign/planted.ts [NAME…] [--minutes N]: whether a campaign finds what it is there for. Each defect, or those of the names,
// which may be those of campaigns, is planted in a copy of the project, which is built, and given to its campaign; one that is not
// found within its time (a minute) makes the exit code 1.
import { cpSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { CAMPAIGNS } from "./campaigns.ts";
import { DEFECTS, type Defect } from "./defects.ts";

const ROOT = join(import.meta.dir, "..", "..");
/** Of the first round. */
const SEED = "1";
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { minutes: { type: "string", default: "1" } },
  });
  const isChosen = (one: Defect): boolean => positionals.includes(one.name) || positionals.includes(one.campaign);
  const chosen = positionals.length === 0 ? DEFECTS : DEFECTS.filter(isChosen);
  let missed = 0;
  for (const defect of chosen) if (!(await isFound(defect, values.minutes))) missed++;
  return missed > 0 || chosen.length === 0 ? 1 : 0;
}

async function isFound({ name, campaign, file, find, put, says }: Defect, minutes: string): Promise<boolean> {
  await using folder = createTemporaryFolder();
  const copy = copyProject(folder.path);
  const path = join(copy, file);
  const text = await Bun.file(path).text();
  if (text.split(find).length !== 2) throw new Error(`${name}: ${file} has not exactly one place for it`);
  await Bun.write(
    path,
    text.replace(find, () => put),
  );
  if (CAMPAIGNS.find((one) => one.name === campaign)?.isInProcess)
    for (const built of ["bin", "dist"]) symlinkSync(join(ROOT, built), join(copy, built));
  else if ((await run(copy, "build.ts")).code !== 0) throw new Error(`${name}: ${file} does not build`);
  const begun = performance.now();
  const { output } = await run(copy, "test/campaign/run.ts", campaign, "--first", "--minutes", minutes, "--seed", SEED);
  const found = output.split("\n").filter((line) => line.startsWith("- ") && says.test(line));
  const secs = Math.round((performance.now() - begun) / 1000);
  print(`${name}: ${found.length > 0 ? "found" : "NOT FOUND"} by ${campaign} in ${secs} s`);
  for (const line of found.length > 0 ? found.slice(0, 2) : [output.trimEnd()]) print(`  ${line}`);
  return found.length > 0;
}

/** What git knows or would take, with the packages and the recordings of this one. */
function copyProject(folder: string): string {
  const copy = join(folder, "project");
  const { stdout } = Bun.spawnSync(["git", "ls-files", "--cached", "--others", "--exclude-standard"], { cwd: ROOT });
  const files = stdout.toString().split("\n");
  for (const one of files.filter((path) => path !== "" && existsSync(join(ROOT, path))))
    cpSync(join(ROOT, one), join(copy, one));
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  symlinkSync(join(ROOT, "..", "shared"), join(folder, "shared"));
  return copy;
}

async function run(cwd: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([process.execPath, ...args], { cwd, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const output = await child.stdout.text();
  return { code: await child.exited, output };
}

process.exit(await main());
