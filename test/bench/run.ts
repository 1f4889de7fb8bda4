// bun test/bench/run.ts [--binary PATH] [--brief] [--results FILE] [--seed N] [name…]: measures the compiled hub against bare twins and prints a table.
// A missed target is reported loudly and fails nothing; a benchmark that breaks does.
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { acknowledge } from "./acknowledge.ts";
import { attackers } from "./attackers.ts";
import { authenticatedGet } from "./authenticated-get.ts";
import { backup } from "./backup.ts";
import { bounds } from "./bounds.ts";
import { coldStart } from "./cold-start.ts";
import { discovery } from "./discovery.ts";
import { externalBroker } from "./external-broker.ts";
import { fanOut } from "./fan-out.ts";
import { floods } from "./floods.ts";
import { fuzzHttp } from "./fuzz-http.ts";
import { fuzzMqtt } from "./fuzz-mqtt.ts";
import { historyExport } from "./history-export.ts";
import { historyIngest } from "./history-ingest.ts";
import { historyMemory } from "./history-memory.ts";
import { historyQuery } from "./history-query.ts";
import { historyStall } from "./history-stall.ts";
import { idleCpu } from "./idle-cpu.ts";
import { idleMemory } from "./idle-memory.ts";
import { memoryAfterLoad } from "./memory-after-load.ts";
import { memoryFloods } from "./memory-floods.ts";
import { mqttToSocket } from "./mqtt-to-socket.ts";
import { others } from "./others.ts";
import { outbox } from "./outbox.ts";
import { page } from "./page.ts";
import { pluginStart } from "./plugin-start.ts";
import { rulesCost } from "./rules-cost.ts";
import { rulesLatency } from "./rules-latency.ts";
import { rulesMemory } from "./rules-memory.ts";
import { rulesReload } from "./rules-reload.ts";
import { rulesReplay } from "./rules-replay.ts";
import { rulesWaits } from "./rules-waits.ts";
import { sdCard } from "./sd-card.ts";
import { slowReader } from "./slow-reader.ts";
import { standbyCost } from "./standby-cost.ts";
import type { Bench, Row } from "./support/bench.ts";
import { describeMachine } from "./support/machine.ts";
import { formatTable } from "./support/table.ts";
import { takeOver } from "./take-over.ts";
import { writeAllowance } from "./write-allowance.ts";

const BENCHES: readonly Bench[] = [
  coldStart,
  idleMemory,
  idleCpu,
  pluginStart,
  authenticatedGet,
  fanOut,
  mqttToSocket,
  externalBroker,
  slowReader,
  memoryAfterLoad,
  memoryFloods,
  historyExport,
  historyIngest,
  historyMemory,
  historyQuery,
  historyStall,
  sdCard,
  rulesLatency,
  rulesCost,
  rulesReload,
  rulesReplay,
  rulesMemory,
  rulesWaits,
  outbox,
  page,
  discovery,
  backup,
  standbyCost,
  takeOver,
  acknowledge,
  others,
  bounds,
];
// Run where they are named: they take long, and show what must not happen rather than how fast it does.
const ON_DEMAND: readonly Bench[] = [fuzzHttp, fuzzMqtt, floods, attackers, writeAllowance];
const ALL: readonly Bench[] = [...BENCHES, ...ON_DEMAND];
const HERE = import.meta.dir;
const SEED = 20_261_121;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(words: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      binary: { type: "string" },
      brief: { type: "boolean", default: false },
      results: { type: "string" },
      seed: { type: "string", default: String(SEED) },
    },
  });
  const unknown = positionals.filter((name) => !ALL.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    print(`there is no benchmark ${unknown.join(", ")}; there are ${ALL.map(({ name }) => name).join(", ")}`);
    return 2;
  }
  const source = values.binary ?? join(HERE, "..", "..", "bin", "hub");
  if (!existsSync(source)) {
    print(`${source} is missing: bun run build`);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), "hub-bench-"));
  try {
    const benches = positionals.length === 0 ? BENCHES : ALL.filter(({ name }) => positionals.includes(name));
    const { brief, results } = values;
    return await runAll(benches, { source, folder, brief, results, seed: Number(values.seed) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface RunOptions {
  source: string;
  folder: string;
  brief: boolean;
  /** Where the rows go as JSON; a file of the day in `results/` where undefined. */
  results: string | undefined;
  seed: number;
}

async function runAll(
  benches: readonly Bench[],
  { source, folder, brief, results: given, seed }: RunOptions,
): Promise<number> {
  // A private copy: somebody may build meanwhile.
  const binary = join(folder, "hub");
  copyFileSync(source, binary);
  chmodSync(binary, 0o755);
  const machine = describeMachine(binary);
  print(
    Object.entries(machine)
      .map(([key, value]) => `${key} ${value}`)
      .join(" · "),
  );
  const results: Record<string, Row[]> = {};
  let broken = 0;
  for (const bench of benches) {
    const home = join(folder, bench.name);
    mkdirSync(home);
    print(`\n${bench.name} …`);
    try {
      const rows = await bench.run({ binary, folder: home, brief, seed, say: (line) => print(`  ${line}`) });
      results[bench.name] = rows;
      print(formatTable(bench.name, rows));
    } catch (error) {
      broken++;
      print(`${bench.name} BROKE: ${error instanceof Error ? error.stack : error}`);
    }
  }
  const missed = Object.entries(results).flatMap(([name, rows]) =>
    rows.filter(({ met }) => met === false).map((row) => `${name}: ${row.name}`),
  );
  print(missed.length > 0 ? `\nMISSED:\n  ${missed.join("\n  ")}` : "\nall targets met");
  const file = given ?? join(HERE, "results", `${machine.date.replaceAll(":", "-")}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ machine, results }, null, 2)}\n`);
  print(`written to ${file}`);
  return broken > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
