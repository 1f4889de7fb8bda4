// The outbox: what could not be delivered for a passing reason is kept in the state database and tried again until it gets
// through or its hours are over. A message is on disk before it is sent, and leaves the disk when the service has taken it:
// where the hub ends in between, it is sent once more. Texts are filled in before they come here; sending is the notifier's.
import { type Clock, isoSeconds } from "../../core/clock.ts";
import type { RandomBytes } from "../../core/ids.ts";
import type { Limits } from "../../core/limits.ts";
import type { Log } from "../../core/log.ts";
import { type DiskBudget, startWriteBehind } from "../../core/write-behind.ts";
import type { StateDb } from "../../db/state-db.ts";
import type { HubEvent } from "../../events/catalog.ts";
import type { Addressed, Notifier } from "../notifier.ts";
import type { GivenUp, Lane } from "./lane.ts";
import { type OutboxRoom, openLanes } from "./lanes.ts";
import {
  bytesOf,
  createHoursClock,
  type FirstTry,
  type Letter,
  likenessOf,
  momentOf,
  shortened,
  type Texts,
} from "./letter.ts";
import { createOutboxStore } from "./store.ts";

export type { FirstTry } from "./letter.ts";

export interface Outbox extends AsyncDisposable {
  /**
   * Keeps what `render` made, and sends it: at once where nothing waits for its channel. When it returns, it is kept; what it
   * resolves with, within about 10 s, is what came of the first tries. Rejects only where a name is no channel's.
   */
  post(addressed: readonly Addressed[]): Promise<FirstTry[]>;
  /** The oldest first. */
  list(filter?: { channel?: string | undefined; limit?: number | undefined }): WaitingMessage[];
  /** How many wait for this channel. */
  waiting(channel: string): number;
  /** Ends the pause of its channel; what is older goes first. Throws HubError `not_found`, or `conflict` where nothing can be sent. */
  retry(id: string): void;
  /** Throws HubError `not_found`. */
  drop(id: string): void;
}

export interface WaitingMessage {
  id: string;
  channel: string;
  title: string;
  /** Its beginning. */
  message: string;
  /** Epoch ms, as `nextTry`. */
  at: number;
  tries: number;
  /** Of the next of its channel only: the others come after it. */
  nextTry: number | undefined;
  lastError: string | undefined;
  /** Alike ones that came while it waited, itself included. */
  count: number;
  /** `blocked`: its channel is disabled or not in the configuration. */
  state: "sending" | "waiting" | "queued" | "blocked";
}

export interface OutboxOptions {
  db: Pick<StateDb, "own" | "faults" | "trouble">;
  notifier: Pick<Notifier, "list" | "deliver">;
  clock: Clock;
  log: Log;
  random: RandomBytes;
  emit: (event: HubEvent) => void;
  /** Epoch ms as the clock in the house showed it, `2026-01-31 14:02`. */
  houseTime: (at: number) => string;
  expireHours: number;
  /** See core/write-budget.ts. */
  budget?: DiskBudget;
  /** What may wait. */
  room?: OutboxRoom;
  limits?: Limits;
}

const HOUR_MS = 3_600_000;
const FLUSH_MS = 10_000;
const LARGEST_BYTES = 1024 * 1024;
// A little later than the first try itself ends, which tells more.
const ANSWER_MS = 10_500;
// One more than is shown, to see whether there is more.
const SHOWN = 201;

