// One rule of 5,000 changes: over the API (PUT text; the rule is in effect when the answer comes), and by saving its file
// (until the API reports the new name; the hub looks at the file when the kernel reports it and once more 200 ms later). Meanwhile a
// process of its own asks GET /health every 2 ms: the longest wait is the longest stall of the event loop, the way there
// and back included. The home with 50 rules stands where the other benchmarks have their twin.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Bench, cost, type Row } from "./support/bench.ts";
import { runMeasured } from "./support/measured-run.ts";
import type { PingOrder } from "./support/ping-process.ts";
import type { PreparedHub } from "./support/prepared-hub.ts";
import { FEW, MANY, prepareRuleHome, ruleFile, ruleId } from "./support/rule-home.ts";
import { percentile } from "./support/stats.ts";

const PUTS = 60;
const SAVES = 15;
const PHASE_MS = 9000;
const IN_EFFECT_WITHIN_MS = 5000;
const RELOAD_CEILING_MS = 50;
const SAVE_CEILING_MS = 1000;

interface Measured {
  idlePings: number[];
  puts: number[];
  putPings: number[];
  saves: number[];
  savePings: number[];
}

export const rulesReload: Bench = {
  name: "rules-reload",
  async run({ binary, folder, say }) {
    const measured = {
      hub: await measure(binary, { folder: `${folder}/many`, rules: MANY }),
      twin: await measure(binary, { folder: `${folder}/few`, rules: FEW }),
    };
    for (const [side, { saves, puts }] of Object.entries(measured))
      say(`${side}: ${puts.length} texts put, ${saves.length} files saved`);
    const row = (name: string, of: keyof Measured, percent: number): Row =>
      cost(name, percentile(measured.hub[of], percent), percentile(measured.twin[of], percent));
    const bounded = (plain: Row, ceiling: number): Row => atMost(plain.name, plain.hub, plain.twin, ceiling, "ms");
    return [
      row("PUT text ms, p50", "puts", 50),
      bounded(row("PUT text ms, p99", "puts", 99), RELOAD_CEILING_MS),
      bounded(row("saved to in effect ms, worst", "saves", 100), SAVE_CEILING_MS),
      row("ping ms, worst, idle", "idlePings", 100),
      bounded(row("ping ms, worst, while texts are put", "putPings", 100), RELOAD_CEILING_MS),
      bounded(row("ping ms, worst, while files are saved", "savePings", 100), RELOAD_CEILING_MS),
      row("ping ms, p99.9, while files are saved", "savePings", 99.9),
    ];
  },
};

async function measure(binary: string, { folder, rules }: { folder: string; rules: number }): Promise<Measured> {
  const home = prepareRuleHome({ folder, answering: 0, others: rules });
  await using hub = await home.start(binary);
  const warm = await whilePinged(hub, () => Bun.sleep(0));
  const idle = await whilePinged(hub, () => Bun.sleep(0));
  const put = await whilePinged(hub, () => putTexts(hub, rules));
  const save = await whilePinged(hub, () => saveFiles(hub, { folder, rules }));
  if (warm.pings.length === 0) throw new Error("nothing was pinged");
  return {
    idlePings: idle.pings,
    puts: put.done,
    putPings: put.pings,
    saves: save.done,
    savePings: save.pings,
  };
}

async function whilePinged<T>(hub: PreparedHub, work: () => Promise<T>): Promise<{ done: T; pings: number[] }> {
  const order: PingOrder = { port: hub.port, ms: PHASE_MS };
  const [done, { lines }] = await Promise.all([
    work(),
    runMeasured(new URL("./support/ping-process.ts", import.meta.url), order),
  ]);
  return { done, pings: lines[0] as number[] };
}

const renamed = (text: string, to: string): string => text.replace(/name: ".*"/, `name: "${to}"`);

async function putTexts(hub: PreparedHub, rules: number): Promise<number[]> {
  const spans: number[] = [];
  for (let count = 0; count < PUTS; count++) {
    const at = `http://127.0.0.1:${hub.port}/api/v1/rules/${ruleId((count * 79) % rules)}`;
    const headers = { authorization: `Bearer ${hub.token}`, "content-type": "text/plain" };
    const text = await (await fetch(`${at}/text`, { headers })).text();
    const begun = performance.now();
    const answer = await fetch(`${at}/text`, { method: "PUT", headers, body: renamed(text, `Put ${count}`) });
    const { name } = (await answer.json()) as { name?: string };
    spans.push(performance.now() - begun);
    if (name !== `Put ${count}`) throw new Error(`PUT text answers ${answer.status}, and the rule is called ${name}`);
    await Bun.sleep(50);
  }
  return spans;
}

async function saveFiles(hub: PreparedHub, { folder, rules }: { folder: string; rules: number }): Promise<number[]> {
  const spans: number[] = [];
  for (let count = 0; count < SAVES; count++) {
    const number = (count * 131) % rules;
    const path = join(folder, "rules", ruleFile(number));
    const text = renamed(readFileSync(path, "utf8"), `Saved ${count}`);
    const begun = performance.now();
    writeFileSync(path, text);
    const isInEffect = async (): Promise<boolean> =>
      (await hub.get<{ name: string }>(`/rules/${ruleId(number)}`)).name === `Saved ${count}`;
    while (!(await isInEffect())) {
      if (performance.now() - begun > IN_EFFECT_WITHIN_MS) throw new Error(`${path} is not in effect`);
      await Bun.sleep(5);
    }
    spans.push(performance.now() - begun);
  }
  return spans;
}
