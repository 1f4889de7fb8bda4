// bun run campaign [NAME…] [--minutes N] [--seed S] [--first]: what is long and random, each campaign for so many minutes (10), one after
// the other. Without --seed each run looks elsewhere; what is lost is repeated by the seed of its row. The table of each is in
// test/campaign/results/NAME.md, what a round said that lost something beside it. With --first a campaign ends with the first such round.
// Ends with 1 where something was lost, or nothing could be tried. Needs bin/hub: bun run build.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CAMPAIGNS, type Campaign, type Command } from "./campaigns.ts";
import { readOutcome } from "./outcome.ts";
import { type Row, tableOf } from "./table.ts";

const ROOT = join(import.meta.dir, "..", "..");
const RESULTS = join(import.meta.dir, "results");
/** Of a round that goes on until its time is over; then another seed has its turn. */
const MAX_ROUND_MS = 60_000;
/** For a round to come to its end after its campaign's time. */
const GRACE_MS = 30_000;
/** For a program to end the others that it started. */
const END_MS = 5000;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: "string", default: "10" },
      seed: { type: "string" },
      first: { type: "boolean", default: false },
    },
  });
  const minutes = Number(values.minutes);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const unknown = positionals.filter((name) => !CAMPAIGNS.some((one) => one.name === name));
  if (unknown.length > 0 || !(minutes > 0) || !Number.isInteger(seed) || seed < 0) {
    print(usage());
    return 2;
  }
  if (!existsSync(join(ROOT, "bin", "hub"))) {
    print("bin/hub is missing: bun run build");
    return 2;
  }
  mkdirSync(RESULTS, { recursive: true });
  const chosen = CAMPAIGNS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  let failed = 0;
  for (const campaign of chosen) {
    const rows = await runFor(campaign, { ms: minutes * 60_000, seed, first: values.first });
    const table = tableOf(campaign, rows);
    writeFileSync(join(RESULTS, `${campaign.name}.md`), table);
    print(table);
    if (rows.some(({ lost }) => lost.length > 0) || rows.every(({ isCutOff }) => isCutOff)) failed++;
  }
  return failed > 0 ? 1 : 0;
}

function usage(): string {
  const lines = CAMPAIGNS.map(({ name, against, needs }) => `  ${name}: ${against}${needs ? ` (needs ${needs})` : ""}`);
  return ["Usage: bun run campaign [NAME…] [--minutes N] [--seed S] [--first]", ...lines].join("\n");
}

interface Options {
  ms: number;
  seed: number;
  /** Ends with the first loss. */
  first: boolean;
}

/** Each kind of round gets its share of the time. None is begun that would end after it, going by how long the same one took before. */
async function runFor({ name, rounds }: Campaign, { ms, seed, first }: Options): Promise<Row[]> {
  const rows: Row[] = [];
  const least = new Map<number, number>();
  const deadline = performance.now() + ms;
  for (let index = 0; ; index++) {
    const kind = index % rounds.length;
    const round = rounds[kind];
    const left = deadline - performance.now();
    if (!round || left <= 0 || (least.get(kind) ?? 0) > left) return rows;
    const at = seed + Math.floor(index / rounds.length);
    const given = Math.min(MAX_ROUND_MS, left / (rounds.length - kind));
    const command = round({ seed: at, secs: Math.ceil(given / 1000) });
    const row = await play(command, { campaign: name, seed: at, ms: given, endMs: left + GRACE_MS });
    least.set(kind, Math.min(least.get(kind) ?? Number.POSITIVE_INFINITY, row.secs * 1000));
    rows.push(row);
    print(`${name}, seed ${at}: ${row.round}: ${row.tried}${row.lost.length > 0 ? `, LOST: ${row.lost[0]}` : ""}`);
    if (first && row.lost.length > 0) return rows;
  }
}

interface Play {
  campaign: string;
  seed: number;
  /** After which it stops by itself. */
  ms: number;
  /** After which it is ended. */
  endMs: number;
}

async function play({ args, env }: Command, { campaign, seed, ms, endMs }: Play): Promise<Row> {
  const given = { ...env, PROPERTY_SEED: String(seed) };
  const begun = performance.now();
  const child = Bun.spawn(args[0]?.endsWith(".sh") ? [...args] : [process.execPath, "--no-orphans", ...args], {
    cwd: ROOT,
    env: { ...process.env, ...given, CAMPAIGN_UNTIL: String(Math.round(Date.now() + ms)) },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let isCutOff = false;
  const end = setTimeout(() => {
    isCutOff = true;
    child.kill("SIGTERM");
  }, endMs);
  const kill = setTimeout(() => child.kill("SIGKILL"), endMs + END_MS);
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  clearTimeout(end);
  clearTimeout(kill);
  const output = `${out}\n${err}`;
  const outcome = readOutcome({ code: isCutOff ? undefined : code, output });
  if (outcome.lost.length > 0) writeFileSync(join(RESULTS, `${campaign}-${seed}.log`), output);
  const file = args.find((arg) => /\.(?:ts|sh)$/.test(arg)) ?? "";
  const words = Object.entries(given).map(([key, value]) => `${key}=${value}`);
  return {
    round: [file.replace(/^(?:\.\/)?test\//, ""), ...args.slice(args.indexOf(file) + 1)]
      .join(" ")
      .replace(" --timeout 600000", "")
      .replaceAll(`${ROOT}/`, ""),
    repeat: [...words, ...(file.endsWith(".sh") ? [] : ["bun"]), ...args].join(" ").replaceAll(`${ROOT}/`, ""),
    ...{ seed, isCutOff, secs: Math.round((performance.now() - begun) / 1000) },
    ...outcome,
  };
}

process.exit(await main());