/** Goes on with what earlier runs left. */
export function startOutbox(options: OutboxOptions): Outbox {
  const { db, clock, log, notifier, emit, budget } = options;
  const store = createOutboxStore(db);
  const earlier = store.load();
  const hours = createHoursClock(clock, latest(earlier));
  const behind = startWriteBehind<Letter>({
    ...{ clock, log, periodMs: FLUSH_MS, write: store.save, what: "the outbox" },
    ...(budget && { budget }),
    trouble: db.trouble,
  });
  const keep = (letters: readonly Letter[]): void => {
    for (const letter of letters) behind.mark(letter);
    if (letters.length > 0) behind.flush();
  };
  const lanes = openLanes(earlier, { ...options, hours, store, keep, expireMs: options.expireHours * HOUR_MS });
  const ending = new AbortController();
  let lastId = earlier.at(-1)?.id ?? 0;

  function admit(addressed: Addressed): { letter?: Letter; answer: Promise<FirstTry> } {
    const { channel, message } = addressed;
    const lane = lanes.get(channel);
    if (!lane || lane.blocked) return { answer: handOver(addressed) };
    const texts = { title: message.title, message: message.message };
    if (bytesOf(texts) > LARGEST_BYTES) return { answer: Promise.resolve(refuse(addressed)) };
    const { lastError: error } = lane;
    const queued = Promise.resolve<FirstTry>({ channel, state: "queued", ...(error !== undefined && { error }) });
    const alike = lane.alike(texts);
    if (alike) {
      alike.count++;
      // It is kept already; how often it was is written in batches.
      behind.mark(alike);
      return { answer: queued };
    }
    const letter = letterOf(addressed, texts);
    const answer = lane.idle() ? firstTry(letter) : queued;
    lane.add(letter);
    return { letter, answer };
  }

  function letterOf({ channel, message: { id, at } }: Addressed, texts: Texts): Letter {
    const keptMs = hours();
    // From the clock, so that a number is not given twice over restarts.
    lastId = Math.max(lastId + 1, clock.now());
    return {
      ...{ id: lastId, channel, messageId: id, at, keptMs, triedMs: keptMs, notBeforeMs: 0, texts },
      ...{ count: 1, tries: 0, parts: 0, lastError: undefined, state: "waiting" },
      ...{ title: shortened(texts.title), bytes: bytesOf(texts), likeness: likenessOf(texts) },
      wallAheadMs: clock.now() - keptMs,
    };
  }

  function firstTry(letter: Letter): Promise<FirstTry> {
    const { promise, resolve } = Promise.withResolvers<FirstTry>();
    const tell = (first: FirstTry): void => {
      letter.answer = undefined;
      timer[Symbol.dispose]();
      resolve(first);
    };
    const timer = clock.after("outbox-answer", ANSWER_MS, () => tell({ channel: letter.channel, state: "queued" }));
    letter.answer = tell;
    return promise;
  }

  /** To `log`, which takes everything, and to disabled channels, which take nothing. */
  async function handOver(addressed: Addressed): Promise<FirstTry> {
    const { channel } = addressed;
    const { result } = await notifier.deliver(addressed, ending.signal);
    if (result.ok) return { channel, state: "delivered" };
    const { reason, fault } = result;
    tellLost(addressed, "disabled", reason);
    return { channel, state: "failed", error: reason, ...(fault.hint && { hint: fault.hint }) };
  }

  function refuse(addressed: Addressed): FirstTry {
    const { channel } = addressed;
    const error = `the message is too long: at most ${LARGEST_BYTES} bytes are sent`;
    log.warn("a notification was not delivered", { channel, reason: error });
    tellLost(addressed, "refused", error);
    return { channel, state: "failed", error };
  }

  function tellLost({ channel, message }: Addressed, reason: GivenUp, error: string): void {
    const about = { channel, title: shortened(message.title), at: isoSeconds(message.at) };
    emit({ type: "notification_given_up", ...about, tries: 1, count: 1, reason, error, more: 0 });
  }

  function listed({ lane, letter }: { lane: Lane; letter: Letter }): WaitingMessage {
    const { channel, title, tries, count } = letter;
    const { message = "" } = letter.texts ?? store.texts(letter.id, SHOWN) ?? {};
    const nextTry = lane.nextTry(letter);
    return {
      ...{ id: String(letter.id), channel, title, message: shortened(message), tries, count },
      at: momentOf(letter, { ...options, hours }),
      nextTry,
      lastError: shortenedOr(lane.blocked ?? letter.lastError),
      state: stateOf(lane, letter, nextTry),
    };
  }

  for (const lane of lanes.all()) lane.wake();
  return {
    post(addressed) {
      const admitted = addressed.map(admit);
      keep(admitted.flatMap(({ letter }) => letter ?? []));
      lanes.makeRoom();
      for (const { channel } of addressed) lanes.get(channel)?.wake();
      return Promise.all(admitted.map(({ answer }) => answer));
    },
    list: ({ channel, limit } = {}) =>
      lanes
        .all()
        .filter(({ name }) => channel === undefined || name === channel)
        .flatMap((lane) => lane.letters.map((letter) => ({ lane, letter })))
        .sort((a, b) => a.letter.id - b.letter.id)
        .slice(0, limit)
        .map(listed),
    waiting: (channel) => lanes.get(channel)?.letters.length ?? 0,
    retry: (id) => lanes.find(id).lane.retry(),
    drop(id) {
      const { lane, letter } = lanes.find(id);
      lane.drop(letter);
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await Promise.all(lanes.all().map((lane) => lane.stop()));
      behind[Symbol.dispose]();
    },
  };
}

function shortenedOr(text: string | undefined): string | undefined {
  return text === undefined ? undefined : shortened(text);
}

function stateOf({ blocked }: Lane, { state }: Letter, nextTry: number | undefined): WaitingMessage["state"] {
  if (blocked) return "blocked";
  if (state === "sending") return "sending";
  return nextTry === undefined ? "queued" : "waiting";
}

function latest(letters: readonly Letter[]): number {
  return letters.reduce((most, { keptMs, triedMs }) => Math.max(most, keptMs, triedMs), 0);
}
