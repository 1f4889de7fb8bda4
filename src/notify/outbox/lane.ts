// One channel's letters: one at a time, no faster than the service allows, with growing pauses while it does not take them.
// Whether another channel hangs makes no difference here, and whose turn it is is settled in precedence.ts.
import { isoSeconds, type Timer } from "../../core/clock.ts";
import { HubError, messageOf as reasonOf } from "../../core/errors.ts";
import type { RandomBytes } from "../../core/ids.ts";
import { guarded, within } from "../../core/lifecycle.ts";
import type { Log } from "../../core/log.ts";
import type { HubEvent } from "../../events/catalog.ts";
import type { DeliveryFault } from "../channel.ts";
import type { ChannelOutcome, ChannelState, Notifier } from "../notifier.ts";
import { isLate, type Letter, likenessOf, messageOf, momentOf, type Texts, type Times } from "./letter.ts";
import { createPrecedence, type Turn } from "./precedence.ts";
import { createQueue } from "./queue.ts";
import type { OutboxStore } from "./store.ts";
import { createTurns } from "./turns.ts";

export interface LaneDeps extends Times {
  log: Log;
  random: RandomBytes;
  notifier: Pick<Notifier, "deliver">;
  store: Pick<OutboxStore, "texts">;
  /** Puts what changed on disk, or remembers to. */
  keep: (letters: readonly Letter[]) => void;
  emit: (event: HubEvent) => void;
  expireMs: number;
}

export interface LanePlace extends Pick<ChannelState, "name" | "limits"> {
  /** Why nothing can be sent there: what waits goes on waiting. */
  blocked: string | undefined;
}

export type GivenUp = "expired" | "refused" | "disabled" | "no_room";

export interface Lane extends LanePlace {
  readonly letters: readonly Letter[];
  readonly bytes: number;
  /** Why it does not get through; undefined where nothing failed since the last that did. */
  readonly lastError: string | undefined;
  /** Whether one that is posted now would go at once. */
  idle(): boolean;
  /** One that waits with the same texts. */
  alike(texts: Texts): Letter | undefined;
  add(letter: Letter): void;
  /** Goes on, if there is something to go on with. */
  wake(): void;
  /** Epoch ms; undefined where others come first or nothing can be sent. */
  nextTry(letter: Letter): number | undefined;
  /** Ends the pause. Throws HubError `conflict` where nothing can be sent. */
  retry(): void;
  drop(letter: Letter): void;
  /** Makes room; false where there is nothing that could go. */
  giveUpOldest(): boolean;
  /** What is under way may end by itself within three seconds. */
  stop(): Promise<void>;
}

const FIRST_TRY_MS = 10_000;
// Nobody waits for these: a slow server is better than none.
const LATER_TRY_MS = 60_000;
const LONGEST_SILENCE_MS = 24 * 3_600_000;
const LONGEST_DOUBT_MS = 60_000;
const STOP_MS = 3000;

