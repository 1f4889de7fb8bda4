// The outbox: a message that fails for a transient reason is kept in the state database and retried until it gets through or
// expires. It is on disk before it is sent, and deleted when the service has accepted it: if the hub dies in between, it is sent
// twice. Texts are filled in before they come here; sending is the notifier's work.
import { type DiskBudget, startWriteBehind } from "../../../kit/files/write-behind.ts";
import type { Limits } from "../../../kit/lifecycle/limits.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { OwnRows } from "../../../server/db/own-rows.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import { optionsOf } from "../message-options.ts";
import type { Addressed, Notifier } from "../notifier.ts";
import type { GiveUpReason, Why } from "./channel-news.ts";
import type { ChannelQueue } from "./channel-queue.ts";
import { type OutboxQuota, openChannelQueues } from "./channel-queues.ts";
import type { LeftMessage } from "./left-message.ts";
import {
  bytesOf,
  createUptimeClock,
  type FirstTry,
  hashOf,
  MAX_BYTES,
  momentOf,
  type QueuedMessage,
  shortened,
  type Texts,
  type Times,
} from "./queued-message.ts";
import { createRelays } from "./relays.ts";
import { createOutboxStore, type OutboxStore } from "./store.ts";
import type { LostMessage, SentMessage } from "./try-message.ts";

export type { FirstTry } from "./queued-message.ts";
export type { SentMessage } from "./try-message.ts";

export interface Outbox extends AsyncDisposable {
  /**
   * Stores what `render` made and sends it, at once if nothing waits for its channel. It is stored when `enqueue` returns; the promise
   * resolves with the results of the first tries, within about 10 s. Rejects only when there is no such channel. `along`: written in
   * the same commit, also where nothing has to be stored.
   */
  enqueue(addressed: readonly Addressed[], along?: OwnRows): Promise<FirstTry[]>;
  /** The oldest first. */
  list(filter?: { channel?: string | undefined; limit?: number | undefined }): WaitingMessage[];
  /** Whether a message with this `ChannelMessage.id` is kept. */
  has(messageId: string): boolean;
  /** How many messages wait for this channel. */
  waiting(channel: string): number;
  /** Ends the pause of its channel; older messages go first. Throws HubError `not_found`, or `conflict` when nothing can be sent. */
  retry(id: string): void;
  /** Throws HubError `not_found`. */
  drop(id: string): void;
  /**
   * Drops the copies of a notice that were not sent yet, on disk with the next commit, or at the end of this turn of the event loop.
   * One that is being sent is reported by `sent`, if it arrives.
   */
  cancelNotice(notice: string): void;
  /** The channels in which copies of a notice are kept. */
  waitingFor(notice: string): string[];
  /**
   * Takes messages that waited on the machine that was the hub before, and sends them as those of an earlier run. Leaves out those it
   * keeps, took within the last hour or cannot send. They are on disk when it returns, which is how many it took. Throws HubError
   * `storage` if they cannot be: then it took none.
   */
  takeOver(messages: readonly LeftMessage[]): number;
}

export interface OutboxOptions {
  db: Pick<StateDb, "own" | "faults" | "trouble" | "copy">;
  notifier: Pick<Notifier, "list" | "deliver">;
  clock: Clock;
  log: Log;
  random: RandomBytes;
  emit: (event: HubEvent) => void;
  /** Epoch ms as local time, `2026-01-31 14:02`. */
  houseTime: (at: number) => string;
  expireHours: number;
  /** See kit/files/write-budget.ts. */
  budget?: DiskBudget;
  /** How much may wait. */
  quota?: OutboxQuota;
  limits?: Limits;
  /** Notified of each message that arrived, where the service named it, before the message leaves the disk. */
  sent?: (sent: SentMessage) => void;
  /** Notified of each message of a notice that will not arrive, after it has left the disk. */
  lost?: (lost: LostMessage) => void;
}

const HOUR_MS = 3_600_000;
const FLUSH_MS = 10_000;
// A little longer than the first try may last, as its result says more.
const ANSWER_MS = 10_500;

