// The messages of one channel: sent one at a time, no faster than the service allows, with growing pauses while it fails. Channels
// do not wait for each other. Which message is next is decided in skip-poison.ts, when in retry-schedule.ts.
import { isoSeconds, type Timer } from "../../core/clock.ts";
import { HubError, messageOf } from "../../core/errors.ts";
import type { RandomBytes } from "../../core/ids.ts";
import { guarded, within } from "../../core/lifecycle.ts";
import type { Log } from "../../core/log.ts";
import type { HubEvent } from "../../events/catalog.ts";
import type { DeliveryFault, MessageOptions } from "../channel.ts";
import type { ChannelOutcome, ChannelState, Notifier } from "../notifier.ts";
import {
  channelMessageOf,
  hashOf,
  haveSameOptions,
  isLate,
  MessageList,
  momentOf,
  type QueuedMessage,
  type Texts,
  type Times,
} from "./queued-message.ts";
import { createRetrySchedule, type RetrySchedule } from "./retry-schedule.ts";
import { createSkipPoison, type NextMessage, type SkipPoison } from "./skip-poison.ts";
import type { OutboxStore } from "./store.ts";

export interface ChannelQueueDeps extends Times {
  log: Log;
  random: RandomBytes;
  notifier: Pick<Notifier, "deliver">;
  store: Pick<OutboxStore, "texts">;
  /** Writes changed messages to disk, now or as soon as the disk accepts them. */
  keep: (messages: readonly QueuedMessage[]) => void;
  emit: (event: HubEvent) => void;
  expireMs: number;
}

export interface QueueOptions extends Pick<ChannelState, "name" | "limits"> {
  /** Why nothing can be sent to the channel; its messages wait nevertheless. */
  blocked: string | undefined;
}

export type GiveUpReason = "expired" | "refused" | "disabled" | "no_room";

const FIRST_TRY_MS = 10_000;
// Nobody waits for the later tries, so a slow server is given more time.
const LATER_TRY_MS = 60_000;
const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;
const LONGEST_SUSPICION_MS = 60_000;
const STOP_MS = 3000;

export class ChannelQueue {
  readonly name: string;
  readonly blocked: string | undefined;
  readonly #deps: ChannelQueueDeps;
  readonly #list = new MessageList();
  readonly #order: SkipPoison;
  readonly #schedule: RetrySchedule;
  readonly #wakeSafely: () => void;
  #sending: { message: QueuedMessage; abort: AbortController; done: Promise<void> } | undefined;
  #timer: Timer | undefined;
  #stopped = false;
  #lastError: string | undefined;

