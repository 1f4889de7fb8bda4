// Sends notifications at once: fills in the texts for each channel, sends them, and returns the result of each. Retrying what
// failed is the outbox's work.
import type { Clock } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import { type RandomBytes, uuid } from "../core/ids.ts";
import type { Log } from "../core/log.ts";
import { didYouMean } from "../core/schema.ts";
import type { TemplateHouse } from "../core/template.ts";
import {
  type Channel,
  type ChannelMessage,
  type Delivery,
  DeliveryError,
  type DeliveryFault,
  type Limits,
} from "./channel.ts";
import { createLogChannel } from "./channels/log.ts";
import { type NotifySection, readChannels } from "./config.ts";
import { openChannel } from "./open-channel.ts";
import { createHouseTime, createRenderer, type Notification, optionsOf } from "./render.ts";
import { createSemaphores } from "./semaphores.ts";

const SEND_WITHIN_MS = 10_000;

/** A message with its texts filled in, for one channel. */
export interface Addressed {
  readonly channel: string;
  readonly message: ChannelMessage;
}

export interface ChannelOutcome {
  readonly channel: string;
  readonly kind: string;
  /** The message as it was sent, for a retry. */
  readonly message: ChannelMessage;
  readonly durationMs: number;
  readonly result:
    | { readonly ok: true; readonly delivery: Delivery }
    | { readonly ok: false; readonly reason: string; readonly fault: DeliveryFault };
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
}

export interface Notifier {
  /** True for `log`, `all` and every configured channel, disabled ones included. */
  has(name: string): boolean;
  /** In the order of the configuration, `log` last. */
  list(): ChannelState[];
  /** One message for each channel; `all` means every configured one. Throws HubError `not_found`, or `conflict` when `all` is empty. */
  render(notification: Notification): Addressed[];
  /** Sends one message. Never rejects. */
  deliver(addressed: Addressed, signal: AbortSignal, withinMs?: number): Promise<ChannelOutcome>;
  /** Renders and delivers to all channels at the same time. Throws what `render` throws. */
  send(notification: Notification, signal: AbortSignal): Promise<ChannelOutcome[]>;
}

export interface NotifierOptions {
  section: Pick<NotifySection, "channels">;
  clock: Clock;
  log: Log;
  fetch: typeof fetch;
  random: RandomBytes;
  /** IANA name. */
  timezone: string;
  /** Resolves a path of the configuration against HUB_HOME. */
  resolve: (path: string) => string;
  house: Pick<TemplateHouse, "device" | "variable">;
}

interface Opened {
  readonly name: string;
  readonly kind: string;
  /** Absent when the configuration is wrong. */
  readonly channel?: Channel;
  readonly problem?: string;
  lastSuccess?: number;
  lastError?: { at: number; message: string };
}

/** Connects to nothing. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { clock, log } = options;
  const houseTime = createHouseTime(options.timezone);
  const opened = openAll(options, houseTime);
  const byName = namesOf(opened);
  const render = createRenderer({ ...options, houseTime });

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

  const notifier: Notifier = {
    has: (name) => name === "all" || byName.has(name),
    list: () => opened.map(stateOf),
    render(notification) {
      const id = uuid(options.random);
      return channelsNamed(notification.channel).map((each) => ({
        channel: each.name,
        message: {
          ...{ id, at: clock.now(), late: false, ...optionsOf(notification) },
          ...render(notification, each.channel),
        },
      }));
    },
    async deliver({ channel, message }, signal, withinMs = SEND_WITHIN_MS) {
      const to = get(channel);
      const begun = clock.mono();
      const result = await attempt(to, message, { clock, signal, withinMs });
      if (result.ok) to.lastSuccess = clock.now();
      else {
        to.lastError = { at: clock.now(), message: result.reason };
        const { hint, transient } = result.fault;
        log.warn("a notification was not delivered", { channel, reason: result.reason, hint, transient });
      }
      return { channel, kind: to.kind, message, durationMs: Math.round(clock.mono() - begun), result };
    },
    async send(notification, signal) {
      return Promise.all(notifier.render(notification).map((addressed) => notifier.deliver(addressed, signal)));
    },
  };
  return notifier;
}

function openAll({ section, log, ...deps }: NotifierOptions, houseTime: (at: number) => string): Opened[] {
  const semaphores = createSemaphores();
  const configured = readChannels(section.channels).entries.map((entry): Opened => {
    if ("problem" in entry) {
      log.error("a channel is disabled until its configuration is corrected", {
        channel: entry.name,
        problem: entry.problem,
      });
      return entry;
    }
    const { name, kind, config } = entry;
    try {
      return { name, kind, channel: openChannel(config, { ...deps, log: log.child(name), houseTime, semaphores }) };
    } catch (error) {
      // The error's message may contain a secret of the channel.
      log.error("a channel cannot be opened", {
        channel: name,
        error: error instanceof Error ? error.name : "unknown",
      });
      return { name, kind, problem: "it cannot be opened: check its settings" };
    }
  });
  return [...configured, { name: "log", kind: "log", channel: createLogChannel(log) }];
}

/** When two channels have the same name, the first that works gets it. */
function namesOf(opened: readonly Opened[]): ReadonlyMap<string, Opened> {
  const byName = new Map<string, Opened>();
  for (const each of opened) if (!byName.get(each.name)?.channel) byName.set(each.name, each);
  return byName;
}

interface Deadline {
  clock: Clock;
  signal: AbortSignal;
  withinMs: number;
}

async function attempt(
  { channel, problem }: Opened,
  message: ChannelMessage,
  { clock, signal, withinMs }: Deadline,
): Promise<ChannelOutcome["result"]> {
  if (!channel) {
    return {
      ok: false,
      reason: `the channel is disabled: ${problem}`,
      fault: { transient: false, hint: "Run `hub check`" },
    };
  }
  const late = new AbortController();
  using _timer = clock.after("notify-send", withinMs, () => late.abort());
  try {
    return { ok: true, delivery: await channel.send(message, AbortSignal.any([signal, late.signal])) };
  } catch (error) {
    const fault = error instanceof DeliveryError ? error.fault : { transient: false };
    const reason = late.signal.aborted ? `${messageOf(error)} (${withinMs / 1000} s)` : messageOf(error);
    return { ok: false, reason, fault };
  }
}

function stateOf({ name, kind, channel, problem, lastSuccess, lastError }: Opened): ChannelState {
  return { name, kind, enabled: channel !== undefined, problem, limits: channel?.limits ?? {}, lastSuccess, lastError };
}
