// Announcements that wait to be read: the last one of each topic, in the order in which they came.
import type { Incoming } from "../../source.ts";

const MAX_BYTES = 16 * 1024 * 1024;

export interface Inbox {
  /** False where no more can wait. */
  put(incoming: Incoming): boolean;
  next(): Incoming | undefined;
  readonly size: number;
}

export function createInbox(): Inbox {
  const waiting = new Map<string, Incoming>();
  let bytes = 0;

  function remove(key: string): void {
    bytes -= waiting.get(key)?.payload.length ?? 0;
    waiting.delete(key);
  }

  return {
    put(incoming) {
      const key = `${incoming.sender.name}\n${incoming.topic}`;
      // An empty one always finds room: what it takes back must not stay.
      if (incoming.payload.length > 0 && bytes + incoming.payload.length > MAX_BYTES) return false;
      remove(key);
      waiting.set(key, incoming);
      bytes += incoming.payload.length;
      return true;
    },
    next() {
      const [first] = waiting;
      if (!first) return undefined;
      remove(first[0]);
      return first[1];
    },
    get size() {
      return waiting.size;
    },
  };
}
