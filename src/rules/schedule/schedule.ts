// What a schedule is: moments in time, asked for one by one. Running something at them is the scheduler's work.

export interface Schedule {
  /** The first moment strictly after `after`, or undefined where there is none within reach; both in epoch ms. */
  next(after: number): number | undefined;
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
