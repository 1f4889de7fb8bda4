// The outbox: a message that fails for a transient reason is kept in the state database and retried until it gets through or
// expires. It is on disk before it is sent, and deleted when the service has accepted it: if the hub dies in between, it is sent
// twice. Texts are filled in before they come here; sending is the notifier's work.
import { type Clock, isoSeconds } from "../../core/clock.ts";
import type { RandomBytes } from "../../core/ids.ts";
import type { Limits } from "../../core/limits.ts";
import type { Log } from "../../core/log.ts";
import { type DiskBudget, startWriteBehind } from "../../core/write-behind.ts";
import type { StateDb } from "../../db/state-db.ts";
import type { HubEvent } from "../../events/catalog.ts";
import type { Addressed, Notifier } from "../notifier.ts";
import { optionsOf } from "../render.ts";
import type { ChannelQueue, GiveUpReason } from "./channel-queue.ts";
import { type OutboxQuota, openChannelQueues } from "./channel-queues.ts";
import {
  bytesOf,
  createUptimeClock,
  type FirstTry,
  hashOf,
  momentOf,
  type QueuedMessage,
  shortened,
  type Texts,
} from "./queued-message.ts";
import { createOutboxStore } from "./store.ts";

export type { FirstTry } from "./queued-message.ts";

export interface Outbox extends AsyncDisposable {
  /**
   * Stores what `render` made and sends it, at once if nothing waits for its channel. It is stored when `post` returns; the promise
   * resolves with the results of the first tries, within about 10 s. Rejects only when there is no such channel.
   */
  post(addressed: readonly Addressed[]): Promise<FirstTry[]>;
  /** The oldest first. */
  list(filter?: { channel?: string | undefined; limit?: number | undefined }): WaitingMessage[];
  /** How many messages wait for this channel. */
  waiting(channel: string): number;
  /** Ends the pause of its channel; older messages go first. Throws HubError `not_found`, or `conflict` when nothing can be sent. */
  retry(id: string): void;
  /** Throws HubError `not_found`. */
  drop(id: string): void;
}

export interface WaitingMessage {
  id: string;
  channel: string;
  title: string;
  /** Shortened. */
  message: string;
  /** Epoch ms, as `nextTry`. */
  at: number;
  tries: number;
  /** Only for the next message of its channel; the others follow it. */
  nextTry: number | undefined;
  lastError: string | undefined;
  /** How often the same text was posted while it waited, itself included. */
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
  /** Epoch ms as local time, `2026-01-31 14:02`. */
  houseTime: (at: number) => string;
  expireHours: number;
  /** See core/write-budget.ts. */
  budget?: DiskBudget;
  /** How much may wait. */
  quota?: OutboxQuota;
  limits?: Limits;
}

const HOUR_MS = 3_600_000;
const FLUSH_MS = 10_000;
const LARGEST_BYTES = 1024 * 1024;
// A little longer than the first try may last, as its result says more.
const ANSWER_MS = 10_500;
// One character more than is shown, to see whether the text is longer.
const SHOWN = 201;

