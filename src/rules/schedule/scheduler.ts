// Calls when a schedule is due: once for each moment, never early. One timer serves all, and it looks at the clock every
// 30 s at least, because the wall clock may step under it. What has been run is remembered through `mark`.
import type { Clock, Timer } from "../../core/clock.ts";
import { HubError, messageOf } from "../../core/errors.ts";
import { guarded } from "../../core/lifecycle.ts";
import type { Log } from "../../core/log.ts";
import { createDueHeap, type Slotted } from "./due-heap.ts";
import { lastBetween, type Schedule } from "./schedule.ts";

/** The last moment of each schedule that was run (or from which on it counts), kept over restarts. */
export interface ScheduleMark {
  load(id: string): number | undefined;
  /**
   * Called right before the moment is run: what is written later than that runs twice after a crash in between. Schedules
   * of many a minute call it as often; whoever batches may write those late and the rare ones at once.
   */
  save(id: string, at: number): void;
}

export interface ScheduledTask {
  /** How late a moment missed by a stop or a step of the clock may still run. A minute is granted always. */
  catchUpSecs?: number;
  /** Moments up to this one are none of its own: when the rule was switched on or changed. */
  since?: number;
  onDue(at: number): void;
}

export interface Scheduler extends Disposable {
  /** An `id` stands for one schedule: who changes the schedule changes the id, or says `since`. */
  add(id: string, schedule: Schedule, task: ScheduledTask): Disposable;
}

export interface SchedulerOptions {
  clock: Clock;
  log: Log;
  mark: ScheduleMark;
}

interface Entry extends Slotted {
  readonly id: string;
  readonly schedule: Schedule;
  readonly windowMs: number;
  readonly order: number;
  readonly onDue: (at: number) => void;
  /** Every moment up to this one has been run or is none of its own. */
  handled: number;
  /** A `handled` that lies hours ahead of the clock: it counts again when the clock gets there. */
  aside: number | undefined;
  dueAt: number;
}

const LONGEST_HOP_MS = 30_000;
// What a restart or a busy moment may take: up to here every single moment is run.
const GRACE_MS = 60_000;
// Debian's cron takes a step of three hours for a new clock. Within it nothing runs again that has run.
const STEP_BACK_MS = 3 * 3_600_000;

export function startScheduler({ clock, log, mark }: SchedulerOptions): Scheduler {
  const entries = new Map<string, Entry>();
  const due = createDueHeap<Entry>((a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order));
  let timer: Timer | undefined;
  let lastSeen = clock.now();
  let added = 0;

  function wake(): void {
    const now = clock.now();
    if (now < lastSeen) for (const entry of entries.values()) plan(entry, now);
    lastSeen = now;
    for (let entry = due.first(); entry && entry.dueAt <= now; entry = due.first()) run(entry, now);
    arm();
  }

  function arm(): void {
    timer?.[Symbol.dispose]();
    const first = due.first();
    // At least 1 ms: a timer may be a fraction early, and must not spin.
    const wait = Math.min(LONGEST_HOP_MS, Math.max(1, (first?.dueAt ?? 0) - clock.now()));
    timer = first && clock.after("schedules", wait, wake);
  }

  /** Finds when it is due, with the moments that may still be made up for. */
  function plan(entry: Entry, now: number): void {
    if (entry.handled > now + STEP_BACK_MS) {
      entry.aside = Math.max(entry.handled, entry.aside ?? 0);
      entry.handled = now;
    }
    queue(entry, Math.max(entry.handled, now - entry.windowMs - 1));
  }

  function queue(entry: Entry, after: number): void {
    due.remove(entry);
    const next = entry.schedule.next(after);
    if (next === undefined) return;
    entry.dueAt = next;
    due.push(entry);
  }

  function run(entry: Entry, now: number): void {
    if (entry.aside !== undefined && entry.aside <= now) {
      entry.handled = Math.max(entry.handled, entry.aside);
      entry.aside = undefined;
    }
    const at = momentToRun(entry, now);
    queue(entry, at ?? now);
    if (at === undefined) return;
    entry.handled = at;
    remember(entry.id, at);
    if (now - at > GRACE_MS) log.info("made up for a missed time", { schedule: entry.id, secs: (now - at) / 1000 });
    entry.onDue(at);
  }

  /** A mark that cannot be written may let a moment run twice; one that stops the hub's schedules would be worse. */
  function remember(id: string, at: number): void {
    try {
      mark.save(id, at);
    } catch (error) {
      log.error("cannot remember what a schedule has run", { schedule: id, error: messageOf(error) });
    }
  }

  return {
    add(id, schedule, { catchUpSecs = 0, since, onDue }) {
      if (entries.has(id)) throw new HubError("conflict", `the schedule "${id}" runs already; dispose it first`);
      const now = clock.now();
      const loaded = mark.load(id);
      const entry: Entry = {
        id,
        schedule: failsQuietly(id, schedule, log),
        windowMs: Math.max(GRACE_MS, catchUpSecs * 1000),
        order: added++,
        onDue: guarded(log, `schedule ${id}`, onDue),
        handled: Math.max(loaded ?? Number.NEGATIVE_INFINITY, since ?? (loaded === undefined ? now : loaded)),
        aside: undefined,
        dueAt: 0,
        slot: -1,
      };
      entries.set(id, entry);
      if (entry.handled !== loaded) remember(id, entry.handled);
      plan(entry, now);
      if (due.first() === entry) arm();
      return {
        [Symbol.dispose]() {
          if (entries.get(id) !== entry) return;
          entries.delete(id);
          due.remove(entry);
        },
      };
    },
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      for (const entry of entries.values()) due.remove(entry);
      entries.clear();
    },
  };
}

/** Shortly after its time each moment runs; after a long gap only the last one that is not too old, if any. */
function momentToRun({ schedule, dueAt, handled, windowMs }: Entry, now: number): number | undefined {
  if (now - dueAt <= GRACE_MS && dueAt > handled) return dueAt;
  return lastBetween(schedule, Math.max(handled, now - windowMs - 1), now);
}

/** One schedule's fault must not stop the others: it is logged, and that one has no next moment. */
function failsQuietly(id: string, schedule: Schedule, log: Log): Schedule {
  return {
    next(after) {
      try {
        const next = schedule.next(after);
        if (next === undefined || next > after) return next;
        throw new RangeError(`${next} does not come after ${after}`);
      } catch (error) {
        log.error("a schedule fails and will not run", { schedule: id, error: messageOf(error) });
        return undefined;
      }
    },
  };
}
