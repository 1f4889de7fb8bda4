// What it costs to record: the history (events, recorder, worker, file; support/history-process.ts) against one committed
// INSERT for each change, as other hubs do it, with a table and an index over entity and time. Both in a process of its own,
// WAL, synchronous = NORMAL, the same changes in the same order, and bytes as Linux counts them for the process
// (write_bytes: each page it made dirty, log and checkpoints included) until the file is closed and its log checkpointed.
//
// "10 changes/s": time is virtual, so that the history flushes each second as the hub does, ten samples at a time, and
// compacts twice in nearly three hours. "A million": as fast as it goes; the twin gets a fifth, since each costs it the same.
import { join } from "node:path";
import { type Bench, type BenchContext, cost, type Row, rate } from "./support/bench.ts";
import type { FeedOrder, Progress } from "./support/history-process.ts";
import { runMeasured } from "./support/measured-run.ts";
import { median } from "./support/stats.ts";

const HISTORY = new URL("./support/history-process.ts", import.meta.url);
const TWIN = new URL("./twins/insert-each.ts", import.meta.url);
const FULL = { samples: 1_000_000, twinSamples: 200_000, rounds: 3 };
// A little above two settlings.
const PACED = { samples: 100_100, perSecond: 10 };
const LESS = 10;

export const historyIngest: Bench = {
  name: "history-ingest",
  async run(context) {
    const paced = await feed(context, { ...PACED, every: PACED.samples });
    const each = await insertEach(context, PACED.samples);
    const full = { hub: [] as Cost[], twin: [] as Cost[] };
    for (let round = 0; round < FULL.rounds; round++) {
      full.hub.push(await feed(context, { samples: FULL.samples, every: FULL.samples }));
      full.twin.push(await insertEach(context, FULL.twinSamples));
    }
    const of = (side: "hub" | "twin", key: keyof Cost): number => median(full[side].map((one) => one[key]));
    const rows: Row[] = [
      rate("samples/s, a million", of("hub", "perSecond"), of("twin", "perSecond")),
      cost("bytes written/sample, a million", of("hub", "bytes"), of("twin", "bytes"), LESS),
      cost("bytes written/sample, 10 changes/s", paced.bytes, each.bytes, LESS),
      cost("bytes of the file/sample", of("hub", "fileBytes"), of("twin", "fileBytes")),
    ];
    return rows;
  },
};

interface Cost {
  perSecond: number;
  /** Written, for a sample. */
  bytes: number;
  /** Of the file in the end, for a sample. */
  fileBytes: number;
}

async function feed({ folder, say }: BenchContext, order: Omit<FeedOrder, "path">): Promise<Cost> {
  const path = join(folder, "history.db");
  const { lines, writtenBytes } = await runMeasured(HISTORY, { ...order, path } satisfies FeedOrder);
  const end = lines.at(-1) as Progress;
  say(`history: ${end.samples} samples in ${Math.round(end.ms)} ms, ${Math.round(writtenBytes / 1e6)} MB written`);
  return await costOf(path, { samples: end.samples, ms: end.ms, writtenBytes });
}

async function insertEach({ folder, say }: BenchContext, samples: number): Promise<Cost> {
  const path = join(folder, "states.db");
  const { lines, writtenBytes } = await runMeasured(TWIN, { path, samples });
  const { ms } = lines[0] as { ms: number };
  say(`an INSERT each: ${samples} in ${Math.round(ms)} ms, ${Math.round(writtenBytes / 1e6)} MB written`);
  return await costOf(path, { samples, ms, writtenBytes });
}

/** Takes the file away. */
async function costOf(
  path: string,
  { samples, ms, writtenBytes }: { samples: number; ms: number; writtenBytes: number },
): Promise<Cost> {
  if (writtenBytes === 0) throw new Error("no bytes are counted; TMPDIR must be on a disk, not in memory");
  const file = Bun.file(path);
  const fileBytes = file.size / samples;
  await file.delete();
  return { perSecond: (samples / ms) * 1000, bytes: writtenBytes / samples, fileBytes };
}