/** Continues with the messages that earlier runs left. */
export function startOutbox(options: OutboxOptions): Outbox {
  const { db, clock, log, notifier, budget } = options;
  const store = createOutboxStore(db, log);
  const earlier = store.load();
  const uptime = createUptimeClock(clock, latest(earlier));
  const writeBehind = startWriteBehind<QueuedMessage | OwnRows>({
    ...{ clock, log, periodMs: FLUSH_MS, write: store.save, what: "the outbox" },
    ...(budget && { budget }),
    trouble: db.trouble,
  });
  const keep = (changes: readonly (QueuedMessage | OwnRows)[]): void => {
    for (const change of changes) writeBehind.mark(change);
    if (changes.length > 0) writeBehind.flush();
  };
  let isMakingRoom = false;
  /** Where thousands are given up, not each has a commit of its own. */
  const keepSoon = (changes: readonly QueuedMessage[]): void => {
    if (!isMakingRoom) keep(changes);
    else for (const change of changes) writeBehind.mark(change);
  };
  const expireMs = options.expireHours * HOUR_MS;
  const relays = createRelays({
    ...{ clock, uptime, mark: writeBehind.mark },
    send(message) {
      const queue = queues.get(message.channel);
      if (!queue || queue.blocked) return false;
      queue.add(message);
      queue.wake();
      return true;
    },
    withdraw: (message) => queues.get(message.channel)?.withdraw(message),
  });
  const sendable = earlier.filter((message) => !relays.standBy(message));
  const shared = { ...options, uptime, store, relays, expireMs };
  const queues = openChannelQueues(sendable, { ...shared, mark: writeBehind.mark, keep: keepSoon });
  const ending = new AbortController();
  let lastId = earlier.at(-1)?.id ?? 0;
  let takeOver: Outbox["takeOver"] | undefined;

  /** `counted`: relays whose message was counted as another one that waits. */
  function admit(addressed: Addressed, counted: Set<string>): { queued?: QueuedMessage; answer?: Promise<FirstTry> } {
    const { channel, message, relay } = addressed;
    if (relay && counted.has(relay.id)) return {};
    const queue = queues.get(channel);
    if (!queue || queue.blocked) return { answer: deliverNow(addressed) };
    const { title, message: text, html } = message;
    const texts = { title, message: text, ...(html !== undefined && { html }) };
    if (bytesOf(texts) > MAX_BYTES) return { answer: Promise.resolve(refuse(addressed)) };
    const { lastError: error } = queue;
    const waits = Promise.resolve<FirstTry>({ channel, state: "queued", ...(error !== undefined && { error }) });
    const options = optionsOf(message);
    const duplicate = queue.duplicateOf(texts, options);
    if (duplicate) {
      duplicate.count++;
      // It is on disk already; the count is written in batches.
      writeBehind.mark(duplicate);
      if (relay) counted.add(relay.id);
      return { answer: waits };
    }
    const queued = queuedMessageOf(addressed, texts);
    if (relays.standBy(queued)) return { queued };
    const answer = queue.sendsAtOnce(options) ? firstTry(queued) : waits;
    queue.add(queued);
    return { queued, answer };
  }

  function queuedMessageOf({ channel, message, relay }: Addressed, texts: Texts): QueuedMessage {
    const { id, at } = message;
    const options = optionsOf(message);
    const keptMs = uptime();
    // From the clock, so that no id is used again after a restart.
    lastId = Math.max(lastId + 1, clock.now());
    return {
      ...{ id: lastId, channel, messageId: id, at, keptMs, triedMs: keptMs, notBeforeMs: 0, texts },
      ...{ count: 1, tries: 0, parts: 0, lastError: undefined, state: "waiting" },
      ...{ title: shortened(texts.title), options, relay, bytes: bytesOf(texts), hash: hashOf(texts, options) },
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
    reportLost(addressed, "disabled", { error: reason, hint: fault.hint });
    return { channel, state: "failed", error: reason, ...(fault.hint && { hint: fault.hint }) };
  }

  function refuse(addressed: Addressed): FirstTry {
    const { channel } = addressed;
    const error = `the message is too long: at most ${MAX_BYTES} bytes are sent`;
    reportLost(addressed, "refused", { error });
    return { channel, state: "failed", error };
  }

  function reportLost({ channel, message }: Addressed, reason: GiveUpReason, why: Why): void {
    const about = { title: shortened(message.title), at: message.at, tries: 1, count: 1 };
    queues.get(channel)?.news.givenUp(about, { ...why, reason, more: 0 });
  }

  function makeRoom(): void {
    isMakingRoom = true;
    try {
      queues.enforceQuota();
    } finally {
      isMakingRoom = false;
      writeBehind.flush();
    }
  }

  function noteId(id: number): void {
    lastId = Math.max(lastId, id);
  }

  for (const queue of queues.all()) queue.wake();
  return {
    enqueue(addressed, along) {
      const counted = new Set<string>();
      const admitted = addressed.map((each) => ({ ...admit(each, counted), note: each.note }));
      keep([...admitted.flatMap(({ queued }) => queued ?? []), ...(along ? [along] : [])]);
      queues.enforceQuota();
      for (const { channel } of addressed) queues.get(channel)?.wake();
      const noted = admitted.flatMap(({ answer, note }) =>
        answer && note !== undefined ? answer.then((first) => ({ ...first, note })) : (answer ?? []),
      );
      return Promise.all(noted);
    },
    list: ({ channel, limit } = {}) =>
      queues
        .all()
        .filter(({ name }) => channel === undefined || name === channel)
        .flatMap((queue) => queue.messages.map((queued) => ({ queue, queued })))
        .sort((a, b) => a.queued.id - b.queued.id)
        .slice(0, limit)
        .map((each) => waitingMessageOf(each, { ...options, uptime, store })),
    has: (messageId) =>
      relays.has(messageId) ||
      queues.all().some(({ messages }) => messages.some((each) => each.messageId === messageId)),
    waiting: (channel) => queues.get(channel)?.messages.length ?? 0,
    retry: (id) => queues.find(id).queue.retryNow(),
    drop(id) {
      const { queue, message } = queues.find(id);
      queue.drop(message);
    },
    cancelNotice(notice) {
      relays.dropNotice(notice);
      for (const queue of queues.all()) queue.dropNotice(notice);
      queueMicrotask(writeBehind.flush);
    },
    waitingFor: (notice) => [
      ...relays.waitingFor(notice),
      ...queues
        .all()
        .filter(({ messages }) => messages.some(({ options }) => options.notice === notice))
        .map(({ name }) => name),
    ],
    takeOver(messages) {
      takeOver ??= loadTakeOver().createTakeOver({ ...shared, queues, makeRoom, noteId });
      return takeOver(messages);
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      relays[Symbol.dispose]();
      await Promise.all(queues.all().map((queue) => queue.stop()));
      writeBehind[Symbol.dispose]();
    },
  };
}

/** A former hub comes back rarely. */
function loadTakeOver(): typeof import("./take-over.ts") {
  return require("./take-over.ts");
}

function latest(messages: readonly QueuedMessage[]): number {
  return messages.reduce((most, { keptMs, triedMs }) => Math.max(most, keptMs, triedMs), 0);
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
  /** How often the same text was enqueued while it waited, itself included. */
  count: number;
  /** `blocked`: its channel is disabled or not in the configuration. */
  state: "sending" | "waiting" | "queued" | "blocked";
}

// One character more than is shown, to see whether the text is longer.
const SHOWN = 201;

function waitingMessageOf(
  { queue, queued }: { queue: ChannelQueue; queued: QueuedMessage },
  deps: Times & { store: Pick<OutboxStore, "texts"> },
): WaitingMessage {
  const { channel, title, tries, count } = queued;
  const { message = "" } = queued.texts ?? deps.store.texts(queued.id, SHOWN) ?? {};
  const nextTry = queue.nextTry(queued);
  return {
    ...{ id: String(queued.id), channel, title, message: shortened(message), tries, count },
    at: momentOf(queued, deps),
    nextTry,
    lastError: shortenedOr(queue.blocked ?? queued.lastError),
    state: stateOf(queue, queued, nextTry),
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
