// Brings the copies of a notice up to date in their channels: who confirmed it, that it is over, what its tag says now. What is left
// to do is what the rows on disk say, so it goes on after a restart. Channels do not wait for each other.
import { background } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { RandomBytes } from "../../../kit/schema/ids.ts";
import { createBackoff } from "../../../kit/time/backoff.ts";
import { type Clock, sleep } from "../../../kit/time/clock.ts";
import { type Channel, type ChannelMessage, DeliveryError } from "../channel.ts";
import type { NoticesDeps } from "./deps.ts";
import { isNamed, type Notice, type NoticeMessage } from "./notice.ts";
import type { NoticeStore } from "./store.ts";

export interface EditsDeps {
  clock: Clock;
  log: Log;
  random: RandomBytes;
  store: Pick<NoticeStore, "messages" | "saveMessage" | "removeMessage">;
  notice: (id: string) => Notice | undefined;
  channel: (name: string) => Channel | undefined;
  /** Before that is shown to anybody: see `NoticesDeps`. */
  confirmed: NoticesDeps["confirmed"];
  /** As the channel should show it now. */
  render: (notice: Notice, channel: string) => ChannelMessage;
  /** Says it anew where what its tag said before cannot be changed. */
  sayAnew: (notice: Notice, channel: string) => void;
  /** Says who answered where no message can be changed. */
  sayEnd: (notice: Notice, channel: string) => void;
}

export interface Edits extends AsyncDisposable {
  /** Looks at the copies of this notice, or of all. */
  wake(notice?: string): void;
}

const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 10 * 60_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** About a day. */
const MAX_TRIES = 150;
const EACH_WITHIN_MS = 30_000;

export function createEdits(deps: EditsDeps): Edits {
  const { clock, log, random, store } = deps;
  const ending = new AbortController();
  /** Channel → its copies to look at, and whether that is under way. */
  const queues = new Map<string, { waiting: Map<string, NoticeMessage>; working?: Promise<void> }>();

  function wake(notice?: string): void {
    for (const message of store.messages(notice)) {
      const about = deps.notice(message.notice);
      if (about && about.state === message.shows) continue;
      const queue = queues.get(message.channel) ?? { waiting: new Map<string, NoticeMessage>() };
      queues.set(message.channel, queue);
      queue.waiting.set(message.remote, message);
      queue.working ??= work(message.channel, queue.waiting)
        .catch((error) => log.error("messages of notices are not updated", { error: messageOf(error) }))
        .finally(() => queues.delete(message.channel));
    }
  }

  async function work(channel: string, waiting: Map<string, NoticeMessage>): Promise<void> {
    const backoff = createBackoff({ firstMs: FIRST_PAUSE_MS, maxMs: MAX_PAUSE_MS }, random);
    let tries = 0;
    // Not before the caller is through: it may be in the middle of a change.
    await Promise.resolve();
    for (let next = first(waiting); next && !ending.signal.aborted; next = first(waiting)) {
      const fault = await update(next);
      if (ending.signal.aborted) return;
      if (fault && ++tries < MAX_TRIES) {
        const pauseMs = Math.min(fault.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS) || backoff.next();
        log.debug("a message is not brought up to date yet", { channel, error: fault.reason });
        await sleep(clock, "notice-edit", pauseMs, ending.signal);
        continue;
      }
      if (fault) log.warn("a message is not brought up to date", { channel, error: fault.reason });
      tries = 0;
      backoff.reset();
      // It may have been asked for again meanwhile, for a newer state.
      if (waiting.get(next.remote) === next) waiting.delete(next.remote);
    }
  }

  /** Undefined when nothing is left to do; otherwise why it should be tried again. */
  async function update(message: NoticeMessage): Promise<{ reason: string; retryAfterMs?: number } | undefined> {
    const notice = deps.notice(message.notice);
    if (!notice) return void store.removeMessage(message);
    const { state } = notice;
    if (state === message.shows) return undefined;
    const late = new AbortController();
    using _timer = clock.after("notice-edit", EACH_WITHIN_MS, () => late.abort());
    const confirmed = deps.confirmed?.();
    if (confirmed) await confirmed;
    if (ending.signal.aborted) return undefined;
    try {
      await apply(message, notice, AbortSignal.any([ending.signal, late.signal]));
    } catch (error) {
      const { transient = false, retryAfterMs } = error instanceof DeliveryError ? error.fault : {};
      if (transient) return { reason: messageOf(error), ...(retryAfterMs !== undefined && { retryAfterMs }) };
      log.info("a message cannot be brought up to date", { channel: message.channel, reason: messageOf(error) });
      if (message.shows === "" && state === "open") {
        store.removeMessage(message);
        deps.sayAnew(notice, message.channel);
        return undefined;
      }
    }
    store.saveMessage({ ...message, shows: state });
    return undefined;
  }

  async function apply(message: NoticeMessage, notice: Notice, signal: AbortSignal): Promise<void> {
    const { channel: name, remote, shows } = message;
    const channel = deps.channel(name);
    const { state, plan, end } = notice;
    // A message without buttons says nothing else when its time is over.
    if (!channel || (state === "expired" && !plan.answerable)) return;
    const named = isNamed(message);
    const canChange = named && channel.change !== undefined;
    const change = () => channel.change?.(remote, deps.render(notice, name), signal);
    if (state !== "cleared" && (canChange || shows === "")) {
      if (!canChange) throw new DeliveryError("the channel cannot change messages", { transient: false });
      await change();
      return;
    }
    try {
      if (named) await channel.remove?.(remote, signal);
    } catch (error) {
      // Some services let messages be changed for longer than they let them be taken back.
      if (!canChange || (error instanceof DeliveryError && error.fault.transient)) throw error;
      await change();
    }
    if (state === "acknowledged" && end?.channel !== name) deps.sayEnd(notice, name);
  }

  return {
    wake(notice) {
      if (!ending.signal.aborted)
        background(
          log,
          "messages of notices",
          Promise.resolve().then(() => wake(notice)),
        );
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await Promise.allSettled([...queues.values()].map(({ working }) => working));
    },
  };
}

function first(waiting: ReadonlyMap<string, NoticeMessage>): NoticeMessage | undefined {
  return waiting.values().next().value;
}
