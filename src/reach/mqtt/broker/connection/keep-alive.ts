// Notices that a client has been silent for longer than it promised. One timer for each connection, which looks when it is due: a
// packet costs nothing.
import type { Clock, Timer } from "../../../../kit/time/clock.ts";

export interface KeepAlive extends Disposable {
  /** Something came from the client. */
  markSeen(): void;
  /** The promise of its CONNECT; 0 where it made none. */
  watch(seconds: number): void;
}

// MQTT 3.1.1, 3.1.2.10: one and a half times the keep-alive period.
const GRACE_FACTOR = 1.5;

export interface KeepAliveOptions {
  /** Whether something came that was not read yet, as the client is slowed down. */
  isHeldUp: () => boolean;
  onSilent: () => void;
}

export function createKeepAlive(clock: Clock, { isHeldUp, onSilent }: KeepAliveOptions): KeepAlive {
  let lastSeenAt = clock.mono();
  let maxMs = 0;
  let timer: Timer | undefined;

  function judge(): void {
    if (isHeldUp()) lastSeenAt = clock.mono();
    const leftMs = lastSeenAt + maxMs - clock.mono();
    if (leftMs > 0) timer = clock.after("mqtt keep-alive", leftMs, judge);
    else onSilent();
  }

  return {
    markSeen() {
      lastSeenAt = clock.mono();
    },
    watch(seconds) {
      timer?.[Symbol.dispose]();
      maxMs = seconds * 1000 * GRACE_FACTOR;
      timer = maxMs > 0 ? clock.after("mqtt keep-alive", maxMs, judge) : undefined;
    },
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
    },
  };
}
