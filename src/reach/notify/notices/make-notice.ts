// What a rule says as a notice, and how many notices are kept.
import { type RandomBytes, uuid } from "../../../kit/schema/ids.ts";
import { PRIORITIES } from "../../../kit/text/message-words.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { shortened } from "../outbox/queued-message.ts";
import { isAnswerable, type Notice, type RaisedNotice } from "./notice.ts";
import { type SnapshotDeps, takeSnapshot } from "./snapshot.ts";

export interface MakeDeps extends SnapshotDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Whom a name stands for when they are asked one after the other. */
  readonly expand: (name: string) => readonly string[];
}

/** How often an emergency goes round all who are asked. */
const ROUNDS = 3;
const MAX_STAGES = 100;
const MAX_PLAN = 64 * 1024;
/** More than any chat shows, also where JSON escapes each second character. */
const MAX_TEXT = 25_000;
const MAX_KEPT = 500;
const KEPT_MS = 30 * 24 * 3_600_000;

/** With its placeholders filled in, and shortened where it is too long to be kept: all notices are in memory. Nobody is notified yet. */
export function makeNotice(raised: RaisedNotice, deps: MakeDeps): Notice {
  const whole = noticeOf(raised, deps);
  return isSmallEnough(whole) ? whole : noticeOf(raised, deps, MAX_TEXT);
}

function noticeOf({ channels, escalateMs, ...given }: RaisedNotice, deps: MakeDeps, longest?: number): Notice {
  const { clock, random, expand } = deps;
  const { said, title, message } = takeSnapshot(given, deps, longest);
  const escalates = escalateMs !== undefined;
  const names = [...new Set(escalates ? channels.flatMap(expand) : channels)].slice(0, MAX_STAGES);
  const emergency = (given.priority ?? 0) >= PRIORITIES.emergency;
  const at = clock.now();
  return {
    ...{ id: uuid(random), at, tag: given.tag, title: shortened(title), message: shortened(message) },
    plan: {
      ...{ said, answerable: isAnswerable(given, escalateMs), escalateMs },
      stages: escalates ? names.map((name) => [name]) : [names],
      rounds: emergency && escalates ? ROUNDS : 1,
    },
    ...{ state: "open", steps: 0, reached: 0, stepAt: at, end: undefined, unansweredAt: undefined, announced: true },
  };
}

/** A longer one cannot be kept. */
export function isSmallEnough({ plan }: Notice): boolean {
  return JSON.stringify(plan).length <= MAX_PLAN;
}

/** The ids of those to forget: the old ones, and the oldest above the limit, those first that wait for nobody. */
export function surplusOf(all: readonly Notice[], now: number): string[] {
  const over = all.filter(({ state, plan }) => state !== "open" || !plan.answerable);
  const old = over.filter(({ at }) => now - at > KEPT_MS);
  const surplus = Math.max(0, all.length - old.length - MAX_KEPT);
  const first = [...over, ...all].filter((notice) => !old.includes(notice));
  return [...new Set([...old, ...first.slice(0, surplus)].map(({ id }) => id))];
}
