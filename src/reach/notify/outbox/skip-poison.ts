// Decides which message of a channel is sent next, and skips poison: a message that its service refuses again and again, and that
// would block all behind it. Normally the oldest is next, also while the service fails for everybody. After some refusals another
// message is sent as a probe. Only if the probe gets through was the oldest message itself the cause, and it is skipped: it is
// retried when no other message waits.
import type { QueuedMessage, UptimeClock } from "./queued-message.ts";

export interface NextMessage {
  readonly message: QueuedMessage;
  /** Sent right after the oldest was refused, to find out whether the service accepts anything. */
  readonly probe: boolean;
  /** How long this message itself has to wait. */
  readonly waitMs: number;
}

export interface SkipPoison {
  next(): NextMessage | undefined;
  isSkipped(message: QueuedMessage): boolean;
  /** Whether any message waits that is not skipped. */
  hasUnskipped(): boolean;
  /** Whether the oldest was refused so often that it may be poison. */
  suspectsOldest(): boolean;
  /** It did not get through. `refused`: the service answered, and the reason may be this message alone. */
  failed(message: QueuedMessage, refused: boolean): void;
  /** It got through. Returns the message that is skipped from now on because this was its probe. */
  delivered(message: QueuedMessage): QueuedMessage | undefined;
  /** Ends the waiting of skipped messages, as a person asked for. */
  retryNow(): void;
}

const REFUSALS = 5;
const RETRY_SKIPPED_MS = 10 * 60_000;
/** The first pause of a message that only some of its recipients still need. */
const RETRY_LEFT_MS = 60_000;

/** `messages` is the live list of one channel, the oldest first. */
export function createSkipPoison(messages: readonly QueuedMessage[], uptime: UptimeClock): SkipPoison {
  const refusals = new WeakMap<QueuedMessage, number>();
  /** The skipped ones, and when each may be tried again, by the uptime clock. */
  const skipped = new WeakMap<QueuedMessage, number>();
  let probing: { suspect: QueuedMessage; probe: QueuedMessage } | undefined;

  const refusalsOf = (message: QueuedMessage): number => refusals.get(message) ?? 0;
  const retryAt = (message: QueuedMessage): number => skipped.get(message) ?? 0;
  const oldest = (): QueuedMessage | undefined => messages.find((message) => !skipped.has(message));

  /** The best probe: with one that was refused itself, two poison messages would clear each other. */
  function leastRefused(suspect: QueuedMessage): QueuedMessage | undefined {
    const others = messages.filter((message) => message !== suspect && !skipped.has(message));
    return others.toSorted((a, b) => refusalsOf(a) - refusalsOf(b))[0];
  }

  return {
    next() {
      if (probing?.suspect.state === "waiting" && probing.probe.state === "waiting") {
        return { message: probing.probe, probe: true, waitMs: 0 };
      }
      const message = oldest() ?? messages.toSorted((a, b) => retryAt(a) - retryAt(b))[0];
      return message && { message, probe: false, waitMs: skipped.has(message) ? retryAt(message) - uptime() : 0 };
    },
    isSkipped: (message) => skipped.has(message),
    hasUnskipped: () => oldest() !== undefined,
    suspectsOldest() {
      const message = oldest();
      return message !== undefined && refusalsOf(message) >= REFUSALS;
    },
    failed(message, refused) {
      const wasProbe = probing?.probe === message;
      probing = undefined;
      if (skipped.has(message)) skipped.set(message, uptime() + RETRY_SKIPPED_MS);
      if (!refused) return;
      refusals.set(message, refusalsOf(message) + 1);
      // The service works, as others have it: what is left of this one holds nothing up.
      if (message.settled) {
        const pauseMs = RETRY_LEFT_MS * 2 ** (refusalsOf(message) - 1);
        skipped.set(message, uptime() + Math.min(pauseMs, RETRY_SKIPPED_MS));
        return;
      }
      if (wasProbe || skipped.has(message) || refusalsOf(message) < REFUSALS) return;
      const probe = leastRefused(message);
      if (probe) probing = { suspect: message, probe };
    },
    delivered(message) {
      const poison = probing?.probe === message ? probing.suspect : undefined;
      probing = undefined;
      if (poison) skipped.set(poison, uptime() + RETRY_SKIPPED_MS);
      return poison;
    },
    retryNow() {
      probing = undefined;
      for (const message of messages) if (skipped.has(message)) skipped.set(message, 0);
    },
  };
}
