// Debian's cron over steps of the clock, as its cron.c words it: minutes only, UTC only, slow and plain. Shares nothing with
// the code under test. Where the hub does otherwise, a comment says so.

export interface CronJob {
  /** The minutes and hours it names, as sets; `*` and its kin written out. */
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  /** MIN_STAR or HR_STAR. */
  readonly wild: boolean;
}

const MINUTE_MS = 60_000;
const THREE_HOURS = 180;

export interface DebianCron {
  /** Whether a step was by three hours to the minute or so, or ended within a minute that had run: seconds are counted here and minutes there. */
  readonly doubtful: boolean;
  /** Called at each minute that begins by the clock on the wall; answers the job's minutes that run now. */
  look(now: number): number[];
}

export function createDebianCron({ minutes, hours, wild }: CronJob, start: number): DebianCron {
  let furthest = Math.floor(start / MINUTE_MS);
  let last = furthest;
  // Debian waits for the minute that the clock has shown at most, the hub for the one that ran last: what a new clock has
  // passed over can still come.
  let ranUpTo = furthest;
  // Nor does the hub repeat what ran before the clock was years behind for a while.
  let ranBefore = Number.NEGATIVE_INFINITY;
  let ran = Number.NEGATIVE_INFINITY;

  function names(minute: number): boolean {
    return minutes.has(minute % 60) && hours.has(Math.floor(minute / 60) % 24);
  }

  let doubtful = false;

  return {
    get doubtful() {
      return doubtful;
    },
    look(now) {
      const time = Math.floor(now / MINUTE_MS);
      const ahead = time - furthest;
      doubtful ||= Math.abs(Math.abs(ahead) - THREE_HOURS) <= 2;
      const isNew = Math.abs(ahead) > THREE_HOURS;
      // The hub looks every 30 s: put right seconds before a minute that had run, it has not passed over that one, which comes once more.
      doubtful ||= isNew && ahead > 0 && ranBefore === time;
      if (isNew && ahead > 0 && ranBefore <= time) ranUpTo = Math.max(ranUpTo, ranBefore);
      if (isNew && ahead < 0) {
        ranBefore = Math.max(ranBefore, ran);
        ranUpTo = Math.min(ranUpTo, time - 1);
      }
      // Debian runs wildcard jobs of up to five minutes late, the hub of one.
      const first = wild || isNew ? time : last + 1;
      let due: number | undefined;
      for (let minute = Math.min(first, time); minute <= time; minute++) {
        // Debian runs a job for each of the minutes left out, the hub once.
        if (names(minute) && (wild || minute > ranUpTo)) due = minute;
      }
      furthest = isNew ? time : Math.max(furthest, time);
      last = time;
      if (due === undefined) return [];
      ranUpTo = due;
      ran = due;
      return [due * MINUTE_MS];
    },
  };
}
