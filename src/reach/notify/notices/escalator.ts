// Takes the steps of all open notices when they are due: one timer for the next one.
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { DurableMoment } from "../../../kit/time/durable-moment.ts";
import { type NextStep, nextDue } from "./escalation.ts";
import type { Notice } from "./notice.ts";

export interface EscalatorDeps {
  clock: Clock;
  log: Log;
  expireMs: number;
  open: () => readonly Notice[];
  /** The moment of its last step. */
  since: (notice: Notice) => DurableMoment;
  take: (notice: Notice, step: NextStep) => void;
  /** Called now and then while steps wait. */
  followClock: () => void;
}

export interface Escalator extends Disposable {
  /** Looks again at what is due next. To be called after each change. */
  look(): void;
  /** The next step of this notice does not wait. */
  hurry(notice: Notice): void;
}

/** A wall clock that was corrected after a restart brings steps nearer. */
const LOOK_EVERY_MS = 30_000;

export function createEscalator({ clock, log, expireMs, open, since, take, followClock }: EscalatorDeps): Escalator {
  const hurried = new Map<string, number>();
  let timer: Timer | undefined;
  let closed = false;
  const run = guarded(log, "escalation", takeDue);

  const dueOf = (notice: Notice) => {
    const due = nextDue(notice, since(notice), { clock, expireMs });
    return due && due.step !== "expire" && hurried.get(notice.id) === notice.steps ? { ...due, inMs: 0 } : due;
  };

  function takeDue(): void {
    for (const notice of open()) {
      const due = dueOf(notice);
      if (due && due.inMs <= 0) guarded(log, "escalation", () => take(notice, due.step))();
    }
    look();
  }

  function look(): void {
    timer?.[Symbol.dispose]();
    followClock();
    const waits = closed ? [] : open().flatMap((notice) => dueOf(notice)?.inMs ?? []);
    if (waits.length > 0)
      timer = clock.after("notice-escalation", Math.ceil(Math.max(1, Math.min(LOOK_EVERY_MS, ...waits))), run);
  }

  return {
    look,
    hurry(notice) {
      const known = new Set(open().map(({ id }) => id));
      for (const id of hurried.keys()) if (!known.has(id)) hurried.delete(id);
      hurried.set(notice.id, notice.steps);
      look();
    },
    [Symbol.dispose]() {
      closed = true;
      timer?.[Symbol.dispose]();
    },
  };
}
