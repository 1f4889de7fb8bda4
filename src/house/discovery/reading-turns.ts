// Who may read how much: what devices report is read by templates that they bring themselves, and one message may be for hundreds of
// devices. Each account has its share of a second; what is beyond it waits, and keeps nobody else waiting.
import type { Limits } from "../../kit/lifecycle/limits.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { Clock } from "../../kit/time/clock.ts";
import { TokenBucket } from "../../kit/time/token-bucket.ts";
import type { Entry } from "./entry.ts";
import type { Incoming } from "./source.ts";

export interface ReadingTurnsOptions {
  clock: Clock;
  /** Of each account. */
  msPerSecond: number;
  limits: Limits;
  log: Log;
  /** Reads the message for one of its devices. */
  read: (entry: Entry, incoming: Incoming) => void;
}

export interface ReadingTurns {
  /** Reads at once what fits into the share of the sender, the rest later, in its order. */
  receive(incoming: Incoming, entries: Iterable<Entry>): void;
}

/** So long nothing else of the hub has its turn; one device more may be read than fits. */
const SLICE_MS = 4;
const PAUSE_MS = 3;
/** A start, or a device that reports all at once, is no flood. */
const BURST_SECS = 10;
/** Of an account, waiting. */
const MAX_MESSAGES = 256;
const MAX_BYTES = 1_048_576;
/** Beyond it, accounts with nothing to do are forgotten. */
const MAX_ACCOUNTS = 1000;

interface Job {
  readonly incoming: Incoming;
  readonly entries: readonly Entry[];
  /** How many of them have been read. */
  done: number;
}

interface Share {
  readonly account: string;
  readonly bucket: TokenBucket;
  waiting: Job[];
  bytes: number;
}

export function createReadingTurns(options: ReadingTurnsOptions): ReadingTurns {
  const { clock, msPerSecond, limits, log, read } = options;
  const shares = new Map<string, Share>();
  let isScheduled = false;

  function shareOf(account: string): Share {
    const known = shares.get(account);
    if (known) return known;
    if (shares.size >= MAX_ACCOUNTS)
      for (const [name, { waiting }] of shares) if (waiting.length === 0) shares.delete(name);
    const bucket = new TokenBucket(clock, {
      perSecond: msPerSecond,
      capacity: BURST_SECS * msPerSecond,
      refill: SLICE_MS,
    });
    const share: Share = { account, bucket, waiting: [], bytes: 0 };
    shares.set(account, share);
    return share;
  }

  /** Returns whether the message is read for all of its devices. */
  function work({ bucket }: Share, job: Job, end: number): boolean {
    let now = clock.mono();
    while (job.done < job.entries.length && now < end && bucket.available() > 0) {
      const entry = job.entries[job.done++];
      try {
        if (entry) read(entry, job.incoming);
      } finally {
        const after = clock.mono();
        bucket.spend(after - now);
        now = after;
      }
    }
    return job.done >= job.entries.length;
  }

  function wait(share: Share, job: Job): void {
    share.waiting.push(job);
    share.bytes += job.incoming.payload.length;
    // The first one may have begun: dropped again and again, its last devices would never be read.
    while (share.waiting.length > 2 && (share.waiting.length > MAX_MESSAGES || share.bytes > MAX_BYTES)) drop(share, 1);
    schedule(0);
  }

  function drop(share: Share, place: number): void {
    for (const { incoming } of share.waiting.splice(place, 1)) share.bytes -= incoming.payload.length;
  }

  function report({ account }: Share): void {
    limits.reached({
      ...{ limit: "[discovery] max_reading_ms_per_second", account },
      message: `reading what its devices report takes more than ${msPerSecond} ms of each second: it is read later, and the oldest is left out where too much waits`,
    });
  }

  function schedule(ms: number): void {
    if (isScheduled) return;
    isScheduled = true;
    clock.after("discovery readings", ms, run);
  }

  function run(): void {
    isScheduled = false;
    const end = clock.mono() + SLICE_MS;
    for (let share = nextShare(); share && clock.mono() < end; share = nextShare()) takeTurn(share, end);
    const waiting = [...shares.values()].filter((share) => share.waiting.length > 0);
    for (const share of waiting) if (share.bucket.available() <= 0) report(share);
    if (waiting.length > 0) schedule(Math.max(PAUSE_MS, Math.min(...waiting.map(({ bucket }) => bucket.waitMs()))));
  }

  /** One message of it, and then it is behind all others. */
  function takeTurn(share: Share, end: number): void {
    shares.delete(share.account);
    shares.set(share.account, share);
    const [job] = share.waiting;
    if (!job) return;
    try {
      if (!work(share, job, end)) return;
    } catch (error) {
      log.warn("what a device reports is ignored", { topic: job.incoming.topic, error: messageOf(error) });
      if (job.done < job.entries.length) return;
    }
    drop(share, 0);
  }

  function nextShare(): Share | undefined {
    return shares.values().find(({ waiting, bucket }) => waiting.length > 0 && bucket.available() > 0);
  }

  return {
    receive(incoming, entries) {
      const job: Job = { incoming, entries: [...entries], done: 0 };
      if (job.entries.length === 0) return;
      const share = shareOf(incoming.sender.name);
      const isRead = share.waiting.length === 0 && work(share, job, clock.mono() + SLICE_MS);
      if (!isRead) wait(share, job);
    },
  };
}
