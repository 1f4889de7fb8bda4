// Calls when a schedule is due: once for each moment, and never early. One timer serves all schedules. It looks at the
// clock every 30 s at least, because the wall clock may step; then the scheduler does as Debian's cron. What has run is
// remembered through `mark`.
import { guarded } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../kit/schema/errors.ts";
import type { Clock, Timer } from "../../kit/time/clock.ts";
import { DueHeap, type Slotted } from "./due-heap.ts";
import { lastBetween, type Schedule, type Scheduled } from "./schedule.ts";

/** The last moment of each schedule that was run (or from which on it counts), kept over restarts. */
export interface ScheduleMark {
  load(id: string): number | undefined;
  /** Called right before the moment is run: what is written later runs twice after a crash. Frequent ones may be batched. */
  save(id: string, at: number): void;
}

export interface ScheduledTask {
  /**
   * How late a moment may still run that was missed by a stop or a step of the clock. A minute is always granted, and
   * to fixed times what the clock leaves out in a step of three hours at most.
   */
  catchUpSecs?: number;
  /** Moments up to this one do not count: when the rule was enabled or changed. */
  since?: number;
  onDue(at: number): void;
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
  /** Every moment up to this one has been run or does not count. */
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

const MAX_HOP_MS = 30_000;
// What a restart or a busy moment may take: up to here every single moment is run.
const GRACE_MS = 60_000;
// For Debian's cron a greater step is a new clock. Within it no fixed time runs again that has run, and none is lost.
const NEW_CLOCK_MS = 3 * 3_600_000;
// Clocks are corrected by less than this all the time.
const JITTER_MS = 1000;
// As late as a timer of a busy machine.
const PUNCTUAL_MS = 100;

export function startScheduler(options: SchedulerOptions): Scheduler {
  return new Scheduler(options);
}

export class Scheduler {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #mark: ScheduleMark;
  readonly #entries = new Map<string, Entry>();
  readonly #due = new DueHeap<Entry>((a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order));
  #timer: Timer | undefined;
  #lastSeen: number;
  #lastMono: number;
  /** The latest time that the present clock has shown. */
  #furthest: number;
  #added = 0;

  constructor({ clock, log, mark }: SchedulerOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#mark = mark;
    this.#lastSeen = clock.now();
    this.#lastMono = clock.mono();
    this.#furthest = this.#lastSeen;
  }

