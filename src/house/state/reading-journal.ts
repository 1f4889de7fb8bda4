// The journal of readings: everything that becomes known of devices is appended here every few seconds, with how often rules fired,
// and how far runs of rules are that wait, at once; it is checkpointed into the databases (device states, history, runs) once an hour or when much has come
// together. Each of them then writes whole pages, where a row for each reading would write a page or two each time.
import { type Journal, openJournal } from "../../kit/files/journal.ts";
import { readJournal } from "../../kit/files/journal-reader.ts";
import type { StorageTrouble } from "../../kit/files/storage-fault.ts";
import type { DiskBudget } from "../../kit/files/write-behind.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { CheckpointMark } from "../../server/db/checkpoint-mark.ts";
import type { FiringNote } from "../../server/db/firing-notes.ts";
import type { ReadingDraft } from "../../server/db/reading-draft.ts";
import { type Reading, readingsIn } from "../../server/db/readings.ts";
import type { RunNote } from "../../server/db/run-rows.ts";

/** What readings are checkpointed into. */
export interface CheckpointTarget {
  /** Everything noted so far is to be written; `checkpointed` once it is on the disk. */
  checkpoint(mark: CheckpointMark): void;
  /** Everything noted so far is in the journal. */
  written?(): void;
}

export interface Checkpointing extends Disposable {
  /** The target has on the disk what was noted up to the end of this segment. */
  checkpointed(segment: number): void;
  /** Writes this target's part now; the segment's mark. */
  checkpointNow(): void;
  /** Something could not be checkpointed: it is tried again with the next write. */
  again(): void;
}

export interface ReadingJournal extends Disposable {
  readonly id: string;
  /** The last segment that was there when it was opened. */
  readonly through: number;
  /** Written with the next batch: a power cut may take the last seconds, as said at SYNC_MS; a kill takes none, where there is a draft. */
  note(reading: Reading): void;
  /** Written when it returns, so that it outlives the process; synced with the next batch, or when it returns. Throws. */
  write(reading: Reading, options: { synced: boolean }): void;
  /**
   * Written when it returns; synced when it returns ("now"), begun to be synced ("soon": where rules act all the time, with the
   * readings), or synced with what comes next ("later"). Throws.
   */
  writeRuns(notes: readonly RunNote[], synced: "now" | "soon" | "later"): void;
  /** Written with whatever is written next, or alone within a minute: the last note of each rule. */
  noteFiring(note: FiringNote): void;
  /** `through`: the last segment that the target has checkpointed already. */
  enlist(name: string, target: CheckpointTarget & { through: number }): Checkpointing;
  /** Everything that a target has not checkpointed yet, oldest first; written before it returns. */
  journalTail(): { segment: number; readings: Reading[] }[];
  /** Since when it cannot be written, in epoch ms. */
  failingSince(): number | undefined;
}

export interface ReadingJournalOptions {
  folder: string;
  id: string;
  /** The number of its first segment: after those that are there. */
  first: number;
  clock: Clock;
  log: Log;
  flushSecs: number;
  budget?: DiskBudget;
  trouble: Pick<StorageTrouble, "note">;
  /** Keeps what is not written yet for the case of a kill. */
  draft?: ReadingDraft;
}

/** A segment is checkpointed when it has so many bytes, or is so old. */
const SEGMENT_BYTES = 1_048_576;
const SEGMENT_MS = 3_600_000;
/** Older ones are given up, also where the history could not be written for days. */
const MAX_SEGMENTS = 16;
// Each sync writes the last page again, however little came since; so readings share one. What the kernel writes by itself
// it writes after 30 s.
const SYNC_MS = 20_000;
const SYNC_BYTES = 32_768;
// What the hub itself must not forget is synced with its batch, so many times in a row; where rules act all the time, it shares
// the readings' syncs.
const MAX_URGENT = 6;
// How often rules fired costs no page of its own where anything else is written within a minute.
const FIRINGS_MS = 60_000;