/** Continues with the messages that earlier runs left. */
export function startOutbox(options: OutboxOptions): Outbox {
  const { db, clock, log, notifier, emit, budget } = options;
  const store = createOutboxStore(db);
  const earlier = store.load();
  const uptime = createUptimeClock(clock, latest(earlier));
  const behind = startWriteBehind<QueuedMessage>({
    ...{ clock, log, periodMs: FLUSH_MS, write: store.save, what: "the outbox" },
    ...(budget && { budget }),
    trouble: db.trouble,
  });
  const keep = (messages: readonly QueuedMessage[]): void => {
    for (const message of messages) behind.mark(message);
    if (messages.length > 0) behind.flush();
  };
  const expireMs = options.expireHours * HOUR_MS;
  const queues = openChannelQueues(earlier, { ...options, uptime, store, keep, expireMs });
  const ending = new AbortController();
  let lastId = earlier.at(-1)?.id ?? 0;

  function admit(addressed: Addressed): { queued?: QueuedMessage; answer: Promise<FirstTry> } {
    const { channel, message } = addressed;
    const queue = queues.get(channel);
    if (!queue || queue.blocked) return { answer: deliverNow(addressed) };
    const texts = { title: message.title, message: message.message };
    if (bytesOf(texts) > LARGEST_BYTES) return { answer: Promise.resolve(refuse(addressed)) };
    const { lastError: error } = queue;
    const waits = Promise.resolve<FirstTry>({ channel, state: "queued", ...(error !== undefined && { error }) });
    const duplicate = queue.duplicateOf(texts, optionsOf(message));
    if (duplicate) {
      duplicate.count++;
      // It is on disk already; the count is written in batches.
      behind.mark(duplicate);
      return { answer: waits };
    }
    const queued = queuedMessageOf(addressed, texts);
    const answer = queue.isIdle() ? firstTry(queued) : waits;
    queue.add(queued);
    return { queued, answer };
  }

  function queuedMessageOf({ channel, message }: Addressed, texts: Texts): QueuedMessage {
    const { id, at } = message;
    const options = optionsOf(message);
    const keptMs = uptime();
    // From the clock, so that no id is used again after a restart.
    lastId = Math.max(lastId + 1, clock.now());
    return {
      ...{ id: lastId, channel, messageId: id, at, keptMs, triedMs: keptMs, notBeforeMs: 0, texts },
      ...{ count: 1, tries: 0, parts: 0, lastError: undefined, state: "waiting" },
      ...{ title: shortened(texts.title), options, bytes: bytesOf(texts), hash: hashOf(texts, options) },
      wallAheadMs: clock.now() - keptMs,
    };
  }

  function firstTry(queued: QueuedMessage): Promise<FirstTry> {
    const { promise, resolve } = Promise.withResolvers<FirstTry>();
    const answer = (first: FirstTry): void => {
      queued.answer = undefined;
      timer[Symbol.dispose]();
      resolve(first);
    };
    const timer = clock.after("outbox-answer", ANSWER_MS, () => answer({ channel: queued.channel, state: "queued" }));
    queued.answer = answer;
    return promise;
  }

  /** For `log`, which never fails, and disabled channels, which always do. */
  async function deliverNow(addressed: Addressed): Promise<FirstTry> {
    const { channel } = addressed;
    const { result } = await notifier.deliver(addressed, ending.signal);
    if (result.ok) return { channel, state: "delivered" };
    const { reason, fault } = result;
    reportLost(addressed, "disabled", reason);
    return { channel, state: "failed", error: reason, ...(fault.hint && { hint: fault.hint }) };
  }

  function refuse(addressed: Addressed): FirstTry {
    const { channel } = addressed;
    const error = `the message is too long: at most ${LARGEST_BYTES} bytes are sent`;
    log.warn("a notification was not delivered", { channel, reason: error });
    reportLost(addressed, "refused", error);
    return { channel, state: "failed", error };
  }

  function reportLost({ channel, message }: Addressed, reason: GiveUpReason, error: string): void {
    const about = { channel, title: shortened(message.title), at: isoSeconds(message.at) };
    emit({ type: "notification_given_up", ...about, tries: 1, count: 1, reason, error, more: 0 });
  }

  function listed({ queue, queued }: { queue: ChannelQueue; queued: QueuedMessage }): WaitingMessage {
    const { channel, title, tries, count } = queued;
    const { message = "" } = queued.texts ?? store.texts(queued.id, SHOWN) ?? {};
    const nextTry = queue.nextTry(queued);
    return {
      ...{ id: String(queued.id), channel, title, message: shortened(message), tries, count },
      at: momentOf(queued, { ...options, uptime }),
      nextTry,
      lastError: shortenedOr(queue.blocked ?? queued.lastError),
      state: stateOf(queue, queued, nextTry),
    };
  }

  for (const queue of queues.all()) queue.wake();
  return {
    post(addressed) {
      const admitted = addressed.map(admit);
      keep(admitted.flatMap(({ queued }) => queued ?? []));
      queues.enforceQuota();
      for (const { channel } of addressed) queues.get(channel)?.wake();
      return Promise.all(admitted.map(({ answer }) => answer));
    },
    list: ({ channel, limit } = {}) =>
      queues
        .all()
        .filter(({ name }) => channel === undefined || name === channel)
        .flatMap((queue) => queue.messages.map((queued) => ({ queue, queued })))
        .sort((a, b) => a.queued.id - b.queued.id)
        .slice(0, limit)
        .map(listed),
    waiting: (channel) => queues.get(channel)?.messages.length ?? 0,
    retry: (id) => queues.find(id).queue.retryNow(),
    drop(id) {
      const { queue, message } = queues.find(id);
      queue.drop(message);
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await Promise.all(queues.all().map((queue) => queue.stop()));
      behind[Symbol.dispose]();
    },
  };
}

function shortenedOr(text: string | undefined): string | undefined {
  return text === undefined ? undefined : shortened(text);
}

function stateOf(
  { blocked }: ChannelQueue,
  { state }: QueuedMessage,
  nextTry: number | undefined,
): WaitingMessage["state"] {
  if (blocked) return "blocked";
  if (state === "sending") return "sending";
  return nextTry === undefined ? "queued" : "waiting";
}

function latest(messages: readonly QueuedMessage[]): number {
  return messages.reduce((most, { keptMs, triedMs }) => Math.max(most, keptMs, triedMs), 0);
}
