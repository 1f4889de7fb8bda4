// Asks a bot for what people pressed and wrote, by long polling: one connection for each bot, whatever the number of its chats. How
// far it has read is on disk after each update, so that none is lost, and none is handled twice, when the hub is killed.
import { messageOf } from "../../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../../kit/schema/json.ts";
import { createBackoff } from "../../../kit/time/backoff.ts";
import { sleep } from "../../../kit/time/clock.ts";
import { type ChannelDeps, DeliveryError } from "../channel.ts";
import type { Bot } from "./telegram-bot.ts";

export interface PolledChat {
  /** Whether this chat is meant. */
  isIn(chat: string): boolean;
  /** Whether it wants what people write, beside what they press. */
  readonly texts: boolean;
  receive(update: JsonObject, signal: AbortSignal): Promise<void>;
  /** Whether the bot can be asked: undefined when it can, else why not and what to do. */
  reportProblem(problem: string | undefined): void;
}

export interface Poller {
  /** Asks for as long as a chat is attached. */
  attach(chat: PolledChat): AsyncDisposable;
}

const POLL_SECS = 50;
/** A connection that says nothing for this long is dead. */
const POLL_WITHIN_MS = (POLL_SECS + 15) * 1000;
/** Longer than Telegram keeps updates, and shorter than the quiet week after which their numbers begin anew. */
const OFFSET_HOLDS_MS = 6 * 24 * 3_600_000;
const CONFLICT = 409;
/** Longer than the pauses of whoever asks the same bot. */
const CALM_MS = 5 * 60_000;

export function createPoller(bot: Bot, { clock, log, random, kept }: ChannelDeps): Poller {
  const chats = new Set<PolledChat>();
  const key = `telegram_offset ${/\/bot(\d+):/.exec(bot.key)?.[1] ?? bot.key}`;
  const backoff = createBackoff({ firstMs: 1000, maxMs: 120_000 }, random);
  let running: { abort: AbortController; done: Promise<void> } | undefined;
  let offset = storedOffset();
  let complaint: string | undefined;
  let conflictAt = Number.NEGATIVE_INFINITY;

  function storedOffset(): number | undefined {
    const [next = 0, at = 0] = (kept?.get(key) ?? "").split(" ").map(Number);
    return next > 0 && Math.abs(clock.now() - at) < OFFSET_HOLDS_MS ? next : undefined;
  }

  function done(id: number): void {
    offset = id + 1;
    try {
      kept?.set(key, `${offset} ${clock.now()}`);
    } catch (error) {
      log.error("how far the bot was heard cannot be written", { error: messageOf(error) });
    }
  }

  async function poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const update = await next(signal);
        works();
        backoff.reset();
        if (update) await handle(update, signal);
      } catch (error) {
        if (signal.aborted) return;
        await pauseAfter(error, signal);
      }
    }
  }

  /** One at a time: the answer of the server stays small, and each is on disk before the next. */
  async function next(signal: AbortSignal): Promise<JsonObject | undefined> {
    const late = new AbortController();
    using _timer = clock.after("telegram-poll", POLL_WITHIN_MS, () => late.abort());
    const texts = [...chats].some((chat) => chat.texts);
    const parameters = {
      ...{ limit: 1, timeout: POLL_SECS, allowed_updates: ["callback_query", ...(texts ? ["message"] : [])] },
      ...(offset !== undefined && { offset }),
    };
    const updates = await bot
      .call("getUpdates", parameters, AbortSignal.any([signal, late.signal]))
      .catch((error: unknown) => {
        // Nothing was said for too long: it is asked anew, at once.
        if (late.signal.aborted) return [];
        throw error;
      });
    const [update] = Array.isArray(updates) ? updates : [];
    return isObject(update) && Number.isSafeInteger(update.update_id) ? update : undefined;
  }

  async function handle(update: JsonObject, signal: AbortSignal): Promise<void> {
    const id = Number(update.update_id);
    // Telegram gives it again to whoever did not see its number.
    if (offset !== undefined && id < offset && offset - id < 1000) return;
    const isText = !isObject(update.callback_query);
    // A command is not done twice, and an answer may be given twice: it counts once.
    if (isText || isCommand(update)) done(id);
    const from = chatOf(update);
    for (const chat of chats) {
      if (from === undefined || !chat.isIn(from)) continue;
      await chat
        .receive(update, signal)
        .catch((error) => log.error("an answer was not heard", { error: messageOf(error) }));
      break;
    }
    if (offset !== id + 1) done(id);
  }

  async function pauseAfter(error: unknown, signal: AbortSignal): Promise<void> {
    const { status, retryAfterMs = 0, answer = messageOf(error) } = error instanceof DeliveryError ? error.fault : {};
    const said = status === CONFLICT ? conflictWords(answer) : `the bot cannot be asked for answers: ${answer}`;
    if (status === CONFLICT) conflictAt = clock.mono();
    if (said !== complaint) log.warn(said);
    report(said);
    await sleep(clock, "telegram-poll", Math.max(retryAfterMs, backoff.next()), signal);
  }

  /** Two who ask the same bot cut each other off, and both get through now and then: it is over when that stays away. */
  function works(): void {
    if (complaint === undefined || clock.mono() - conflictAt < CALM_MS) return;
    log.info("the bot hears answers again");
    report(undefined);
  }

  function report(problem: string | undefined): void {
    complaint = problem;
    for (const chat of chats) chat.reportProblem(problem);
  }

  function start(): void {
    const abort = new AbortController();
    running = { abort, done: poll(abort.signal) };
  }

  return {
    attach(chat) {
      chats.add(chat);
      if (complaint !== undefined) chat.reportProblem(complaint);
      if (!running) start();
      return {
        async [Symbol.asyncDispose]() {
          chats.delete(chat);
          if (chats.size > 0 || !running) return;
          const { abort, done: ended } = running;
          running = undefined;
          abort.abort();
          await ended;
        },
      };
    },
  };
}

function conflictWords(answer: string): string {
  return /webhook/i.test(answer)
    ? "answers to the bot go to a webhook of another program: buttons in Telegram reach nobody here until that webhook is deleted (deleteWebhook), or the hub gets a bot of its own from @BotFather"
    : "another program asks the same bot for answers, such as a second hub: some presses of buttons get lost. Stop the other one, or give this hub a bot of its own from @BotFather";
}

function isCommand({ callback_query: query }: JsonObject): boolean {
  return isObject(query) && typeof query.data === "string" && query.data.startsWith("c:");
}

/** The chat that an update is from. */
export function chatOf({ callback_query: query, message }: JsonObject): string | undefined {
  const about = isObject(query) ? query.message : message;
  const chat = isObject(about) && isObject(about.chat) ? about.chat.id : undefined;
  return typeof chat === "number" || typeof chat === "string" ? String(chat) : undefined;
}
