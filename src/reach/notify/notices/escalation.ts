// When a notice goes on to whom: which step of its plan is next, and how long until then. Deadlines are the house's: while the hub
// runs its monotonic clock counts, over a restart the wall clock does, so that setting the clock neither skips nor repeats a step.
import type { Clock } from "../../../kit/time/clock.ts";
import { type DurableMoment, msSince } from "../../../kit/time/durable-moment.ts";
import type { Notice } from "./notice.ts";

/** What is due next of an open notice. */
export type NextStep =
  /** The next names are notified. */
  | "notify"
  /** Everybody was asked once, and nobody has answered. */
  | "unanswered"
  /** Nobody has answered for so long that nobody will. */
  | "expire";

export interface Due {
  readonly step: NextStep;
  /** Not above 0 when it is due. */
  readonly inMs: number;
}

export interface EscalationTimes {
  readonly clock: Clock;
  readonly expireMs: number;
}

/** `since`: the moment of the last step. Undefined where nothing is due any more. */
export function nextDue(notice: Notice, since: DurableMoment, { clock, expireMs }: EscalationTimes): Due | undefined {
  const { state, steps, unansweredAt, plan } = notice;
  if (state !== "open") return undefined;
  const passed = msSince(clock, since);
  if (steps === 0) return { step: "notify", inMs: 0 };
  const { escalateMs, stages, rounds } = plan;
  if (escalateMs !== undefined) {
    const inMs = escalateMs - passed;
    if (steps >= stages.length && unansweredAt === undefined) return { step: "unanswered", inMs };
    if (steps < stages.length * rounds) return { step: "notify", inMs };
  }
  return plan.answerable ? { step: "expire", inMs: expireMs - passed } : undefined;
}

/** Whether so long ago that nobody will answer it, such as before the hub was off for a week. To be asked at a start only. */
export function isForgotten({ plan }: Notice, since: DurableMoment, { clock, expireMs }: EscalationTimes): boolean {
  return plan.answerable && msSince(clock, since) >= expireMs;
}

/** The names of the last step. */
export function namesNow({ steps, plan: { stages } }: Notice): readonly string[] {
  return stages[(steps - 1) % stages.length] ?? [];
}

/** The names of the next step. */
export function namesNext({ steps, plan: { stages } }: Notice): readonly string[] {
  return stages[steps % stages.length] ?? [];
}