/** `letters` are those of earlier runs. */
export function createLane(place: LanePlace, letters: readonly Letter[], deps: LaneDeps): Lane {
  const { name, blocked, limits } = place;
  const { clock, log, random, hours, keep, notifier } = deps;
  const queue = createQueue();
  for (const letter of letters) queue.add(letter);
  const precedence = createPrecedence(queue.letters, hours);
  const turns = createTurns({
    limits,
    clock,
    random,
    earlier: letters[0] && { silenceMs: silenceMs(letters[0], hours()), failed: letters[0].tries > 0 },
  });
  let underWay: { letter: Letter; abort: AbortController; done: Promise<void> } | undefined;
  let timer: Timer | undefined;
  let stopped = false;
  let lastError = letters[0]?.lastError ?? blocked;

  const leftMs = ({ keptMs }: Letter): number => deps.expireMs - (hours() - keptMs);
  const goOn = guarded(log, "outbox", wake);

  function wake(): void {
    timer?.[Symbol.dispose]();
    if (stopped || underWay) return;
    giveUp(expired(), "expired");
    // Who heard of that may have posted one, which woke the lane already.
    timer?.[Symbol.dispose]();
    if (underWay) return;
    const [oldest] = queue.letters;
    const turn = precedence.next();
    if (!oldest || !turn) return;
    const waitMs = blocked ? Number.POSITIVE_INFINITY : waitMsOf(turn);
    if (waitMs <= 0) begin(turn.letter);
    else timer = clock.after("outbox", Math.max(1, Math.min(waitMs, leftMs(oldest))), goOn);
  }

  function waitMsOf({ trial, waitMs }: Turn): number {
    return Math.max(waitMs, trial ? turns.soonestMs() : turns.waitMs());
  }

  // The oldest stand in front.
  function expired(): readonly Letter[] {
    const living = queue.letters.findIndex((letter) => leftMs(letter) > 0);
    return living < 0 ? [...queue.letters] : queue.letters.slice(0, living);
  }

  function begin(letter: Letter): void {
    const abort = new AbortController();
    letter.state = "sending";
    const done = attempt(letter, abort.signal)
      .then((result) => {
        underWay = undefined;
        settle(letter, result);
      })
      .catch((error) => {
        log.error("a try went wrong", { channel: name, error: reasonOf(error) });
        if (letter.state === "sending") postpone(letter, reasonOf(error), { passing: true });
      })
      .finally(goOn);
    underWay = { letter, abort, done };
  }

  /** Never rejects. */
  async function attempt(letter: Letter, signal: AbortSignal): Promise<ChannelOutcome["result"]> {
    try {
      const texts = letter.texts ?? deps.store.texts(letter.id);
      if (!texts) return { ok: false, reason: "its text is not on the disk any more", fault: { passing: false } };
      const message = messageOf(letter, texts, deps);
      const withinMs = letter.tries === 0 ? FIRST_TRY_MS : LATER_TRY_MS;
      return (await notifier.deliver({ channel: name, message }, signal, withinMs)).result;
    } catch (error) {
      return { ok: false, reason: reasonOf(error), fault: { passing: true } };
    }
  }

  function settle(letter: Letter, result: ChannelOutcome["result"]): void {
    turns.sent(messagesSent(letter, result));
    letter.tries++;
    if (letter.state === "gone") return;
    if (result.ok) delivered(letter);
    else if (result.fault.passing) postpone(letter, result.reason, result.fault);
    else giveUp([letter], "refused", result.reason, result.fault.hint);
  }

  function delivered(letter: Letter): void {
    const waitedSecs = Math.round((hours() - letter.keptMs) / 1000);
    const late = isLate(letter, deps);
    const refused = precedence.delivered(letter);
    leave([letter]);
    turns.fresh();
    lastError = undefined;
    letter.answer?.({ channel: name, state: "delivered" });
    if (refused)
      log.warn("a notification gives way: it alone is refused", { ...about(refused), error: refused.lastError });
    if (!late) return;
    log.info("a notification was delivered late", {
      channel: name,
      waited_secs: waitedSecs,
      waiting: queue.letters.length,
    });
    deps.emit({ type: "notification_delivered_late", ...about(letter), waited_secs: waitedSecs });
  }

  function postpone(letter: Letter, reason: string, fault: DeliveryFault): void {
    const { hint, retryAfterMs = 0, partsArrived = letter.parts, mayBeTheMessage = false } = fault;
    letter.state = "waiting";
    letter.parts = partsArrived;
    // One that was ended by the hub's own end is no failure.
    if (!stopped) {
      const silence = Math.min(retryAfterMs, LONGEST_SILENCE_MS);
      precedence.failed(letter, mayBeTheMessage);
      // That one that gave way is refused again says nothing about the channel.
      if (!mayBeTheMessage || !precedence.gaveWay(letter)) turns.failed();
      turns.silent(silence);
      letter.lastError = reason;
      letter.triedMs = hours();
      letter.notBeforeMs = silence > 0 ? letter.triedMs + silence : 0;
      if (lastError === undefined) log.info("notifications wait until the channel takes them", { channel: name });
      lastError = reason;
    }
    keep([letter]);
    letter.answer?.({ channel: name, state: "queued", error: reason, ...(hint && { hint }) });
  }

  /** Nothing happens where there are none. */
  function giveUp(lost: readonly Letter[], reason: GivenUp, said?: string, hint?: string): void {
    const [first] = lost;
    if (!first) return;
    const error = said ?? first.lastError ?? blocked ?? lastError ?? "it was not its turn yet";
    leave(lost);
    for (const { answer } of lost) answer?.({ channel: name, state: "failed", error, ...(hint && { hint }) });
    log.warn("notifications are given up", { channel: name, reason, messages: lost.length, error });
    deps.emit({ type: "notification_given_up", ...about(first), reason, error, more: lost.length - 1 });
  }

  function leave(letters: readonly Letter[]): void {
    for (const letter of letters) {
      letter.state = "gone";
      queue.remove(letter);
    }
    if (!precedence.busy()) turns.fresh();
    keep(letters);
  }

  function about(letter: Letter) {
    const { title, tries, count } = letter;
    return { channel: name, title, at: isoSeconds(momentOf(letter, deps)), tries, count };
  }

  return {
    ...place,
    letters: queue.letters,
    get bytes() {
      return queue.bytes;
    },
    get lastError() {
      return lastError;
    },
    idle: () => !blocked && !stopped && !precedence.busy() && turns.waitMs() <= 0,
    alike(texts) {
      const found = queue.alike(likenessOf(texts));
      const known = found && (found.texts ?? deps.store.texts(found.id));
      return known?.title === texts.title && known.message === texts.message ? found : undefined;
    },
    add(letter) {
      // An alarm does not wait ten minutes to see whether only the one before it is refused.
      if (precedence.doubtful()) turns.within(LONGEST_DOUBT_MS);
      queue.add(letter);
    },
    wake,
    nextTry(letter) {
      const turn = blocked || underWay ? undefined : precedence.next();
      return turn?.letter === letter ? clock.now() + Math.max(0, Math.ceil(waitMsOf(turn))) : undefined;
    },
    retry() {
      if (blocked) throw new HubError("conflict", `nothing can be sent: ${blocked}`);
      turns.now();
      precedence.now();
      wake();
    },
    drop(letter) {
      leave([letter]);
      letter.answer?.({ channel: name, state: "failed", error: "it was dropped" });
      if (underWay?.letter === letter) underWay.abort.abort();
      wake();
    },
    giveUpOldest() {
      const oldest = queue.letters.find(({ state }) => state === "waiting");
      if (oldest) giveUp([oldest], "no_room");
      return oldest !== undefined;
    },
    async stop() {
      stopped = true;
      timer?.[Symbol.dispose]();
      if (!underWay) return;
      const { done, abort } = underWay;
      if (await within(clock, STOP_MS, "outbox-stop", done)) return;
      abort.abort();
      await within(clock, STOP_MS, "outbox-stop", done);
    },
  };
}

function silenceMs({ notBeforeMs }: Letter, now: number): number {
  return Math.max(0, notBeforeMs - now);
}

/** For the service's limits: what it took, and what it refused. */
function messagesSent({ parts }: Letter, result: ChannelOutcome["result"]): number {
  if (result.ok) return Math.max(1, result.delivery.parts);
  return 1 + Math.max(0, (result.fault.partsArrived ?? 0) - parts);
}
