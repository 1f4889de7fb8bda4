// A message that waits in the outbox: its state in memory, and the message that is sent to the channel for it.
import type { Clock } from "../../core/clock.ts";
import { isObject, parseJson } from "../../core/json.ts";
import { ownBeginning } from "../../core/memory-size.ts";
import type { ChannelMessage, MessageOptions } from "../channel.ts";

export interface Texts {
  readonly title: string;
  readonly message: string;
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
  /** When it was posted, by the uptime clock, as `triedMs` and `notBeforeMs`. */
  readonly keptMs: number;
  readonly bytes: number;
  readonly hash: TextHash;
  /** Wall clock minus uptime clock when it was posted; undefined for a message of an earlier run. */
  readonly wallAheadMs: number | undefined;
  /** How often the same text was posted. */
  count: number;
  tries: number;
  /** Parts of a long text that have arrived. */
  parts: number;
  lastError: string | undefined;
  triedMs: number;
  notBeforeMs: number;
  state: "waiting" | "sending" | "gone";
  /** Present until they are on disk. */
  texts?: Texts | undefined;
  /** Called once, with the result of the first try. */
  answer?: ((first: FirstTry) => void) | undefined;
}

/** The messages of one channel in order, searchable by their texts. */
export class MessageList {
  readonly messages: QueuedMessage[] = [];
  readonly #byHash = new Map<TextHash, QueuedMessage>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(message: QueuedMessage): void {
    this.messages.push(message);
    this.#byHash.set(message.hash, message);
    this.#bytes += message.bytes;
  }

  remove(message: QueuedMessage): void {
    const index = this.messages.indexOf(message);
    if (index < 0) return;
    this.messages.splice(index, 1);
    if (this.#byHash.get(message.hash) === message) this.#byHash.delete(message.hash);
    this.#bytes -= message.bytes;
  }

  /** The newest with this hash, if it is not being sent: its text may still change. */
  waitingWith(hash: TextHash): QueuedMessage | undefined {
    const message = this.#byHash.get(hash);
    return message?.state === "waiting" ? message : undefined;
  }
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
}

export type TextHash = ReturnType<typeof Bun.hash>;

/** Equal texts and options have equal hashes; different ones nearly always have different ones. */
export function hashOf({ title, message }: Texts, { priority, silent, tag }: MessageOptions): TextHash {
  return Bun.hash(`${title}\0${message}\0${JSON.stringify([priority, silent, tag])}`);
}

/** Whether two messages should arrive in the same way. */
export function haveSameOptions(one: MessageOptions, other: MessageOptions): boolean {
  return one.priority === other.priority && one.silent === other.silent && one.tag === other.tag;
}

/** As they are on disk; what is not readable is left out. */
export function readOptions(text: string): MessageOptions {
  const read = parseJson(text);
  if (!read.ok || !isObject(read.value)) return {};
  const { priority, silent, tag } = read.value;
  return {
    ...(typeof priority === "number" && { priority }),
    ...(typeof silent === "boolean" && { silent }),
    ...(typeof tag === "string" && { tag }),
  };
}

// The size of a row without its texts.
const ROW_BYTES = 200;

const LONGEST_SHOWN = 200;

/** The beginning of a long text. */
export function shortened(text: string): string {
  return text.length > LONGEST_SHOWN ? `${ownBeginning(text, LONGEST_SHOWN).toWellFormed()}…` : text;
}

export function bytesOf({ title, message }: Texts): number {
  return ROW_BYTES + Buffer.byteLength(title) + Buffer.byteLength(message);
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

/** When it happened, corrected if the wall clock was set since. */
export function momentOf({ at, wallAheadMs }: QueuedMessage, { clock, uptime }: Times): number {
  if (wallAheadMs === undefined) return at;
  const stepMs = clock.now() - uptime() - wallAheadMs;
  return Math.abs(stepMs) > STEP_MS ? at + stepMs : at;
}

/** The message as it is sent to the channel now. */
export function channelMessageOf(queued: QueuedMessage, { title, message }: Texts, times: Times): ChannelMessage {
  const at = momentOf(queued, times);
  const { messageId: id, count, parts, options } = queued;
  return {
    ...options,
    id,
    title,
    message,
    ...(count > 1 && { repeats: `(${count} times since ${sinceText(at, times)})` }),
    at,
    late: isLate(queued, times),
    ...(parts > 0 && { skipParts: parts }),
  };
}

/** `14:02` for today, with the date for other days. */
function sinceText(at: number, { clock, houseTime }: Times): string {
  const [then, now] = [houseTime(at), houseTime(clock.now())];
  return then.slice(0, 10) === now.slice(0, 10) ? then.slice(11) : then;
}
