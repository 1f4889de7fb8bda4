// The messages of one channel: sent one at a time, no faster than the service allows, with growing pauses while it fails. Which is
// next is decided in message-list.ts and skip-poison.ts, when in retry-schedule.ts. An emergency is sent beside one that takes long.
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { Timer } from "../../../kit/time/clock.ts";
import type { DeliveryFault } from "../channel.ts";
import { type MessageOptions, type Rank, rankOf } from "../message-options.ts";
import { type ChannelNews, createChannelNews, type GiveUpReason } from "./channel-news.ts";
import { MessageList } from "./message-list.ts";
import type { ChannelQueueDeps, QueueOptions } from "./queue-deps.ts";
import { aboutOf, isLate, isUrgent, type QueuedMessage, refusalsIn, type Texts } from "./queued-message.ts";
import { createRetrySchedule, type RetrySchedule } from "./retry-schedule.ts";
import { createSkipPoison, type NextMessage, type SkipPoison } from "./skip-poison.ts";
import { messagesSent, type TryResult, tryMessage } from "./try-message.ts";
import { UnderWay } from "./under-way.ts";

const MAX_PAUSE_OF_EMERGENCY_MS = 60_000;

const MAX_RETRY_AFTER_MS = 24 * 3_600_000;
const MAX_SUSPICION_MS = 60_000;

export class ChannelQueue {
  readonly name: string;
  readonly blocked: string | undefined;
  readonly news: ChannelNews;
  readonly #deps: ChannelQueueDeps;
  readonly #list = new MessageList();
  readonly #order: SkipPoison;
  readonly #schedule: RetrySchedule;
  readonly #wakeSafely: () => void;
  readonly #underWay: UnderWay;
  readonly #next = () => bypassPause(this.#order.next(), (next) => this.#waitMs(next), this.#list);
  #timer: Timer | undefined;
  #stopped = false;
  #lastError: string | undefined;

