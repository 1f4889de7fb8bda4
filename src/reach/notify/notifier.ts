// Sends notifications at once: fills in the texts for each channel, sends them, and returns the result of each. Retrying what
// failed is the outbox's work.
import type { Fence } from "../../kit/lifecycle/fence.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { type RandomBytes, uuid } from "../../kit/schema/ids.ts";
import type { TemplateHouse } from "../../kit/text/template.ts";
import { type Clock, sleep } from "../../kit/time/clock.ts";
import type { Channel, ChannelMessage, KeptValues, Limits, OwnBroker, OwnPage, Sending } from "./channel.ts";
import type { ChannelMemory, LastResults } from "./channel-memory.ts";
import { createLogChannel } from "./channels/log.ts";
import { type NotifySection, readChannels } from "./config.ts";
import { speaks } from "./markup/dialect.ts";
import { plain } from "./markup/plain-dialects.ts";
import { type AuthorsText, createTextCheck } from "./markup/text-check.ts";
import { optionsOf, type Relay } from "./message-options.ts";
import { openChannel } from "./open-channel.ts";
import { createHouseTime, createRenderer, type Notification } from "./render.ts";
import { createSemaphores } from "./semaphores.ts";
import { attempt, type SendResult, withNote } from "./send-attempt.ts";
import { createShared } from "./shared.ts";

const SEND_WITHIN_MS = 10_000;
const UNCONFIRMED = "handed over, not confirmed yet";

/** A message with its texts filled in, for one channel. */
export interface Addressed {
  readonly channel: string;
  readonly message: ChannelMessage;
  /** What its author should know of its text. */
  readonly note?: string;
  /** One of several copies, of which one is to arrive. */
  readonly relay?: Relay;
}

export interface ChannelOutcome {
  readonly channel: string;
  readonly kind: string;
  /** The message as it was sent, for a retry. */
  readonly message: ChannelMessage;
  readonly durationMs: number;
  readonly result: SendResult;
}

export interface ChannelState {
  readonly name: string;
  readonly kind: string;
  readonly enabled: boolean;
  /** Why it is disabled. */
  readonly problem: string | undefined;
  readonly limits: Limits;
  /** Epoch ms. */
  readonly lastSuccess: number | undefined;
  readonly lastError: { readonly at: number; readonly message: string } | undefined;
  /** What was wrong with the last message that arrived all the same, such as markup that was refused. */
  readonly lastNote: { readonly at: number; readonly message: string } | undefined;
}

export interface Notifier {
  /** True for `log`, `all` and every configured channel, disabled ones included. */
  has(name: string): boolean;
  /** In the order of the configuration, `log` last. */
  list(): ChannelState[];
  /** The channel itself; undefined where there is none that can be used. */
  channel(name: string): Channel | undefined;
  /** One message for each channel; `all` means every configured one. Throws HubError `not_found`, or `conflict` when `all` is empty. */
  render(notification: Notification): Addressed[];
  /** The texts without any channel's markup. */
  renderPlain(notification: Omit<Notification, "channel">): Pick<ChannelMessage, "title" | "message">;
  /** Sends one message, within `withinMs` until the service has it, and as long as the channel says to confirm it. Never rejects. */
  deliver(addressed: Addressed, signal: AbortSignal, withinMs?: number, sending?: Sending): Promise<ChannelOutcome>;
  /** What is wrong with a rule's text for the channels it names, and what was wrong with those that were sent. */
  readonly texts: {
    problems(text: AuthorsText): string[];
    refused: Pick<RefusedTexts, "of" | "forget">;
  };
  /**
   * Renders and delivers to all channels at the same time, within 10 s: the answer of one whose service has the message and did not
   * confirm it yet says so. Throws what `render` throws.
   */
  send(notification: Notification, signal: AbortSignal): Promise<ChannelOutcome[]>;
}

export interface NotifierOptions {
  section: Pick<NotifySection, "channels">;
  clock: Clock;
  log: Log;
  fetch: typeof fetch;
  random: RandomBytes;
  /** IANA name. A function is asked when it is needed. */
  timezone: string | (() => string);
  /** Resolves a path of the configuration against HUB_HOME. */
  resolve: (path: string) => string;
  /** Where channels keep what must outlive the hub. */
  kept?: KeptValues;
  house: Pick<TemplateHouse, "device" | "variable">;
  /** What earlier runs learned of the channels. */
  memory?: Pick<ChannelMemory, "get" | "set">;
  broker?: OwnBroker;
  webPush?: OwnPage;
  /** Once it is closed, nothing is sent. */
  fence?: Fence | undefined;
}

