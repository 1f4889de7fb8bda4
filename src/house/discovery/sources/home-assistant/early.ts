// States that come right behind an announcement, before it has been read: devices send both in one breath, and many send a state
// only once.
import { hasWildcard, matchesFilter } from "../../../../kit/text/topic-filter.ts";
import type { Incoming, Sender } from "../../source.ts";

const MAX_BYTES = 8 * 1024 * 1024;
// Of a message, beside its payload.
const OVERHEAD_BYTES = 300;

export interface EarlyMessages {
  keep(incoming: Incoming): void;
  /** The last message of this sender on each topic that matches. */
  of(sender: Sender, filter: string): readonly Incoming[];
  clear(): void;
}

export function createEarlyMessages(): EarlyMessages {
  const kept = new Map<string, Incoming>();
  let bytes = 0;
  const keyOf = (sender: Sender, topic: string): string => `${sender.name}\n${topic}`;
  const sizeOf = ({ topic, payload }: Incoming): number => OVERHEAD_BYTES + topic.length + payload.length;
  return {
    keep(incoming) {
      const key = keyOf(incoming.sender, incoming.topic);
      const known = kept.get(key);
      const more = sizeOf(incoming) - (known ? sizeOf(known) : 0);
      if (bytes + more > MAX_BYTES) return;
      bytes += more;
      kept.set(key, incoming);
    },
    of(sender, filter) {
      const known = kept.get(keyOf(sender, filter));
      if (known || !hasWildcard(filter)) return known ? [known] : [];
      return [...kept.values()].filter((one) => one.sender.name === sender.name && matchesFilter(filter, one.topic));
    },
    clear() {
      kept.clear();
      bytes = 0;
    },
  };
}
