// What a schedule is: moments in time, asked for one by one. Running something at them is the scheduler's work.

export interface Schedule {
  /** The first moment strictly after `after`, or undefined where there is none within reach; both in epoch ms. */
  next(after: number): number | undefined;
  /**
   * Its moments are times on the wall, such as 07:30 or sunset: in a stretch that the clock shows a second time they do
   * not come again, and one that it leaves out comes late. Absent: it goes on with whatever the clock shows.
   */
  readonly fixedTime?: boolean;
  /** The same span between any two moments. */
  readonly everyMs?: number;
}

export type ScheduleResult = { ok: true; schedule: Schedule } | { ok: false; problem: string };

/** The last moment in (after, until], found by halving: also a schedule of every second tells in some forty questions. */
export function lastBetween(schedule: Schedule, after: number, until: number): number | undefined {
  let last = schedule.next(after);
  if (last === undefined || last > until) return undefined;
  let high = until;
  while (last < high) {
    const middle = Math.floor((last + high) / 2);
    const later = schedule.next(middle);
    if (later !== undefined && later <= until) last = later;
    else high = middle;
  }
  return last;
}
