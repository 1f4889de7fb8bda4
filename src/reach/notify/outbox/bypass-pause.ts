// An emergency bypasses the pause: also where the service asked for silence, each is tried once within a minute.
import type { MessageList } from "./message-list.ts";
import { isUrgent } from "./queued-message.ts";
import type { NextMessage } from "./skip-poison.ts";

export const MAX_PAUSE_OF_EMERGENCY_MS = 60_000;

/** While the service wants no more for long, an emergency that was not tried yet goes before those that were. */
export function bypassPause(
  next: NextMessage | undefined,
  waitMs: (next: NextMessage) => number,
  list: Pick<MessageList, "oldestWaiting">,
): NextMessage | undefined {
  if (!next || waitMs(next) <= MAX_PAUSE_OF_EMERGENCY_MS) return next;
  const message = list.oldestWaiting(2, isUrgent);
  return message ? { message, probe: false, waitMs: 0 } : next;
}