interface Opened {
  readonly name: string;
  readonly kind: string;
  /** Absent when the configuration is wrong. */
  readonly channel?: Channel;
  readonly problem?: string;
  lastResults: LastResults;
  lastNote?: { at: number; message: string } | undefined;
}

/** Connects to nothing. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { clock, log, fence } = options;
  const houseTime = createHouseTime(options.timezone);
  const opened = openAll(options, houseTime);
  const byName = namesOf(opened);
  const render = createRenderer({ ...options, houseTime });
  const refused = createRefusedTexts();
  const spoken = new Set(opened.flatMap(({ channel }) => channel?.dialect?.own ?? []));

  function get(name: string): Opened {
    const found = byName.get(name);
    if (found) return found;
    const known = [...byName.keys(), "all"];
    throw new HubError("not_found", `there is no channel "${name}"${didYouMean(name, known)}`);
  }

  function channelsNamed(name: string): Opened[] {
    if (name !== "all") return [get(name)];
    const configured = opened.filter((each) => each.name !== "log" && byName.get(each.name) === each);
    if (configured.length > 0) return configured;
    throw new HubError(
      "conflict",
      'no channel is configured, so "all" reaches nobody: add [[notify.channels]] to hub.toml',
    );
  }

  function note(to: Opened, result: ChannelOutcome["result"]): void {
    if (!result.ok && result.fault.yielded) return;
    const { lastSuccess = 0, lastError } = to.lastResults;
    const worked = lastError === undefined || lastSuccess > lastError.at;
    const at = clock.now();
    const news = result.ok ? !worked : worked || lastError?.message !== result.reason;
    to.lastResults = result.ok
      ? { ...to.lastResults, lastSuccess: at }
      : { ...to.lastResults, lastError: { at, message: result.reason } };
    if (result.ok) to.lastNote = result.delivery.note === undefined ? undefined : { at, message: result.delivery.note };
    options.memory?.set(to.name, to.lastResults, news);
  }

  const dialects = new Map(
    opened.flatMap(({ name, channel }) => (channel?.dialect ? [[name, channel.dialect] as const] : [])),
  );
  const notifier: Notifier = {
    texts: { problems: createTextCheck(dialects), refused },
    has: (name) => name === "all" || byName.has(name),
    list: () => opened.map(stateOf),
    channel: (name) => byName.get(name)?.channel,
    render(notification) {
      const id = uuid(options.random);
      const to = channelsNamed(notification.channel);
      const shared = notification.shared || notification.channel === "all" ? spoken : undefined;
      return to.map(({ name, channel }) => {
        const { note, ...texts } = render(notification, channel, shared);
        const message = { id, at: clock.now(), late: false, ...optionsOf(notification), ...texts };
        return { channel: name, message, ...(note !== undefined && { note }) };
      });
    },
    renderPlain(notification) {
      const { title, message } = render({ ...notification, channel: "log" }, speaks(plain), spoken);
      return { title, message };
    },
    async deliver({ channel, message, note: noted }, signal, withinMs = SEND_WITHIN_MS, sending) {
      const to = get(channel);
      const begun = clock.mono();
      const result = withNote(await attempt(to, message, { clock, signal, withinMs, sending, fence }), noted);
      note(to, result);
      if (result.ok) refused.note(message, channel, result.delivery.refusedText);
      return { channel, kind: to.kind, message, durationMs: Math.round(clock.mono() - begun), result };
    },
    async send(notification, signal) {
      const outcomes = await Promise.all(notifier.render(notification).map((addressed) => sendSoon(addressed, signal)));
      for (const { channel, result } of outcomes) {
        if (result.ok) continue;
        const { reason, fault } = result;
        log.warn("a notification was not delivered", { channel, reason, hint: fault.hint });
      }
      return outcomes;
    },
  };

  async function sendSoon(addressed: Addressed, signal: AbortSignal): Promise<ChannelOutcome> {
    const { kind } = get(addressed.channel);
    const handedOver = Promise.withResolvers<void>();
    const cut = new AbortController();
    const cancel = (): void => cut.abort();
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    const ended = new AbortController();
    const overdue = sleep(clock, "notify-answer", SEND_WITHIN_MS, ended.signal);
    const result = notifier.deliver(addressed, cut.signal, SEND_WITHIN_MS, {
      handedOver() {
        // Whoever asked may go now.
        signal.removeEventListener("abort", cancel);
        handedOver.resolve();
      },
    });
    const unconfirmed = Promise.all([handedOver.promise, overdue]).then(() => ({
      ...{ channel: addressed.channel, kind, message: addressed.message, durationMs: SEND_WITHIN_MS },
      result: { ok: true, delivery: { answer: UNCONFIRMED, parts: 0, note: UNCONFIRMED } } as const,
    }));
    const first = await Promise.race([result, unconfirmed]);
    ended.abort();
    return first;
  }
  return notifier;
}

function openAll(
  { section, log, memory, kept, ...deps }: NotifierOptions,
  houseTime: (at: number) => string,
): Opened[] {
  const apart = {
    semaphores: createSemaphores(),
    shared: createShared(),
    houseTime,
    ...(kept && { kept }),
  };
  const beside = { mqttPrefix: deps.broker?.prefix };
  const configured = readChannels(section.channels, beside).entries.map((entry): Opened => {
    if ("problem" in entry) {
      log.error("a channel is disabled until its configuration is corrected", {
        channel: entry.name,
        problem: entry.problem,
      });
      return { ...entry, lastResults: memory?.get(entry.name) ?? {} };
    }
    const { name, kind, config } = entry;
    const lastResults = memory?.get(name) ?? {};
    try {
      return { name, kind, lastResults, channel: openChannel(config, { ...deps, ...apart, log: log.child(name) }) };
    } catch (error) {
      // The error's message may contain a secret of the channel.
      log.error("a channel cannot be opened", {
        channel: name,
        error: error instanceof Error ? error.name : "unknown",
      });
      return { name, kind, lastResults, problem: "it cannot be opened: check its settings" };
    }
  });
  return [...configured, { name: "log", kind: "log", lastResults: {}, channel: createLogChannel(log) }];
}

/** When two channels have the same name, the first that works gets it. */
function namesOf(opened: readonly Opened[]): ReadonlyMap<string, Opened> {
  const byName = new Map<string, Opened>();
  for (const each of opened) if (!byName.get(each.name)?.channel) byName.set(each.name, each);
  return byName;
}

