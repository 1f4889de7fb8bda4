// The history in a process of its own, fed as the hub feeds it: events through a real feed, recorder, worker, file. No
// broker, registry or API, so that its figures are the history's alone. Argument: FeedOrder as JSON. Prints a Progress a
// line; ends when all is recorded, compacted and closed.
import { HistorySection } from "../../../src/house/history/config.ts";
import { type History, startHistory } from "../../../src/house/history/history.ts";
import { historyWorker } from "../../../src/house/history/worker-client.ts";
import { openLog } from "../../../src/kit/lifecycle/log.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { createEventFeed } from "../../../src/server/events/feed.ts";
import { bytesWritten } from "../../../src/server/system/this-process.ts";
import { sectionOf } from "../../support/section.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { type Change, changeAt } from "./house-load.ts";

export interface FeedOrder {
  /** `history.db`. */
  path: string;
  samples: number;
  /** Changes a second of virtual time, which sets the hub's flushes; as fast as it goes where absent. */
  perSecond?: number;
  /** Samples between two lines. */
  every: number;
}

export interface Progress {
  samples: number;
  /** Since the first change. */
  ms: number;
  rssMiB: number;
}

const COMPLAINTS = { isTerminal: false, isJournal: false, write: (text: string) => void process.stderr.write(text) };
const BEGIN_MS = Date.UTC(2026, 0, 1);
// A change each 100 ms of the samples' own time.
const APART_MS = 100;
const CHUNK = 500;
const MAX_UNDER_WAY = 20_000;
const QUIET_MS = 700;
const STUCK_MS = 30_000;

async function main({ path, samples, perSecond, every }: FeedOrder): Promise<void> {
  const virtual = perSecond === undefined ? undefined : createVirtualClock(BEGIN_MS);
  let sent = 0;
  const clock = virtual ?? { ...systemClock, now: () => BEGIN_MS + sent * APART_MS };
  await using logging = openLog({ clock, output: COMPLAINTS, level: "warning" });
  const { log } = logging;
  const feed = createEventFeed({ clock, log, buffer: 1000, mark: { load: () => 0, save() {} } });
  const history = startHistory({
    path,
    config: sectionOf(HistorySection, { retention_days: 3650, max_size_mb: 100_000 }),
    flushSecs: 1,
    clock,
    log,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    feed,
    timezone: "UTC",
    worker: historyWorker(),
  });
  const emit = createEmitter(feed.emit);
  const begun = performance.now();
  const report = (): void => {
    const progress: Progress = {
      samples: sent,
      ms: performance.now() - begun,
      rssMiB: process.memoryUsage.rss() / 1024 ** 2,
    };
    process.stdout.write(`${JSON.stringify(progress)}\n`);
  };
  const batch = perSecond ?? CHUNK;
  while (sent < samples) {
    for (let index = 0; index < batch && sent < samples; index++) {
      await virtual?.advance(1000 / batch);
      emit(changeAt(sent++));
    }
    // At a house's pace the flush has its whole second.
    await recorded(history, virtual ? sent - batch : sent - MAX_UNDER_WAY);
    if (sent % every === 0 && sent < samples) report();
  }
  await virtual?.advance(1000);
  await recorded(history, samples);
  report();
  await quiet();
  await history[Symbol.asyncDispose]();
}

/** Emits as the registry does: the whole state before and after. */
function createEmitter(emit: ReturnType<typeof createEventFeed>["emit"]): (change: Change) => void {
  const states = new Map<string, Record<string, unknown>>();
  return ({ deviceId, attribute, value }) => {
    const previous = states.get(deviceId) ?? {};
    const current = { ...previous, [attribute]: value };
    states.set(deviceId, current);
    emit({ type: "device_state_changed", device_id: deviceId, previous, current, changed: [attribute] });
  };
}

async function recorded(history: History, atLeast: number): Promise<void> {
  for (const until = performance.now() + STUCK_MS; ; await new Promise((resolve) => setImmediate(resolve))) {
    const { samplesRecorded, samplesDropped, problem } = history.health();
    if (samplesDropped > 0 || problem !== undefined) throw new Error(`${samplesDropped} samples dropped: ${problem}`);
    if (samplesRecorded >= atLeast) return;
    if (performance.now() > until) throw new Error(`${samplesRecorded} recorded instead of ${atLeast}`);
  }
}

/** Until nothing is written any more: samples are compacted after they were recorded. */
async function quiet(): Promise<void> {
  for (let before = -1, now = bytesWritten() ?? 0; now !== before; now = bytesWritten() ?? 0) {
    before = now;
    await Bun.sleep(QUIET_MS);
  }
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? "{}") as FeedOrder);
