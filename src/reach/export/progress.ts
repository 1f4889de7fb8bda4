// How far an export is: a head that follows the clock, and stretches of time besides that are still to be sent. The history has
// its samples by the hub's clock, so where that is set back, new samples are before the head: then they are such a stretch.
import type { Clock } from "../../kit/time/clock.ts";

/** Epoch ms; `from` is included, `to` is not. */
export interface Stretch {
  from: number;
  to: number;
}

export interface SavedProgress {
  /** When it was saved, by the hub's clock. */
  at: number;
  head: number;
  stretches: Stretch[];
}

export interface Job extends Stretch {
  isHead: boolean;
}

export interface Progress {
  readonly head: number;
  /** Still to be sent besides what the head comes to, oldest first. */
  readonly stretches: readonly Stretch[];
  /** Must be called before each round: notices that the clock was set. */
  lookAtClock(): void;
  /** What can be sent now. */
  jobs(): Job[];
  /** Everything of the job before `through` is sent. */
  done(job: Job, through: number): void;
  add(stretch: Stretch): void;
  /** How old the oldest sample may be that the head has not sent. */
  lagMs(): number;
  saved(): SavedProgress;
}

/** The head stays so far behind: a clock that is set back by less changes nothing. */
const SETTLE_MS = 2000;
/** Progress is saved so often; what was sent since is sent again after a kill. */
export const SAVE_MS = 10 * 60_000;
const MARGIN_MS = 1000;
const MAX_STRETCHES = 100;

/** Without `before`, it begins now. */
export function createProgress(clock: Pick<Clock, "now" | "mono">, before: SavedProgress | undefined): Progress {
  let wall = before?.at ?? clock.now();
  let mono = clock.mono();
  let head = before?.head ?? clock.now();
  let stretches = before?.stretches ?? [];

  /** Where the clock stands after a while without having been set. */
  const expected = (): number => wall + (clock.mono() - mono);

  function tidy(): void {
    const sorted = stretches.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from);
    stretches = [];
    for (const stretch of sorted) {
      const last = stretches.at(-1);
      const isNear = last && (stretch.from <= last.to || stretches.length >= MAX_STRETCHES);
      if (isNear) last.to = Math.max(last.to, stretch.to);
      else stretches.push({ ...stretch });
    }
  }

  /** New samples are from `now` on, which is before the head. */
  function setBack(now: number): void {
    if (now >= head) return;
    stretches.push({ from: now, to: head });
    tidy();
  }

  /** Nothing was recorded between `until` and now. */
  function setForward(until: number): void {
    for (const stretch of stretches) if (stretch.to > until) stretch.to = Math.max(stretch.from, until);
    tidy();
  }

  if (before) {
    // While the hub did not run, nothing was recorded.
    if (clock.now() > before.at + 2 * SAVE_MS) setForward(before.at + 2 * SAVE_MS);
    setBack(clock.now() - MARGIN_MS);
    wall = clock.now();
  }

  return {
    get head() {
      return head;
    },
    get stretches() {
      return stretches;
    },
    lookAtClock() {
      const now = clock.now();
      const leap = now - expected();
      // It may have been set right after it was looked at last.
      if (leap < -MARGIN_MS / 2) setBack(Math.min(now, wall + leap) - MARGIN_MS);
      if (leap > MARGIN_MS) setForward(expected() + MARGIN_MS);
      [wall, mono] = [now, clock.mono()];
    },
    jobs() {
      const until = clock.now() - SETTLE_MS;
      const all = stretches.map(({ from, to }): Job => ({ from, to: Math.min(to, until), isHead: false }));
      return [{ from: head, to: until, isHead: true }, ...all].filter(({ from, to }) => from < to);
    },
    done({ isHead, from }, through) {
      if (isHead) head = Math.max(head, through);
      const stretch = isHead ? undefined : stretches.find((one) => one.from === from);
      if (stretch) stretch.from = Math.max(stretch.from, through);
      tidy();
    },
    add(stretch) {
      stretches.push(stretch);
      tidy();
    },
    lagMs() {
      const now = clock.now();
      if (head <= now) return now - head;
      // While the clock is behind the head, its stretch is what follows the clock.
      const following = stretches.find(({ from, to }) => from <= now && to > now);
      return following ? now - following.from : 0;
    },
    saved: () => ({ at: clock.now(), head, stretches: stretches.map((stretch) => ({ ...stretch })) }),
  };
}