  /** `earlier` are the messages of earlier runs. */
  constructor({ name, blocked, limits }: QueueOptions, earlier: readonly QueuedMessage[], deps: ChannelQueueDeps) {
    const { clock, log, random, uptime, emit } = deps;
    this.name = name;
    this.blocked = blocked;
    this.#deps = deps;
    this.#underWay = new UnderWay(clock);
    for (const message of earlier) this.#list.add(message);
    this.#order = createSkipPoison(this.messages, uptime);
    const tried = earlier.filter(({ tries }) => tries > 0).sort((a, b) => b.triedMs - a.triedMs);
    const notBeforeMs = Math.max(0, ...tried.map((message) => message.notBeforeMs));
    this.#schedule = createRetrySchedule({
      ...{ limits, clock, random },
      earlier:
        earlier.length > 0
          ? { retryAfterMs: Math.max(0, notBeforeMs - uptime()), failed: tried.length > 0 }
          : undefined,
    });
    this.#wakeSafely = guarded(log, "outbox", () => this.wake());
    this.#lastError = tried[0]?.lastError ?? blocked;
    this.news = createChannelNews({ channel: name, clock, log, emit, failing: this.#lastError !== undefined });
  }

  /** In the order in which they are sent. */
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

  /** Whether a message that is added now would be sent at once, or nearly so. */
  sendsAtOnce(options: MessageOptions): boolean {
    const isIdle = (): boolean => !this.#order.hasUnskipped() && this.#schedule.waitMs() <= 0;
    return !this.blocked && !this.#stopped && (rankOf(options) === 2 || isIdle());
  }

  /** A waiting message with the same texts and options, not one that is being sent or that somebody has already. */
  duplicateOf(texts: Texts, options: MessageOptions): QueuedMessage | undefined {
    return this.#list.duplicateOf(texts, options, this.#deps.store);
  }

  add(message: QueuedMessage): void {
    this.#expect(message);
    this.#list.add(message);
  }

  /** As `add`, for one that was enqueued on another machine before: it takes its place by `id`. */
  insert(message: QueuedMessage): void {
    this.#expect(message);
    this.#list.insert(message);
  }

  /** Sends the next message, or sets the timer for it. */
  wake(): void {
    this.#timer?.[Symbol.dispose]();
    if (this.#stopped) return;
    this.#giveUp(
      this.#list.oldestWhile((message) => message.state === "waiting" && this.#msToExpiry(message) <= 0),
      "expired",
    );
    // A listener of that event may have enqueued a message, which called `wake` already.
    this.#timer?.[Symbol.dispose]();
    const next = this.#underWay.isEmpty ? this.#next() : this.#beside();
    if (!next) return;
    const waitMs = this.blocked ? Number.POSITIVE_INFINITY : this.#waitMs(next);
    if (waitMs <= 0) {
      this.#send(next.message);
      return;
    }
    const expiries = this.#list.oldest().map((oldest) => this.#msToExpiry(oldest));
    this.#timer = this.#deps.clock.after("outbox", Math.max(1, Math.min(waitMs, ...expiries)), this.#wakeSafely);
  }

  /** Epoch ms; undefined when others come first or nothing can be sent. */
  nextTry(message: QueuedMessage): number | undefined {
    const next = !this.blocked && this.#underWay.isEmpty ? this.#next() : undefined;
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
    this.#drop(message);
    this.#deps.keep([message]);
    this.wake();
  }

  /** It arrived through another channel. What is being sent of it may arrive here too. It leaves the disk with the next change. */
  withdraw(message: QueuedMessage): void {
    this.#forget(message);
    message.answer?.({ channel: this.name, state: "delivered" });
    this.#deps.mark(message);
  }

  /** Drops what waits of this notice, on disk with the next change; a copy that is being sent is reported by `sent`. */
  dropNotice(notice: string): void {
    const waiting = this.messages.filter(({ state, options }) => state === "waiting" && options.notice === notice);
    for (const message of waiting) this.#drop(message);
    if (waiting.length > 0) this.wake();
  }

  /** Whether a message of this rank waits that can be given up. */
  hasWaiting(rank: Rank): boolean {
    return this.#list.oldestWaiting(rank) !== undefined;
  }

  /** Frees space; false when no message of this rank can be given up. */
  giveUpOldest(rank: Rank): boolean {
    const oldest = this.#list.oldestWaiting(rank);
    if (oldest) this.#giveUp([oldest], "no_room");
    return oldest !== undefined;
  }

  /** Gives what is being sent three seconds to end by itself. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.[Symbol.dispose]();
    await this.#underWay.stop();
    this.news[Symbol.dispose]();
  }

  #expect({ options }: QueuedMessage): void {
    // An alarm does not wait ten minutes to find out whether only the message before it is refused.
    if (this.#order.suspectsOldest()) this.#schedule.limitPause(MAX_SUSPICION_MS);
    if (rankOf(options) === 2) this.#schedule.hurry();
  }

  /** An emergency that was not tried yet, while another message takes long. */
  #beside(): NextMessage | undefined {
    const message = this.#list.oldestWaiting(2, isUrgent);
    return message && { message, probe: false, waitMs: this.#underWay.waitMs() };
  }

  #drop(message: QueuedMessage): void {
    this.#deps.relays.settle(message);
    this.#forget(message);
    this.#deps.mark(message);
    message.answer?.({ channel: this.name, state: "failed", error: "it was dropped" });
    this.#underWay.abort(message);
  }

  #remove(messages: readonly QueuedMessage[]): void {
    for (const message of messages) this.#forget(message);
    this.#deps.keep(messages);
  }

  #forget(message: QueuedMessage): void {
    message.state = "gone";
    this.#list.remove(message);
    if (!this.#order.hasUnskipped()) this.#schedule.reset();
  }

  #waitMs({ message, probe, waitMs }: NextMessage): number {
    return Math.max(waitMs, this.#schedule[probe ? "serviceWaitMs" : "waitMs"](isUrgent(message)));
  }

  #msToExpiry({ keptMs }: QueuedMessage): number {
    return this.#deps.expireMs - (this.#deps.uptime() - keptMs);
  }

  #send(message: QueuedMessage): void {
    if (isUrgent(message)) this.#schedule.hurry();
    this.#underWay.begin(message, (signal) => this.#try(message, signal).finally(this.#wakeSafely));
    // An emergency may wait for what is slow.
    this.wake();
  }

  /** Never rejects. */
  async #try(message: QueuedMessage, signal: AbortSignal): Promise<void> {
    const yieldsNow = (): boolean => this.#list.hasMoreImportant(message);
    const result = await tryMessage(message, signal, { ...this.#deps, yieldsNow });
    this.#underWay.ended(message);
    try {
      this.#handleResult(message, result);
    } catch (error) {
      this.#deps.log.error("a try failed unexpectedly", { channel: this.name, error: messageOf(error) });
      if (message.state === "sending") this.#postpone(message, messageOf(error), { transient: true });
    }
  }

  #handleResult(message: QueuedMessage, result: TryResult): void {
    this.#schedule.sent(messagesSent(message, result));
    message.tries++;
    for (const refusal of refusalsIn(result)) this.news.recipientRefused(aboutOf(message, this.#deps), refusal);
    if (message.state === "gone") return;
    if (result.ok) this.#delivered(message);
    else if (result.fault.transient) this.#postpone(message, result.reason, result.fault);
    else this.#giveUp([message], "refused", result.reason, result.fault.hint);
  }

  #delivered(message: QueuedMessage): void {
    const { log, uptime } = this.#deps;
    const late = isLate(message, this.#deps);
    const poison = this.#order.delivered(message);
    this.#deps.relays.settle(message);
    this.#remove([message]);
    this.#schedule.reset();
    this.#lastError = undefined;
    this.news.works(this.messages.length);
    message.answer?.({ channel: this.name, state: "delivered" });
    if (poison)
      log.warn("a notification is skipped for now: only this one is refused", {
        ...{ channel: this.name, title: poison.title, tries: poison.tries, error: poison.lastError },
      });
    if (late) this.news.deliveredLate(aboutOf(message, this.#deps), Math.round((uptime() - message.keptMs) / 1000));
  }

  #postpone(message: QueuedMessage, reason: string, fault: DeliveryFault): void {
    const { hint, retryAfterMs = 0, partsArrived = message.parts, mayBeTheMessage = false } = fault;
    message.state = "waiting";
    message.parts = partsArrived;
    message.settled = fault.settled ?? message.settled;
    // A try that was cancelled because the hub stops is no failure, and neither is one that lets another message go first.
    const failed = !this.#stopped && !fault.yielded;
    if (failed) {
      const retryMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
      this.#order.failed(message, mayBeTheMessage);
      message.lastError = reason;
      message.triedMs = this.#deps.uptime();
      message.notBeforeMs = retryMs > 0 ? message.triedMs + retryMs : 0;
      // Another refusal of a skipped message says nothing about the channel.
      if (!mayBeTheMessage || !this.#order.isSkipped(message)) {
        this.#schedule.failed();
        this.#lastError = reason;
        this.news.waits(aboutOf(message, this.#deps), { error: reason, hint });
      }
      this.#schedule.retryAfter(retryMs);
      if (this.hasWaiting(2)) this.#schedule.limitPause(MAX_PAUSE_OF_EMERGENCY_MS);
    }
    this.#deps.keep([message]);
    if (failed) this.#deps.relays.failed(message);
    message.answer?.({ channel: this.name, state: "queued", error: reason, ...(hint && { hint }) });
  }

  #giveUp(lost: readonly QueuedMessage[], reason: GiveUpReason, cause?: string, hint?: string): void {
    const [first] = lost;
    if (!first) return;
    const error = cause ?? first.lastError ?? this.blocked ?? this.#lastError ?? "it was not tried yet";
    const passedOn = reason === "refused" && this.#deps.relays.passOn(first);
    if (!passedOn) for (const message of lost) this.#deps.relays.settle(message);
    this.#remove(lost);
    const state = passedOn ? "queued" : "failed";
    for (const { answer } of lost) answer?.({ channel: this.name, state, error, ...(hint && { hint }) });
    if (passedOn) this.news.waits(aboutOf(first, this.#deps), { error, hint });
    else this.news.givenUp(aboutOf(first, this.#deps), { reason, error, hint, more: lost.length - 1 });
    for (const { notice } of passedOn ? [] : lost.map(({ options }) => options))
      if (notice !== undefined) this.#deps.lost?.({ channel: this.name, notice });
  }
}

/** While the service wants no more for long, an emergency that was not tried yet goes before those that were. */
function bypassPause(
  next: NextMessage | undefined,
  waitMs: (next: NextMessage) => number,
  list: Pick<MessageList, "oldestWaiting">,
): NextMessage | undefined {
  if (!next || waitMs(next) <= MAX_PAUSE_OF_EMERGENCY_MS) return next;
  const message = list.oldestWaiting(2, isUrgent);
  return message ? { message, probe: false, waitMs: 0 } : next;
}
