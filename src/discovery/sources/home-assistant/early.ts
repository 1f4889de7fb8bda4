// States that come right behind an announcement, before it has been read: devices send both in one breath, and many send a state
// only once.
import { hasWildcard, matchesFilter } from "../../../core/topic-filter.ts";
import type { Heard, Sender } from "../../source.ts";

const MAX_BYTES = 8 * 1024 * 1024;
// Of a message, beside its payload.
const OVERHEAD_BYTES = 300;

export interface EarlyMessages {
  keep(heard: Heard): void;
  /** The last message of this sender on each topic that matches. */
  of(sender: Sender, filter: string): readonly Heard[];
  clear(): void;
}

export function createEarlyMessages(): EarlyMessages {
  const kept = new Map<string, Heard>();
  let bytes = 0;
  const keyOf = (sender: Sender, topic: string): string => `${sender.name}\n${topic}`;
  const sizeOf = ({ topic, payload }: Heard): number => OVERHEAD_BYTES + topic.length + payload.length;
  return {
    keep(heard) {
      const key = keyOf(heard.sender, heard.topic);
      const known = kept.get(key);
      const more = sizeOf(heard) - (known ? sizeOf(known) : 0);
      if (bytes + more > MAX_BYTES) return;
      bytes += more;
      kept.set(key, heard);
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