  /** One `id` is one schedule: another schedule needs another id, or `since`. */
  add(id: string, schedule: Schedule, task: ScheduledTask): Scheduled {
    if (this.#entries.has(id)) throw new HubError("conflict", `the schedule "${id}" runs already; dispose it first`);
    const now = this.#clock.now();
    // Without a timer nobody has looked at the clock: that is no step.
    if (this.#timer === undefined) this.#seen(now);
    const loaded = this.#mark.load(id);
    const entry = this.#newEntry(id, schedule, { ...task, loaded, now });
    this.#entries.set(id, entry);
    if (entry.handled !== loaded) this.#remember(id, entry.handled);
    this.#plan(entry, now);
    if (this.#due.first() === entry) this.#arm();
    const changes = schedule.onChange?.(() => {
      this.#plan(entry, this.#clock.now());
      this.#arm();
    });
    return {
      dueAt: () => (entry.slot < 0 ? undefined : entry.dueAt),
      nextAfter: (at) => entry.schedule.next(at),
      [Symbol.dispose]: () => {
        changes?.[Symbol.dispose]();
        this.#remove(entry);
      },
    };
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    for (const entry of this.#entries.values()) this.#due.remove(entry);
    this.#entries.clear();
  }

  #newEntry(
    id: string,
    schedule: Schedule,
    { catchUpSecs = 0, since, onDue, loaded, now }: ScheduledTask & { loaded: number | undefined; now: number },
  ): Entry {
    return {
      id,
      schedule: failsQuietly(id, schedule, this.#log),
      windowMs: Math.max(GRACE_MS, catchUpSecs * 1000),
      order: this.#added++,
      onDue: guarded(this.#log, `schedule ${id}`, onDue),
      handled: Math.max(loaded ?? Number.NEGATIVE_INFINITY, since ?? (loaded === undefined ? now : loaded)),
      aside: undefined,
      addedMono: this.#clock.mono(),
      ranMono: Number.NEGATIVE_INFINITY,
      stepped: false,
      owed: false,
      dueAt: 0,
      slot: -1,
    };
  }

  #remove(entry: Entry): void {
    if (this.#entries.get(entry.id) !== entry) return;
    this.#entries.delete(entry.id);
    this.#due.remove(entry);
  }

  #wake(): void {
    const now = this.#clock.now();
    const spentMs = this.#clock.mono() - this.#lastMono;
    const stepMs = now - this.#lastSeen - spentMs;
    if (now < this.#lastSeen) this.#setBack(now, spentMs);
    if (Math.abs(stepMs) > JITTER_MS) for (const entry of this.#entries.values()) this.#keepPace(entry, now);
    const isNew = now - this.#furthest > NEW_CLOCK_MS;
    // How late a moment may be because of this look: the time since the last one, unless that was by another clock.
    const missedMs = isNew ? 0 : now - this.#lastSeen;
    this.#seen(now);
    for (let entry = this.#due.first(); entry && entry.dueAt <= now; entry = this.#due.first()) {
      if (isNew && entry.schedule.fixedTime) takeAside(entry, now);
      if (stepMs > GRACE_MS && !entry.schedule.fixedTime && !entry.owed) takeAside(entry, now - GRACE_MS);
      this.#run(entry, now, missedMs);
    }
    this.#arm();
  }

  #seen(now: number): void {
    this.#lastSeen = now;
    this.#lastMono = this.#clock.mono();
    this.#furthest = Math.max(this.#furthest, now);
  }

  /** A beat that would come after more than one and a half of its spans comes now. */
  #keepPace(entry: Entry, now: number): void {
    const { schedule, ranMono, addedMono } = entry;
    const { everyMs } = schedule;
    entry.stepped = true;
    if (everyMs === undefined) return;
    const waitMs = (schedule.next(now) ?? now) - now;
    if (this.#clock.mono() - Math.max(ranMono, addedMono) + waitMs <= 1.5 * everyMs) return;
    entry.owed = true;
    entry.handled = Math.min(entry.handled, now - everyMs);
    this.#queue(entry, now - everyMs);
  }

  /** `spentMs`: the step was so long ago at most. */
  #setBack(now: number, spentMs: number): void {
    const isNew = this.#furthest - now > NEW_CLOCK_MS;
    if (isNew) this.#furthest = now;
    for (const entry of this.#entries.values()) {
      const waits = entry.schedule.fixedTime && !isNew;
      if (!waits && entry.handled > now - spentMs) repeatFrom(entry, now - spentMs);
      this.#plan(entry, now);
    }
  }

  #arm(): void {
    this.#timer?.[Symbol.dispose]();
    const first = this.#due.first();
    // At least 1 ms: a timer may be a fraction early, and must not spin.
    const wait = Math.min(MAX_HOP_MS, Math.max(1, (first?.dueAt ?? 0) - this.#clock.now()));
    this.#timer = first && this.#clock.after("schedules", wait, () => this.#wake());
  }

  /** Finds when it is due, including moments that may still be caught up on. */
  #plan(entry: Entry, now: number): void {
    const aheadMs = entry.handled - now;
    if (aheadMs > (entry.schedule.fixedTime ? NEW_CLOCK_MS : GRACE_MS)) repeatFrom(entry, now);
    this.#queue(entry, Math.max(entry.handled, now - entry.windowMs - 1));
  }

  #queue(entry: Entry, after: number): void {
    this.#due.remove(entry);
    const next = entry.schedule.next(after);
    if (next === undefined) return;
    entry.dueAt = next;
    this.#due.push(entry);
  }

  #run(entry: Entry, now: number, missedMs: number): void {
    const at = momentToRun(entry, now, entry.owed ? (entry.schedule.everyMs ?? 0) : missedMs);
    entry.owed = false;
    this.#queue(entry, at ?? now);
    const repeats = at !== undefined && at <= (entry.aside ?? Number.NEGATIVE_INFINITY);
    if (entry.aside !== undefined && entry.aside <= now) entry.aside = undefined;
    if (at === undefined) return;
    entry.handled = at;
    if (entry.stepped && this.#isTooSoon(entry, at, repeats)) return;
    // The one after a late one may be due in a moment.
    entry.stepped &&= now - at > PUNCTUAL_MS;
    entry.ranMono = this.#clock.mono();
    this.#remember(entry.id, at);
    if (now - at > GRACE_MS)
      this.#log.info("a missed time is caught up on", { schedule: entry.id, secs: (now - at) / 1000 });
    entry.onDue(at);
  }

  /** After a step of the clock schedules keep their pace: no beat, and no moment a second time, within seconds. */
  #isTooSoon({ schedule, ranMono }: Entry, at: number, repeats: boolean): boolean {
    const spanMs = schedule.everyMs ?? (repeats ? Math.min(spanAfter(schedule, at), 2 * GRACE_MS) : 0);
    return this.#clock.mono() - ranMono < spanMs / 2;
  }

  /** Where a mark cannot be written, a moment may run twice; stopping the hub's schedules would be worse. */
  #remember(id: string, at: number): void {
    try {
      this.#mark.save(id, at);
    } catch (error) {
      this.#log.error("cannot remember what a schedule has run", { schedule: id, error: messageOf(error) });
    }
  }
}

function repeatFrom(entry: Entry, from: number): void {
  entry.aside = Math.max(entry.handled, entry.aside ?? entry.handled);
  entry.handled = from;
}

/** Moments that ran before a step back are not run again where a step forward passes over them. */
function takeAside(entry: Entry, until: number): void {
  if (entry.aside !== undefined && entry.aside <= until) entry.handled = Math.max(entry.handled, entry.aside);
}

/**
 * Shortly after its time each moment runs; after a long gap only the last one that is not too old, if any. For a fixed
 * time, nothing that the hub itself was late for is too old.
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

/** A schedule that throws must not stop the others: it is logged, and has no next moment. */
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
