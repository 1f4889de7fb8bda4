// One export: reads the history from where it stands, sends it, and tries again for as long as it takes. At least once: what it
// sent since it was saved last is sent again after a kill, and both formats make that harmless.
import { background } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { RandomBytes } from "../../kit/schema/ids.ts";
import { createBackoff } from "../../kit/time/backoff.ts";
import { type Clock, sleep, type Timer } from "../../kit/time/clock.ts";
import type { HistoryExport } from "./config.ts";
import type { Counts, ExportMemory } from "./memory.ts";
import type { Point } from "./points.ts";
import { createProgress, type Job, type Progress, SAVE_MS, type Stretch } from "./progress.ts";
import type { Sender } from "./sender.ts";
import { SendFailure } from "./target.ts";

/** The history, as an export needs it. */
export interface ExportSource {
  /** About `most` samples of all devices, in order of time; rejects where there is no history now. */
  samples(query: { reader: string; isHead: boolean; from: number; to: number; most: number }): Promise<{
    /** For `createPointReader`. */
    text: string;
    samples: number;
    /** Everything before is in it, or was in pages before. */
    through: number;
    /** Samples that were removed before the reader asked for them; begins anew at 0 from time to time. */
    lost: number;
  }>;
}

export interface ExporterOptions {
  config: HistoryExport;
  source: ExportSource;
  memory: ExportMemory;
  sender: Sender;
  read: (page: string) => Point[];
  clock: Clock;
  random: RandomBytes;
  log: Log;
}

export interface Trouble {
  message: string;
  /** Epoch ms. */
  since: number;
  /** A person must mend something. */
  needsPerson: boolean;
}

export interface Exporter extends AsyncDisposable {
  readonly progress: Progress;
  readonly counts: Readonly<Counts>;
  readonly trouble: Trouble | undefined;
  /** When samples were lost or dropped last, monotonic ms. */
  readonly lostAt: number | undefined;
  /** Sends what was recorded then, again where it was sent. Saved when it returns. */
  backfill(stretch: Stretch): void;
}

const BACKOFF = { firstMs: 1000, maxMs: 300_000 };
/** After each page, while more waits: the hub has other things to do. */
const REST_MS = 100;

export function startExporter({ config, source, memory, sender, read, ...rest }: ExporterOptions): Exporter {
  const { clock, random, log } = rest;
  const { name, batch: most } = config;
  const remembered = memory.load(name);
  const progress = createProgress(clock, remembered);
  const counts = remembered?.counts ?? { sent: 0, dropped: 0, lost: 0 };
  const backoff = createBackoff(BACKOFF, random);
  const stop = new AbortController();
  let trouble: Trouble | undefined;
  let lostAt: number | undefined;
  let lostBefore = 0;
  let savedAt = clock.mono();
  let timer: Timer | undefined;
  let round: Promise<void> = Promise.resolve();
  let isRunning = false;

  function save(): void {
    memory.save(name, { ...progress.saved(), counts });
    savedAt = clock.mono();
  }

  function saveIfPossible(): void {
    try {
      save();
    } catch (error) {
      log.warn("where the export stands could not be saved", { export: name, error: messageOf(error) });
      savedAt = clock.mono();
    }
  }

  function noteLost(lost: number): void {
    const more = lost < lostBefore ? lost : lost - lostBefore;
    lostBefore = lost;
    if (more === 0) return;
    counts.lost += more;
    lostAt = clock.mono();
    log.error("the history removed samples before they could be exported", { export: name, samples: more });
  }

  async function work({ isHead, from, to }: Job): Promise<number> {
    const page = await source.samples({ reader: name, isHead, from, to, most });
    noteLost(page.lost);
    const points = page.samples > 0 ? read(page.text) : [];
    for (let first = 0; first < points.length; first += most) {
      const { sent, dropped } = await sender.send(points.slice(first, first + most), stop.signal);
      counts.sent += sent;
      counts.dropped += dropped;
      if (dropped > 0) lostAt = clock.mono();
    }
    return page.through;
  }

  /** Sends everything that can be sent now: what is beside the head takes turns with it. */
  async function sendAll(): Promise<void> {
    for (let isMore = true; isMore; ) {
      progress.lookAtClock();
      const jobs = progress.jobs();
      const turn = jobs.slice(0, jobs[0]?.isHead ? 2 : 1);
      isMore = jobs.length > turn.length;
      for (const job of turn) {
        const through = await work(job);
        progress.done(job, through);
        worked();
        isMore ||= through < job.to;
        if (stop.signal.aborted) return;
      }
      if (isMore && !(await sleep(clock, "export-rest", REST_MS, stop.signal))) return;
    }
  }

  function worked(): void {
    backoff.reset();
    if (trouble) log.info("the export works again", { export: name, since: new Date(trouble.since).toISOString() });
    trouble = undefined;
    if (clock.mono() - savedAt >= SAVE_MS) saveIfPossible();
  }

  function failed(error: unknown): number {
    const message = messageOf(error);
    const failure = error instanceof SendFailure ? error : undefined;
    const needsPerson = failure?.kind === "setup";
    // A service that is away may be so in many words.
    const isNews = !trouble || (needsPerson && trouble.message !== message);
    if (isNews) log.warn("the export fails and is tried again", { export: name, error: message });
    trouble = { message, since: trouble?.since ?? clock.now(), needsPerson };
    return Math.max(backoff.next(), failure?.retryAfterMs ?? 0);
  }

  function schedule(ms: number): void {
    timer?.[Symbol.dispose]();
    timer = stop.signal.aborted ? undefined : clock.after("export", ms, run);
  }

  function run(): void {
    if (isRunning) return;
    isRunning = true;
    round = begin();
    background(log, "export", round);
  }

  async function begin(): Promise<void> {
    let pauseMs = config.interval_secs * 1000;
    try {
      await sendAll();
    } catch (error) {
      if (!stop.signal.aborted) pauseMs = failed(error);
    }
    isRunning = false;
    schedule(pauseMs);
  }

  // A new export is remembered at once: it begins here also after a kill.
  if (!remembered) saveIfPossible();
  run();

  return {
    progress,
    counts,
    get trouble() {
      return trouble;
    },
    get lostAt() {
      return lostAt;
    },
    backfill(stretch) {
      progress.add(stretch);
      save();
      if (trouble === undefined && !isRunning) schedule(0);
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the hub stops"));
      timer?.[Symbol.dispose]();
      await round;
      saveIfPossible();
    },
  };
}
