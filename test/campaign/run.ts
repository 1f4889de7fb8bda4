// bun run campaign [NAME…] [--minutes N] [--seed S]: what is long and random, each campaign for so many minutes (10), one after the
// other. Without --seed each run looks elsewhere; what is lost is repeated by the seed of its row. The table of each is in
// test/campaign/results/NAME.md. Ends with 1 where something was lost. Needs bin/hub: bun run build.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CAMPAIGNS, type Campaign, type Command } from "./campaigns.ts";
import { type Outcome, readOutcome } from "./outcome.ts";

const ROOT = join(import.meta.dir, "..", "..");
const RESULTS = join(import.meta.dir, "results");
/** For a round that was begun in time. */
const GRACE_MS = 120_000;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

interface Row extends Outcome {
  round: string;
  seed: number;
  secs: number;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { minutes: { type: "string", default: "10" }, seed: { type: "string" } },
  });
  const minutes = Number(values.minutes);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const unknown = positionals.filter((name) => !CAMPAIGNS.some((one) => one.name === name));
  if (unknown.length > 0 || !(minutes > 0) || !Number.isInteger(seed)) {
    print(
      `Usage: bun run campaign [NAME…] [--minutes N] [--seed S]\nNAME: ${CAMPAIGNS.map(({ name }) => name).join(", ")}`,
    );
    return 2;
  }
  if (!existsSync(join(ROOT, "bin", "hub"))) {
    print("bin/hub is missing: bun run build");
    return 2;
  }
  mkdirSync(RESULTS, { recursive: true });
  const chosen = CAMPAIGNS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  let lost = 0;
  for (const campaign of chosen) {
    const rows = await runFor(campaign, minutes * 60_000, seed);
    const table = tableOf(campaign, rows);
    writeFileSync(join(RESULTS, `${campaign.name}.md`), table);
    print(table);
    lost += rows.filter((row) => row.lost.length > 0).length;
  }
  return lost > 0 ? 1 : 0;
}

/** Begins no round that would end after its time, going by how long the same one took before. */
async function runFor({ name, rounds }: Campaign, ms: number, seed: number): Promise<Row[]> {
  const rows: Row[] = [];
  const took = new Map<number, number>();
  const deadline = performance.now() + ms;
  for (let index = 0; ; index++) {
    const kind = index % rounds.length;
    const round = rounds[kind];
    const left = deadline - performance.now();
    if (!round || left <= 0 || (took.get(kind) ?? 0) > left) return rows;
    const begun = performance.now();
    const at = seed + Math.floor(index / rounds.length);
    const row = await play(round(at), { seed: at, ms: left + GRACE_MS });
    took.set(kind, performance.now() - begun);
    rows.push(row);
    print(`${name}, seed ${at}: ${row.round}: ${row.tried}${row.lost.length > 0 ? `, LOST: ${row.lost[0]}` : ""}`);
  }
}

async function play({ args, env }: Command, { seed, ms }: { seed: number; ms: number }): Promise<Row> {
  const results = join(RESULTS, `.round-${process.pid}.json`);
  const isScript = args[0]?.endsWith(".sh") === true;
  const given = args.map((one) => (one === "RESULTS" ? results : one));
  const begun = performance.now();
  const child = Bun.spawn(isScript ? given : [process.execPath, ...given], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const timer = setTimeout(() => child.kill("SIGTERM"), ms);
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  clearTimeout(timer);
  const rows = existsSync(results) ? readFileSync(results, "utf8") : undefined;
  rmSync(results, { force: true });
  const what = given.find((one) => /\.(ts|sh)$/.test(one)) ?? given.join(" ");
  return {
    round: what.replace(/^(\.\/)?test\//, ""),
    seed,
    secs: Math.round((performance.now() - begun) / 1000),
    ...readOutcome({ code, output: `${out}\n${err}`, rows }),
  };
}

function tableOf({ name, against }: Campaign, rows: readonly Row[]): string {
  const lost = rows.reduce((sum, row) => sum + row.lost.length, 0);
  const lines = rows.flatMap((row) => [
    `| ${row.round} | ${row.seed} | ${row.secs} | ${row.tried} | ${row.lost.length === 0 ? "nothing" : row.lost.length} |`,
  ]);
  const details = rows.flatMap((row) => row.lost.map((one) => `- ${row.round}, seed ${row.seed}: ${one}`));
  return [
    `# ${name}: ${against}`,
    "",
    `${new Date().toISOString().slice(0, 16)}Z: ${rows.length} rounds, ${lost === 0 ? "nothing lost" : `${lost} lost`}`,
    "",
    "| round | seed | s | tried | lost |",
    "| ----- | ---- | - | ----- | ---- |",
    ...lines,
    ...(details.length > 0 ? ["", ...details] : []),
    "",
  ].join("\n");
}

process.exit(await main());
