// A message that waits in the outbox: its state in memory, and the message that is sent to the channel for it.
import { ownBeginning } from "../../../kit/schema/memory-size.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { ChannelMessage, Settled } from "../channel.ts";
import { keyOf, type MessageOptions, type Relay, rankOf } from "../message-options.ts";
import type { ChannelOutcome } from "../notifier.ts";

export interface Texts {
  readonly title: string;
  readonly message: string;
  /** The message as HTML, where its channel has both. */
  readonly html?: string | undefined;
}

/** A message as events describe it. */
export interface AboutMessage {
  readonly title: string;
  /** Epoch ms. */
  readonly at: number;
  readonly tries: number;
  readonly count: number;
}

/** Without its text, which is on disk, so that ten thousand of these need little memory. */
export interface QueuedMessage {
  /** Ascending in the order of posting. */
  readonly id: number;
  readonly channel: string;
  readonly messageId: string;
  /** Shortened, for people. */
  readonly title: string;
  readonly options: MessageOptions;
  /** Epoch ms, as the wall clock showed it then. */
  readonly at: number;
  /** When it was enqueued, by the uptime clock, as `triedMs` and `notBeforeMs`. */
  readonly keptMs: number;
  /** One of several copies, of which one is to arrive. */
  readonly relay: Relay | undefined;
  readonly bytes: number;
  readonly hash: TextHash;
  /** Wall clock minus uptime clock when it was enqueued; undefined for a message of an earlier run. */
  readonly wallAheadMs: number | undefined;
  /** How often the same text was enqueued. */
  count: number;
  tries: number;
  /** Parts of a long text that have arrived. */
  parts: number;
  /** Of several recipients, those that need no other copy. */
  settled?: Settled | undefined;
  lastError: string | undefined;
  triedMs: number;
  notBeforeMs: number;
  state: "waiting" | "sending" | "gone";
  /** Present until they are on disk. */
  texts?: Texts | undefined;
  /** Called once, with the result of the first try. */
  answer?: ((first: FirstTry) => void) | undefined;
}

/** The result of posting. */
export interface FirstTry {
  readonly channel: string;
  /** `queued`: it is stored and will be tried (again). `failed`: it is not stored. */
  readonly state: "delivered" | "queued" | "failed";
  /** The error of this message or of those before it; absent when it only waits for its turn. */
  readonly error?: string;
  /** What to do about it, in plain words. */
  readonly hint?: string;
  /** What its author should know of its text. */
  readonly note?: string;
}

export type TextHash = ReturnType<typeof Bun.hash>;

/** Equal texts and options have equal hashes; different ones nearly always have different ones. */
export function hashOf({ title, message, html = "" }: Texts, options: MessageOptions): TextHash {
  return Bun.hash(`${title}\0${message}\0${html}\0${keyOf(options)}`);
}

/** Longer messages are refused. */
export const MAX_BYTES = 1_048_576;

// The size of a row without its texts.
const ROW_BYTES = 200;

const MAX_SHOWN = 200;

/** The beginning of a long text. */
export function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${ownBeginning(text, MAX_SHOWN).toWellFormed()}…` : text;
}

export function bytesOf({ title, message, html = "" }: Texts): number {
  return ROW_BYTES + Buffer.byteLength(title) + Buffer.byteLength(message) + Buffer.byteLength(html);
}

/**
 * The hub's uptime in ms, summed over restarts. It measures how long a message has waited, as the wall clock cannot: a Raspberry Pi
 * without a battery for its clock starts in the past and then jumps ahead by years.
 */
export type UptimeClock = () => number;

/** Continues from the greatest time that was stored. */
export function createUptimeClock(clock: Clock, from: number): UptimeClock {
  const begun = clock.mono();
  return () => Math.round(from + clock.mono() - begun);
}

export interface Times {
  readonly clock: Clock;
  readonly uptime: UptimeClock;
  /** Epoch ms as local time, `2026-01-31 14:02`. */
  readonly houseTime: (at: number) => string;
}

/** A message that is delivered later than this says so. */
const LATE_MS = 60_000;
/** Smaller corrections of the wall clock are ignored. */
const STEP_MS = 60_000;

export function isLate({ keptMs, wallAheadMs }: QueuedMessage, { uptime }: Times): boolean {
  return wallAheadMs === undefined || uptime() - keptMs >= LATE_MS;
}

/** An emergency that was not tried yet. */
export function isUrgent({ options, tries }: QueuedMessage): boolean {
  return rankOf(options) === 2 && tries === 0;
}

/** When it happened, corrected if the wall clock was set since. */
export function momentOf({ at, wallAheadMs }: QueuedMessage, { clock, uptime }: Times): number {
  if (wallAheadMs === undefined) return at;
  const stepMs = clock.now() - uptime() - wallAheadMs;
  return Math.abs(stepMs) > STEP_MS ? at + stepMs : at;
}

/** As events describe it. */
export function aboutOf(message: QueuedMessage, times: Times): AboutMessage {
  const { title, tries, count } = message;
  return { title, at: momentOf(message, times), tries, count };
}

/** The message as it is sent to the channel now. */
export function channelMessageOf(queued: QueuedMessage, { title, message, html }: Texts, times: Times): ChannelMessage {
  const at = momentOf(queued, times);
  const { messageId: id, count, parts, settled, options } = queued;
  return {
    ...options,
    id,
    title,
    message,
    ...(html !== undefined && { html }),
    ...(count > 1 && { repeats: `(${count} times since ${sinceText(at, times)})` }),
    at,
    late: isLate(queued, times),
    ...(parts > 0 && { skipParts: parts }),
    ...(settled && { settled }),
  };
}

/** Recipients that this try refused for good, as their event reports. */
export function refusalsIn(result: ChannelOutcome["result"]): { recipient: string; error: string }[] {
  const { refused = [] } = result.ok ? result.delivery : result.fault;
  return refused.map(({ recipient, answer: error }) => ({ recipient, error }));
}

/** `14:02` for today, with the date for other days. */
function sinceText(at: number, { clock, houseTime }: Times): string {
  const [then, now] = [houseTime(at), houseTime(clock.now())];
  return then.slice(0, 10) === now.slice(0, 10) ? then.slice(11) : then;
}
