// Calls when a schedule is due: once for each moment, never early. One timer serves all, and it looks at the clock every
// 30 s at least, because the wall clock may step under it; then it does as Debian's cron. What has been run is remembered
// through `mark`.
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
  /**
   * How late a moment missed by a stop or a step of the clock may still run. A minute is granted always, and to fixed times
   * what the clock leaves out in a step of three hours at most.
   */
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
  /** A `handled` from a clock that was ahead. */
  aside: number | undefined;
  readonly addedMono: number;
  /** Monotonic ms of its last run. */
  ranMono: number;
  /** The clock has stepped since its last run. */
  stepped: boolean;
  /** Its last moment is to run now, however late. */
  owed: boolean;
  dueAt: number;
}

const LONGEST_HOP_MS = 30_000;
// What a restart or a busy moment may take: up to here every single moment is run.
const GRACE_MS = 60_000;
// Debian's cron takes a greater step for a new clock. Within it no fixed time runs again that has run, and none is lost.
const NEW_CLOCK_MS = 3 * 3_600_000;
// Clocks are put right by less than this all the time.
const JITTER_MS = 1000;
// As late as a timer of a busy machine.
const PUNCTUAL_MS = 100;

export function startScheduler({ clock, log, mark }: SchedulerOptions): Scheduler {
  const entries = new Map<string, Entry>();
  const due = createDueHeap<Entry>((a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order));
  let timer: Timer | undefined;
  let lastSeen = clock.now();
  let lastMono = clock.mono();
  // The latest the clock has shown since it was a new one.
  let furthest = lastSeen;
  let added = 0;

  function wake(): void {
    const now = clock.now();
    const spentMs = clock.mono() - lastMono;
    const stepMs = now - lastSeen - spentMs;
    if (now < lastSeen) setBack(now, spentMs);
    if (Math.abs(stepMs) > JITTER_MS) for (const entry of entries.values()) keepPace(entry, now);
    const isNew = now - furthest > NEW_CLOCK_MS;
    // What this look may be late for: the time since the last, unless that was by another clock.
    const missedMs = isNew ? 0 : now - lastSeen;
    seen(now);
    for (let entry = due.first(); entry && entry.dueAt <= now; entry = due.first()) {
      if (isNew && entry.schedule.fixedTime) takeAside(entry, now);
      if (stepMs > GRACE_MS && !entry.schedule.fixedTime && !entry.owed) takeAside(entry, now - GRACE_MS);
      run(entry, now, missedMs);
    }
    arm();
  }

  function seen(now: number): void {
    lastSeen = now;
    lastMono = clock.mono();
    furthest = Math.max(furthest, now);
  }

  /** A beat that would come after more than one and a half of its spans comes now. */
  function keepPace(entry: Entry, now: number): void {
    const { schedule, ranMono, addedMono } = entry;
    const { everyMs } = schedule;
    entry.stepped = true;
    if (everyMs === undefined) return;
    const waitMs = (schedule.next(now) ?? now) - now;
    if (clock.mono() - Math.max(ranMono, addedMono) + waitMs <= 1.5 * everyMs) return;
    entry.owed = true;
    entry.handled = Math.min(entry.handled, now - everyMs);
    queue(entry, now - everyMs);
  }

  /** `spentMs`: the step was so long ago at most. */
  function setBack(now: number, spentMs: number): void {
    const isNew = furthest - now > NEW_CLOCK_MS;
    if (isNew) furthest = now;
    for (const entry of entries.values()) {
      const waits = entry.schedule.fixedTime && !isNew;
      if (!waits && entry.handled > now - spentMs) repeatFrom(entry, now - spentMs);
      plan(entry, now);
    }
  }

  function repeatFrom(entry: Entry, from: number): void {
    entry.aside = Math.max(entry.handled, entry.aside ?? entry.handled);
    entry.handled = from;
  }

  /** What a step forward passes over by then is not made up for where it ran before. */
  function takeAside(entry: Entry, until: number): void {
    if (entry.aside !== undefined && entry.aside <= until) entry.handled = Math.max(entry.handled, entry.aside);
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
    const aheadMs = entry.handled - now;
    if (aheadMs > (entry.schedule.fixedTime ? NEW_CLOCK_MS : GRACE_MS)) repeatFrom(entry, now);
    queue(entry, Math.max(entry.handled, now - entry.windowMs - 1));
  }

  function queue(entry: Entry, after: number): void {
    due.remove(entry);
    const next = entry.schedule.next(after);
    if (next === undefined) return;
    entry.dueAt = next;
    due.push(entry);
  }

  function run(entry: Entry, now: number, missedMs: number): void {
    const at = momentToRun(entry, now, entry.owed ? (entry.schedule.everyMs ?? 0) : missedMs);
    entry.owed = false;
    queue(entry, at ?? now);
    const repeats = at !== undefined && at <= (entry.aside ?? Number.NEGATIVE_INFINITY);
    if (entry.aside !== undefined && entry.aside <= now) entry.aside = undefined;
    if (at === undefined) return;
    entry.handled = at;
    if (entry.stepped && isTooSoon(entry, at, repeats)) return;
    // The one after a late one may be due in a moment.
    entry.stepped &&= now - at > PUNCTUAL_MS;
    entry.ranMono = clock.mono();
    remember(entry.id, at);
    if (now - at > GRACE_MS) log.info("made up for a missed time", { schedule: entry.id, secs: (now - at) / 1000 });
    entry.onDue(at);
  }

  /** After a step of the clock what goes on keeps its pace: no beat comes, and no moment comes again, within seconds. */
  function isTooSoon({ schedule, ranMono }: Entry, at: number, repeats: boolean): boolean {
    const spanMs = schedule.everyMs ?? (repeats ? Math.min(spanAfter(schedule, at), 2 * GRACE_MS) : 0);
    return clock.mono() - ranMono < spanMs / 2;
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
      // Without a timer nobody has looked: that is no step.
      if (timer === undefined) seen(now);
      const loaded = mark.load(id);
      const entry: Entry = {
        id,
        schedule: failsQuietly(id, schedule, log),
        windowMs: Math.max(GRACE_MS, catchUpSecs * 1000),
        order: added++,
        onDue: guarded(log, `schedule ${id}`, onDue),
        handled: Math.max(loaded ?? Number.NEGATIVE_INFINITY, since ?? (loaded === undefined ? now : loaded)),
        aside: undefined,
        addedMono: clock.mono(),
        ranMono: Number.NEGATIVE_INFINITY,
        stepped: false,
        owed: false,
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

/**
 * Shortly after its time each moment runs; after a long gap only the last one that is not too old, if any. Nothing that the
 * hub itself slept through is too old for a fixed time.
 */
function momentToRun(entry: Entry, now: number, missedMs: number): number | undefined {
  const { schedule, dueAt, handled } = entry;
  if (now - dueAt <= GRACE_MS && dueAt > handled) return dueAt;
  const windowMs = schedule.fixedTime || entry.owed ? Math.max(entry.windowMs, missedMs) : entry.windowMs;
  return lastBetween(schedule, Math.max(handled, now - windowMs - 1), now);
}

function spanAfter(schedule: Schedule, at: number): number {
  return (schedule.next(at) ?? Number.POSITIVE_INFINITY) - at;
}

/** One schedule's fault must not stop the others: it is logged, and that one has no next moment. */
function failsQuietly(id: string, schedule: Schedule, log: Log): Schedule {
  return {
    ...schedule,
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
