// What the log and the events say of one channel: once that it fails and its messages wait, once that it works again, and what
// arrived late or was given up. However many messages there are, it is only a few lines.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { type Clock, isoSeconds } from "../../../kit/time/clock.ts";
import type { HubEvent } from "../../../server/events/catalog.ts";
import { createCoalescer } from "./coalescer.ts";
import type { AboutMessage } from "./queued-message.ts";

export type GiveUpReason = "expired" | "refused" | "disabled" | "no_room";

export interface ChannelNews extends Disposable {
  /** The channel does not take this message; the first since it worked is reported. */
  waits(message: AboutMessage, why: Why): void;
  /** It took one. */
  works(waiting: number): void;
  deliveredLate(message: AboutMessage, waitedSecs: number): void;
  /** One of several recipients will never have it. */
  recipientRefused(message: AboutMessage, refusal: { recipient: string; error: string }): void;
  /** `more`: others that were given up at the same moment. */
  givenUp(message: AboutMessage, why: Why & { reason: GiveUpReason; more: number }): void;
}

export interface Why {
  error: string;
  /** What to do about it. */
  hint?: string | undefined;
}

export interface ChannelNewsOptions {
  channel: string;
  clock: Clock;
  log: Log;
  emit: (event: HubEvent) => void;
  /** An earlier run reported that it fails. */
  failing: boolean;
}

type Ended =
  | { readonly message: AboutMessage; readonly waitedSecs: number }
  | { readonly message: AboutMessage; readonly reason: GiveUpReason; readonly why: Why };

export function createChannelNews({ channel, clock, log, emit, failing }: ChannelNewsOptions): ChannelNews {
  let failingSince = failing ? clock.mono() : undefined;
  const describe = ({ title, at, tries, count }: AboutMessage) => ({
    ...{ channel, title, at: isoSeconds(at), tries, count },
  });

  const coalescer = createCoalescer<Ended>(clock, ({ about, more }) => {
    const described = describe(about.message);
    const messages = more + 1;
    if ("reason" in about) {
      const { reason, why } = about;
      const { error, hint } = why;
      log.warn("notifications are given up", { channel, reason, messages, error, hint });
      emit({ type: "notification_given_up", ...described, reason, error, more });
    } else {
      const waited_secs = about.waitedSecs;
      log.info("notifications were delivered late", { channel, messages, waited_secs });
      emit({ type: "notification_delivered_late", ...described, waited_secs, more });
    }
  });

  return {
    waits(message, { error, hint }) {
      if (failingSince !== undefined) return;
      failingSince = clock.mono();
      log.warn("a channel does not take notifications: they wait, and are tried again", { channel, error, hint });
      emit({ type: "notification_queued", ...describe(message), error });
    },
    works(waiting) {
      if (failingSince === undefined) return;
      const for_secs = Math.round((clock.mono() - failingSince) / 1000);
      failingSince = undefined;
      log.info("a channel takes notifications again", { channel, for_secs, waiting });
    },
    deliveredLate: (message, waitedSecs) => coalescer.add("late", { about: { message, waitedSecs }, more: 0 }),
    recipientRefused: (message, refusal) =>
      emit({ type: "notification_recipient_refused", ...describe(message), ...refusal }),
    givenUp: (message, { reason, more, ...why }) => coalescer.add(reason, { about: { message, reason, why }, more }),
    [Symbol.dispose]: () => coalescer[Symbol.dispose](),
  };
}