  /** `earlier` are the messages of earlier runs. */
  constructor({ name, blocked, limits }: QueueOptions, earlier: readonly QueuedMessage[], deps: ChannelQueueDeps) {
    const { clock, log, random, uptime } = deps;
    const [first] = earlier;
    this.name = name;
    this.blocked = blocked;
    this.#deps = deps;
    for (const message of earlier) this.#list.add(message);
    this.#order = createSkipPoison(this.messages, uptime);
    this.#schedule = createRetrySchedule({
      ...{ limits, clock, random },
      earlier: first && { retryAfterMs: Math.max(0, first.notBeforeMs - uptime()), failed: first.tries > 0 },
    });
    this.#wakeSafely = guarded(log, "outbox", () => this.wake());
    this.#lastError = first?.lastError ?? blocked;
  }

  /** The oldest first. */
  get messages(): readonly QueuedMessage[] {
    return this.#list.messages;
  }

  get bytes(): number {
    return this.#list.bytes;
  }

  /** Why messages do not get through; undefined when nothing failed since the last success. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** Whether a message that is added now would be sent at once. */
  isIdle(): boolean {
    return !this.blocked && !this.#stopped && !this.#order.hasUnskipped() && this.#schedule.waitMs() <= 0;
  }

  /** A waiting message with the same texts and options, not one that is being sent. */
  duplicateOf(texts: Texts, options: MessageOptions): QueuedMessage | undefined {
    const found = this.#list.waitingWith(hashOf(texts, options));
    if (found && !haveSameOptions(found.options, options)) return undefined;
    const known = found && (found.texts ?? this.#deps.store.texts(found.id));
    return known?.title === texts.title && known.message === texts.message ? found : undefined;
  }

  add(message: QueuedMessage): void {
    // An alarm does not wait ten minutes to find out whether only the message before it is refused.
    if (this.#order.suspectsOldest()) this.#schedule.limitPause(LONGEST_SUSPICION_MS);
    this.#list.add(message);
  }

  /** Sends the next message, or sets the timer for it. */
  wake(): void {
    this.#timer?.[Symbol.dispose]();
    if (this.#stopped || this.#sending) return;
    this.#giveUp(this.#expired(), "expired");
    // A listener of that event may have posted a message, which called `wake` already.
    this.#timer?.[Symbol.dispose]();
    if (this.#sending) return;
    const [oldest] = this.messages;
    const next = this.#order.next();
    if (!oldest || !next) return;
    const waitMs = this.blocked ? Number.POSITIVE_INFINITY : this.#waitMs(next);
    if (waitMs <= 0) this.#send(next.message);
    else {
      const sleepMs = Math.max(1, Math.min(waitMs, this.#msToExpiry(oldest)));
      this.#timer = this.#deps.clock.after("outbox", sleepMs, this.#wakeSafely);
    }
  }

  /** Epoch ms; undefined when others come first or nothing can be sent. */
  nextTry(message: QueuedMessage): number | undefined {
    const next = this.blocked || this.#sending ? undefined : this.#order.next();
    if (next?.message !== message) return undefined;
    return this.#deps.clock.now() + Math.max(0, Math.ceil(this.#waitMs(next)));
  }

  /** Ends the pause. Throws HubError `conflict` when nothing can be sent. */
  retryNow(): void {
    if (this.blocked) throw new HubError("conflict", `nothing can be sent: ${this.blocked}`);
    this.#schedule.retryNow();
    this.#order.retryNow();
    this.wake();
  }

  drop(message: QueuedMessage): void {
    this.#remove([message]);
    message.answer?.({ channel: this.name, state: "failed", error: "it was dropped" });
    if (this.#sending?.message === message) this.#sending.abort.abort();
    this.wake();
  }

  /** Frees space; false when no message can be given up. */
  giveUpOldest(): boolean {
    const oldest = this.messages.find(({ state }) => state === "waiting");
    if (oldest) this.#giveUp([oldest], "no_room");
    return oldest !== undefined;
  }

  /** Gives a message that is being sent three seconds to end by itself. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.[Symbol.dispose]();
    if (!this.#sending) return;
    const { done, abort } = this.#sending;
    const { clock } = this.#deps;
    if (await within(clock, STOP_MS, "outbox-stop", done)) return;
    abort.abort();
    await within(clock, STOP_MS, "outbox-stop", done);
  }

  #remove(messages: readonly QueuedMessage[]): void {
    for (const message of messages) {
      message.state = "gone";
      this.#list.remove(message);
    }
    if (!this.#order.hasUnskipped()) this.#schedule.reset();
    this.#deps.keep(messages);
  }

  #waitMs({ probe, waitMs }: NextMessage): number {
    return Math.max(waitMs, probe ? this.#schedule.serviceWaitMs() : this.#schedule.waitMs());
  }

  #msToExpiry({ keptMs }: QueuedMessage): number {
    return this.#deps.expireMs - (this.#deps.uptime() - keptMs);
  }

  #expired(): readonly QueuedMessage[] {
    const fresh = this.messages.findIndex((message) => this.#msToExpiry(message) > 0);
    return fresh < 0 ? [...this.messages] : this.messages.slice(0, fresh);
  }

  #send(message: QueuedMessage): void {
    const abort = new AbortController();
    message.state = "sending";
    const done = this.#deliver(message, abort.signal)
      .then((result) => {
        this.#sending = undefined;
        this.#handleResult(message, result);
      })
      .catch((error) => {
        this.#deps.log.error("a try failed unexpectedly", { channel: this.name, error: messageOf(error) });
        if (message.state === "sending") this.#postpone(message, messageOf(error), { transient: true });
      })
      .finally(this.#wakeSafely);
    this.#sending = { message, abort, done };
  }

  /** Never rejects. */
  async #deliver(queued: QueuedMessage, signal: AbortSignal): Promise<ChannelOutcome["result"]> {
    const { notifier, store } = this.#deps;
    try {
      const texts = queued.texts ?? store.texts(queued.id);
      if (!texts) return { ok: false, reason: "its text is no longer on disk", fault: { transient: false } };
      const message = channelMessageOf(queued, texts, this.#deps);
      const withinMs = queued.tries === 0 ? FIRST_TRY_MS : LATER_TRY_MS;
      return (await notifier.deliver({ channel: this.name, message }, signal, withinMs)).result;
    } catch (error) {
      return { ok: false, reason: messageOf(error), fault: { transient: true } };
    }
  }

  #handleResult(message: QueuedMessage, result: ChannelOutcome["result"]): void {
    this.#schedule.sent(messagesSent(message, result));
    message.tries++;
    if (message.state === "gone") return;
    if (result.ok) this.#delivered(message);
    else if (result.fault.transient) this.#postpone(message, result.reason, result.fault);
    else this.#giveUp([message], "refused", result.reason, result.fault.hint);
  }

  #delivered(message: QueuedMessage): void {
    const { log, emit, uptime } = this.#deps;
    const waited_secs = Math.round((uptime() - message.keptMs) / 1000);
    const late = isLate(message, this.#deps);
    const poison = this.#order.delivered(message);
    this.#remove([message]);
    this.#schedule.reset();
    this.#lastError = undefined;
    message.answer?.({ channel: this.name, state: "delivered" });
    if (poison)
      log.warn("a notification is skipped for now: only this one is refused", {
        ...this.#describe(poison),
        error: poison.lastError,
      });
    if (!late) return;
    log.info("a notification was delivered late", { channel: this.name, waited_secs, waiting: this.messages.length });
    emit({ type: "notification_delivered_late", ...this.#describe(message), waited_secs });
  }

  #postpone(message: QueuedMessage, reason: string, fault: DeliveryFault): void {
    const { hint, retryAfterMs = 0, partsArrived = message.parts, mayBeTheMessage = false } = fault;
    message.state = "waiting";
    message.parts = partsArrived;
    // A try that was cancelled because the hub stops is no failure.
    if (!this.#stopped) {
      const retryMs = Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
      this.#order.failed(message, mayBeTheMessage);
      // Another refusal of a skipped message says nothing about the channel.
      if (!mayBeTheMessage || !this.#order.isSkipped(message)) this.#schedule.failed();
      this.#schedule.retryAfter(retryMs);
      message.lastError = reason;
      message.triedMs = this.#deps.uptime();
      message.notBeforeMs = retryMs > 0 ? message.triedMs + retryMs : 0;
      if (this.#lastError === undefined)
        this.#deps.log.info("notifications wait until the channel accepts them", { channel: this.name });
      this.#lastError = reason;
    }
    this.#deps.keep([message]);
    message.answer?.({ channel: this.name, state: "queued", error: reason, ...(hint && { hint }) });
  }

  #giveUp(lost: readonly QueuedMessage[], reason: GiveUpReason, cause?: string, hint?: string): void {
    const [first] = lost;
    if (!first) return;
    const channel = this.name;
    const error = cause ?? first.lastError ?? this.blocked ?? this.#lastError ?? "it was not tried yet";
    this.#remove(lost);
    for (const { answer } of lost) answer?.({ channel, state: "failed", error, ...(hint && { hint }) });
    this.#deps.log.warn("notifications are given up", { channel, reason, messages: lost.length, error });
    const more = lost.length - 1;
    this.#deps.emit({ type: "notification_given_up", ...this.#describe(first), reason, error, more });
  }

  #describe(message: QueuedMessage) {
    const { title, tries, count } = message;
    return { channel: this.name, title, at: isoSeconds(momentOf(message, this.#deps)), tries, count };
  }
}

/** How many messages count for the service's limits: those that were accepted, and one that was refused. */
function messagesSent({ parts }: QueuedMessage, result: ChannelOutcome["result"]): number {
  if (result.ok) return Math.max(1, result.delivery.parts);
  return 1 + Math.max(0, (result.fault.partsArrived ?? 0) - parts);
}
