// Memory of the history while ten million samples go through it: resident set of a process that holds nothing else
// (support/history-process.ts), as `top` reports it. Ten readings make one figure, their median, since it comes and goes with
// garbage. The twin column of the last million is the first.
import { join } from "node:path";
import { type Bench, cost, type Row } from "./support/bench.ts";
import type { FeedOrder, Progress } from "./support/history-process.ts";
import { runMeasured } from "./support/measured-run.ts";
import { slope } from "./support/slope.ts";
import { median } from "./support/stats.ts";

const SAMPLES = 10_000_000;
const EVERY = 100_000;
const READINGS = 10;
const GROWTH = 1.1;

export const historyMemory: Bench = {
  name: "history-memory",
  async run({ folder, say }) {
    const order: FeedOrder = { path: join(folder, "history.db"), samples: SAMPLES, every: EVERY };
    const script = new URL("./support/history-process.ts", import.meta.url);
    const lines = (await runMeasured(script, order)).lines as Progress[];
    await Bun.file(order.path).delete();
    const millions = Array.from({ length: lines.length / READINGS }, (_, index) =>
      median(lines.slice(index * READINGS, (index + 1) * READINGS).map(({ rssMiB }) => rssMiB)),
    );
    const first = millions[0] ?? Number.NaN;
    const last = millions.at(-1) ?? Number.NaN;
    say(`MiB after each million: ${millions.map((value) => value.toFixed(0)).join(" ")}`);
    say(`${Math.round((SAMPLES / (lines.at(-1)?.ms ?? 0)) * 1000)} samples/s over all`);
    const growth: Row = { ...cost("RSS MiB, tenth million (twin: first)", last, first), target: `≤ ${GROWTH} × first` };
    return [
      { ...growth, met: last <= first * GROWTH },
      { ...cost("RSS MiB a million, slope", slope(millions.slice(1)), 0), twin: undefined, ratio: undefined },
    ];
  },
};