function stateOf({
  name,
  kind,
  channel,
  problem,
  lastResults: { lastSuccess, lastError },
  lastNote,
}: Opened): ChannelState {
  const limits = channel?.limits ?? {};
  return { name, kind, enabled: channel !== undefined, problem, limits, lastSuccess, lastError, lastNote };
}

interface RefusedTexts {
  /** Undefined: it arrived as it was written. */
  note(message: { readonly rule?: string }, channel: string, refusal: string | undefined): void;
  /** In words for the author. */
  of(rule: string): string[];
  /** It has another text now. */
  forget(rule: string): void;
}

const MAX_RULES = 1000;

/**
 * Which rules' texts a service refused as they were written, so that their authors see it: until the rule is changed, or a message of
 * it arrives in that channel as written. In memory: after a restart the next message reports it again.
 */
function createRefusedTexts(): RefusedTexts {
  const byRule = new Map<string, Map<string, string>>();
  return {
    note({ rule }, channel, refusal) {
      if (rule === undefined) return;
      const known = byRule.get(rule);
      if (refusal === undefined) {
        known?.delete(channel);
        if (known?.size === 0) byRule.delete(rule);
        return;
      }
      if (!known && byRule.size >= MAX_RULES) byRule.clear();
      byRule.set(rule, (known ?? new Map<string, string>()).set(channel, refusal));
    },
    of: (rule) =>
      [...(byRule.get(rule) ?? [])].map(
        ([channel, refusal]) =>
          `${channel} refused the text of its last message, which was sent as plain text: ${refusal}`,
      ),
    forget: (rule) => void byRule.delete(rule),
  };
}
