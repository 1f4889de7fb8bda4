// What an export of 20,000 samples a second costs: the processor's time of a process that records them and sends them as line
// protocol, less that of one that only records them. Who takes them is another process.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { atMost, type Bench, type BenchContext, type Row } from "./support/bench.ts";
import type { ExportCost, ExportOrder } from "./support/export-process.ts";
import { runMeasured } from "./support/measured-run.ts";
import { median } from "./support/stats.ts";

const LOAD = new URL("./support/export-process.ts", import.meta.url);
const SINK = `const server = Bun.serve({ port: 0, hostname: "127.0.0.1", async fetch(request) {
  await request.arrayBuffer();
  return new Response(null, { status: 204 });
} });
console.log(server.port);`;
const PER_SECOND = 20_000;
const SECS = 12;
const ROUNDS = 3;
/** Percent of a core for 1,000 samples a second. */
const MAX_PCT = 5;
const MAX_LAG_SECS = 10;

export const historyExport: Bench = {
  name: "history-export",
  async run(context) {
    await using sink = Bun.spawn([process.execPath, "-e", SINK], { stdout: "pipe", stderr: "ignore" });
    const { value } = await sink.stdout.getReader().read();
    const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`;
    const [alone, exporting]: [number[], ExportCost[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      alone.push((await load(context, undefined)).cpuMs);
      exporting.push(await load(context, url));
    }
    const percent = (cpuMs: number): number => (cpuMs / (SECS * 1000) / (PER_SECOND / 1000)) * 100;
    const more = median(exporting.map(({ cpuMs }) => cpuMs)) - median(alone);
    const rows: Row[] = [
      atMost("% of a core for 1,000 samples/s", percent(more), undefined, MAX_PCT, "%"),
      atMost("behind at the end", median(exporting.map(({ lagMs }) => lagMs)) / 1000, undefined, MAX_LAG_SECS, "s"),
    ];
    return rows;
  },
};

async function load({ folder, say }: BenchContext, url: string | undefined): Promise<ExportCost> {
  const own = join(folder, "export");
  mkdirSync(own);
  const order: ExportOrder = { folder: own, url, perSecond: PER_SECOND, secs: SECS };
  const { lines } = await runMeasured(LOAD, order);
  rmSync(own, { recursive: true });
  const cost = lines.at(-1) as ExportCost;
  say(`${url === undefined ? "recording" : "recording and sending"}: ${Math.round(cost.cpuMs)} ms, ${cost.sent} sent`);
  return cost;
}
