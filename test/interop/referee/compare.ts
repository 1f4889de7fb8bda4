// Home Assistant's own MQTT integration as the referee of the compiled hub, at one broker, with the bytes of real models:
// bun test/interop/referee/compare.ts PYTHON CORPUS.jsonl.xz [HUB] [--models N] [--seed S] [--only MODEL] [--all] [--source S]
// [--json FILE]. PYTHON has Home Assistant installed: test/interop/referee.sh sees to it. What the two say differently is a table;
// lines that explained.json does not explain make the exit code 1.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { modelsOf } from "../corpus/lines.ts";
import { compareSource, SOURCES, type Source } from "./batches.ts";
import { readExplanations, sorted, tableOf } from "./differences.ts";
import { sampleOf } from "./sample.ts";

const DEFAULT_MODELS = 150;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      models: { type: "string", default: String(DEFAULT_MODELS) },
      seed: { type: "string", default: "1" },
      only: { type: "string", multiple: true },
      all: { type: "boolean", default: false },
      source: { type: "string" },
      states: { type: "boolean", default: false },
      json: { type: "string" },
    },
  });
  const [python, corpus, binary = join(import.meta.dir, "..", "..", "..", "bin", "hub")] = positionals;
  if (python === undefined || corpus === undefined) {
    print(
      "Usage: test/interop/referee.sh [HUB] [--models N] [--seed S] [--only MODEL] [--all] [--source exposes|homeassistant]",
    );
    return 2;
  }
  const all = await modelsOf(corpus);
  const { only } = values;
  const wanted = only
    ? all.filter(({ model }) => only.includes(model))
    : values.all
      ? all
      : sampleOf(all, Number(values.models), Number(values.seed));
  const sources = SOURCES.filter((one) => values.source === undefined || one === values.source);
  const run = (source: Source) =>
    compareSource({ source, python, binary: resolve(binary), models: wanted, withCommands: !values.states, print });
  const results = await Promise.all(sources.map(run));
  const differences = results.flatMap((one) => one.differences);
  if (values.json) await Bun.write(values.json, JSON.stringify(differences, null, 1));
  const { left, explained } = sorted(differences, await readExplanations());
  for (const line of tableOf(left)) print(line);
  for (const [{ why }, lines] of explained) if (lines.length > 0) print(`explained, ${lines.length} times: ${why}`);
  for (const { source, counts } of results)
    print(
      `${source}: ${Object.entries(counts)
        .map(([name, count]) => `${count} ${name}`)
        .join(", ")}`,
    );
  const ok = left.length === 0 && results.every(({ counts }) => counts.states > 0);
  print(`${ok ? "ok" : "FAIL"} ${wanted.length} models: ${tableOf(left).length} lines that nothing explains`);
  return ok ? 0 : 1;
}

process.exit(await main());
