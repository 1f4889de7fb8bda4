// Searching in events: in their sentences, and in all their fields.

import { plain } from "../../model/text/phrase.ts";
import type { HubEvent } from "../../state/hub/live.ts";
import { eventInWords, typeWords } from "./event-words.ts";

const texts = new WeakMap<HubEvent, string>();

/** Those with all words of the search in them. */
export function found(events: readonly HubEvent[], search: string): readonly HubEvent[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return words.length === 0 ? events : events.filter((event) => words.every((word) => textOf(event).includes(word)));
}

function textOf(event: HubEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = `${plain(eventInWords(event))} ${typeWords(event.type)} ${JSON.stringify(event)}`.toLowerCase();
  texts.set(event, text);
  return text;
}