export function openReadingJournal(options: ReadingJournalOptions): ReadingJournal {
  const { folder, id, clock, log, budget, trouble, draft } = options;
  const targets = new Map<string, { target: CheckpointTarget; through: number }>();
  let pending: string[] = [];
  let pendingBytes = 0;
  let pendingSince = 0;
  const firings = new Map<string, FiringNote>();
  let firingsSince = 0;
  /** Readings that are not in the journal and will not be: they are checkpointed from memory. */
  let skipped = false;
  let checkpointAgain = false;
  let begunAt = clock.mono();
  let unsyncedSince: number | undefined;
  /** Something that the hub itself must not forget is not synced. */
  let urgent = false;
  const urgentSyncs = createAllowance(clock, { most: MAX_URGENT, everyMs: SYNC_MS });
  const faults = createJournalFaults({ clock, log });
  let closed = false;

  const journal: Journal = openJournal({
    ...{ folder, id, first: options.first },
    onSynced: () => faults.works("sync"),
    onFault: (error) => failed("sync", error),
  });

  function failed(step: JournalStep, error: unknown): void {
    trouble.note(error);
    checkpointAgain = true;
    faults.failed(step, error);
  }

  function wrote(): void {
    pending = [];
    pendingBytes = 0;
    draft?.clear();
    firings.clear();
    unsyncedSince ??= clock.mono();
    faults.works("write");
    for (const { target } of targets.values()) target.written?.();
  }

  const textOf = (more: readonly string[]): string =>
    `[${[...pending, ...more, ...firings.values().map((note) => JSON.stringify(note))].join(",")}]`;

  const isWaiting = (): boolean =>
    pending.length > 0 || (firings.size > 0 && clock.mono() - firingsSince >= FIRINGS_MS);

  /** Writes what waits; where nothing does, it finds out whether a journal that failed can be written again. */
  function writePending(): void {
    if (!isWaiting() && faults.since === undefined) return;
    try {
      journal.append(textOf([]));
      wrote();
    } catch (error) {
      failed("write", error);
    }
  }

  function drop(): void {
    pending = [];
    pendingBytes = 0;
    draft?.clear();
    skipped = true;
    checkpointAgain = true;
  }

  /** Ends the segment, with everything noted so far in it or left to checkpointing. */
  function finish(): CheckpointMark {
    writePending();
    if (pending.length > 0) drop();
    if (journal.bytes > 0) {
      journal.finish();
      begunAt = clock.mono();
      [unsyncedSince, urgent] = [undefined, false];
    }
    return { id, segment: journal.segment - 1 };
  }

  function checkpoint(): void {
    const mark = finish();
    [checkpointAgain, skipped] = [faults.since !== undefined, false];
    for (const { target } of targets.values()) target.checkpoint(mark);
  }

  const checkpointedByAll = (): number => Math.min(...[...targets.values()].map(({ through }) => through));

  function release(): void {
    journal.release(Math.max(checkpointedByAll(), journal.segment - MAX_SEGMENTS));
  }

  function sync(): void {
    if (unsyncedSince === undefined) return;
    const waited = clock.mono() - unsyncedSince;
    const due = waited >= SYNC_MS || journal.unsynced >= SYNC_BYTES || (urgent && urgentSyncs.left() >= 1);
    if (!due || !(budget?.allows(waited) ?? true)) return;
    if (urgent) urgentSyncs.take();
    journal.syncSoon();
    [unsyncedSince, urgent] = [undefined, false];
  }

  /** Throws. */
  function writeNow(items: readonly unknown[], synced: boolean): void {
    try {
      journal.append(textOf(items.map((item) => JSON.stringify(item))));
      wrote();
      if (!synced) return;
      journal.sync();
      [unsyncedSince, urgent] = [undefined, false];
    } catch (error) {
      trouble.note(error);
      throw error;
    }
  }

  const isDue = (): boolean =>
    checkpointAgain || journal.bytes >= SEGMENT_BYTES || (journal.bytes > 0 && clock.mono() - begunAt >= SEGMENT_MS);

  const timer = clock.every("readings", options.flushSecs * 1000, function flush() {
    const since = pending.length > 0 || skipped ? pendingSince : firingsSince;
    const waited = isWaiting() || skipped ? clock.mono() - since : 0;
    if ((isDue() || isWaiting()) && (budget?.allows(waited) ?? true)) {
      if (isDue()) checkpoint();
      else writePending();
    }
    sync();
  });
  const enlisted = budget?.enlist(checkpoint);

  return {
    id,
    through: options.first - 1,
    note(reading) {
      if (skipped || closed) return;
      const text = JSON.stringify(reading);
      if (pending.length === 0) pendingSince = clock.mono();
      pending.push(text);
      pendingBytes += text.length;
      draft?.add(text, journal);
      // As much at once is cheaper in the databases.
      if (pendingBytes > SEGMENT_BYTES) drop();
    },
    write(reading, { synced }) {
      writeNow([reading], synced);
      if (!synced) urgent = true;
    },
    writeRuns(notes, synced) {
      writeNow(notes, synced === "now");
      if (synced !== "soon") return;
      urgent = true;
      sync();
    },
    noteFiring(note) {
      if (firings.size === 0) firingsSince = clock.mono();
      firings.set(note.fired, note);
    },
    enlist(name, target) {
      const own = { target, through: target.through };
      targets.set(name, own);
      return {
        checkpointed(segment) {
          own.through = Math.max(own.through, segment);
          release();
        },
        checkpointNow: () => own.target.checkpoint(finish()),
        again() {
          checkpointAgain = true;
        },
        [Symbol.dispose]() {
          targets.delete(name);
        },
      };
    },
    journalTail() {
      writePending();
      return readJournal(folder, id)
        .filter(({ number }) => number > checkpointedByAll())
        .map(({ number, texts }) => ({ segment: number, readings: texts.flatMap(readingsIn) }));
    },
    failingSince: () => faults.since,
    [Symbol.dispose]() {
      closed = true;
      if (targets.size === 0) journal.release(journal.segment);
      timer[Symbol.dispose]();
      enlisted?.[Symbol.dispose]();
      draft?.[Symbol.dispose]();
      journal[Symbol.dispose]();
    },
  };
}

/** `most` at once, and one more every `everyMs`. */
function createAllowance(clock: Clock, { most, everyMs }: { most: number; everyMs: number }) {
  let saved = most;
  let asOf = clock.mono();
  function left(): number {
    const now = clock.mono();
    saved = Math.min(most, saved + (now - asOf) / everyMs);
    asOf = now;
    return saved;
  }
  return {
    left,
    take() {
      saved = Math.max(0, left() - 1);
    },
  };
}

type JournalStep = "write" | "sync";

interface JournalFaults {
  /** Since when something fails, in epoch ms; undefined where all works. */
  readonly since: number | undefined;
  failed(step: JournalStep, error: unknown): void;
  works(step: JournalStep): void;
}

function createJournalFaults({ clock, log }: { clock: Clock; log: Log }): JournalFaults {
  const failing = new Set<JournalStep>();
  let since: number | undefined;
  return {
    get since() {
      return since;
    },
    failed(step, error) {
      failing.add(step);
      // Logged once, not at each try: the log may be on the same full disk.
      if (since === undefined)
        log.error("readings cannot be written; they are kept in memory and retried", { error: messageOf(error) });
      since ??= clock.now();
    },
    works(step) {
      if (!failing.delete(step) || failing.size > 0 || since === undefined) return;
      log.info("readings are written again", { since: new Date(since).toISOString() });
      since = undefined;
    },
  };
}
