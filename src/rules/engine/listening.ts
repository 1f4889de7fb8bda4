// Listens to the event types that somebody here needs, each once, and to no others: an event nobody asked for costs nothing.
import type { Envelope, EventFeed } from "../../events/feed.ts";

export interface Listening extends Disposable {
  /** Until disposed. "*" is everything but `mqtt_message`. */
  need(type: string): Disposable;
}

interface Need {
  count: number;
  readonly subscription: Disposable;
}

export interface Ears {
  event(envelope: Envelope): void;
  /** Every event, while "*" is needed. */
  any(): void;
}

export function createListening(feed: Pick<EventFeed, "on">, ears: Ears): Listening {
  const needs = new Map<string, Need>();

  function begin(type: string): Need {
    const subscription =
      type === "*"
        ? feed.on("*", "rules", () => ears.any())
        : feed.on(type as "system_started", "rules", (envelope: Envelope) => ears.event(envelope));
    const need = { count: 0, subscription };
    needs.set(type, need);
    return need;
  }

  return {
    need(type) {
      const need = needs.get(type) ?? begin(type);
      need.count++;
      let over = false;
      return {
        [Symbol.dispose]() {
          if (over) return;
          over = true;
          if (--need.count > 0) return;
          needs.delete(type);
          need.subscription[Symbol.dispose]();
        },
      };
    },
    [Symbol.dispose]() {
      for (const { subscription } of needs.values()) subscription[Symbol.dispose]();
      needs.clear();
    },
  };
}
