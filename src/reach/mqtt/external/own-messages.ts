// A broker of MQTT 3.1.1 sends the hub what the hub itself published. Here it is recognised, once for each time it was sent.
import type { Clock } from "../../../kit/time/clock.ts";

const KEPT_MS = 30_000;
const MOST = 10_000;

export interface OwnMessages {
  sent(topic: string, payload: string | Uint8Array): void;
  /** Whether the hub sent it; each message that was sent is recognised once. */
  isOwn(topic: string, payload: string | Uint8Array): boolean;
}

export function createOwnMessages(clock: Pick<Clock, "mono">): OwnMessages {
  /** Oldest first. */
  const sent = new Map<string, { count: number; until: number }>();
  const keyOf = (topic: string, payload: string | Uint8Array): string => `${Bun.hash(payload).toString(36)} ${topic}`;

  function forgetOld(): void {
    const now = clock.mono();
    for (const [key, { until }] of sent) {
      if (until > now && sent.size < MOST) return;
      sent.delete(key);
    }
  }

  return {
    sent(topic, payload) {
      forgetOld();
      const key = keyOf(topic, payload);
      const count = (sent.get(key)?.count ?? 0) + 1;
      sent.delete(key);
      sent.set(key, { count, until: clock.mono() + KEPT_MS });
    },
    isOwn(topic, payload) {
      if (sent.size === 0) return false;
      const key = keyOf(topic, payload);
      const found = sent.get(key);
      if (!found || found.until <= clock.mono()) return false;
      if (--found.count === 0) sent.delete(key);
      return true;
    },
  };
}
