// A notification on its way: what is remembered of it, and what is said when it goes out.
import type { Clock } from "../../core/clock.ts";
import { ownBeginning } from "../../core/memory-size.ts";
import type { ChannelMessage } from "../channel.ts";

export interface Texts {
  readonly title: string;
  readonly message: string;
}

/** Without its message, which is on disk: ten thousand of these fit into a small memory. */
export interface Letter {
  /** Grows: the order of posting. */
  readonly id: number;
  readonly channel: string;
  readonly messageId: string;
  /** Its beginning, for people. */
  readonly title: string;
  /** Epoch ms, by the wall clock of that moment. */
  readonly at: number;
  /** By the hours' clock. */
  readonly keptMs: number;
  readonly bytes: number;
  readonly likeness: Likeness;
  /** What the wall clock was ahead of the hours' when it was posted; undefined for one of an earlier run. */
  readonly wallAheadMs: number | undefined;
  count: number;
  tries: number;
  parts: number;
  lastError: string | undefined;
  triedMs: number;
  notBeforeMs: number;
  state: "waiting" | "sending" | "gone";
  /** Only where the disk has not taken them. */
  texts?: Texts | undefined;
  /** Told once, what came of the first try. */
  answer?: ((first: FirstTry) => void) | undefined;
}

/** What came of posting. */
export interface FirstTry {
  readonly channel: string;
  /** `queued`: it is kept and will be tried (again). `failed`: it is not. */
  readonly state: "delivered" | "queued" | "failed";
  /** Of this one, or of those before it; absent for one that only waits for its turn. */
  readonly error?: string;
  /** What to do about it, in plain words. */
  readonly hint?: string;
}

/** The same for the same texts, and hardly ever for others. */
export type Likeness = ReturnType<typeof Bun.hash>;

export function likenessOf({ title, message }: Texts): Likeness {
  return Bun.hash(`${title}\0${message}`);
}

// What a row takes besides its texts.
const ROW_BYTES = 200;

const LONGEST_SHOWN = 200;

/** Its beginning, where it is long. */
export function shortened(text: string): string {
  return text.length > LONGEST_SHOWN ? `${ownBeginning(text, LONGEST_SHOWN).toWellFormed()}…` : text;
}

export function bytesOf({ title, message }: Texts): number {
  return ROW_BYTES + Buffer.byteLength(title) + Buffer.byteLength(message);
}

/**
 * Counts the time the hub runs, over restarts: what a message has waited is measured by it. A wall clock would not do: a
 * Pi without a battery for its clock wakes up in the past and then jumps ahead by years.
 */
export type HoursClock = () => number;

/** Goes on from the greatest of the times that were written down. */
export function createHoursClock(clock: Clock, from: number): HoursClock {
  const begun = clock.mono();
  return () => Math.round(from + clock.mono() - begun);
}

export interface Times {
  readonly clock: Clock;
  readonly hours: HoursClock;
  /** Epoch ms as the clock in the house showed it, `2026-01-31 14:02`. */
  readonly houseTime: (at: number) => string;
}

/** Later than this says so. */
const LATE_MS = 60_000;
/** Smaller corrections of the wall clock are not worth mentioning. */
const STEP_MS = 60_000;

export function isLate({ keptMs, wallAheadMs }: Letter, { hours }: Times): boolean {
  return wallAheadMs === undefined || hours() - keptMs >= LATE_MS;
}

/** When it happened, also where the wall clock was set since. */
export function momentOf({ at, wallAheadMs }: Letter, { clock, hours }: Times): number {
  if (wallAheadMs === undefined) return at;
  const stepMs = clock.now() - hours() - wallAheadMs;
  return Math.abs(stepMs) > STEP_MS ? at + stepMs : at;
}

/** As it goes to the channel now. */
export function messageOf(letter: Letter, { title, message }: Texts, times: Times): ChannelMessage {
  const at = momentOf(letter, times);
  const { messageId: id, count, parts } = letter;
  return {
    id,
    title,
    message,
    ...(count > 1 && { tally: `(${count} times since ${sinceText(at, times)})` }),
    at,
    late: isLate(letter, times),
    ...(parts > 0 && { skipParts: parts }),
  };
}

/** `14:02` on the same day, with the date on another. */
function sinceText(at: number, { clock, houseTime }: Times): string {
  const [then, now] = [houseTime(at), houseTime(clock.now())];
  return then.slice(0, 10) === now.slice(0, 10) ? then.slice(11) : then;
}
