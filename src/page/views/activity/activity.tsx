// What happens in the house, as it happens.
import { useEffect, useMemo, useState } from "preact/hooks";
import { useAddress } from "../../browser/address.ts";
import { plain } from "../../model/text/phrase.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import type { HubEvent } from "../../state/hub/live.ts";
import { formatNumber, t } from "../../texts/index.ts";
import { EventList } from "./event-list.tsx";
import { eventInWords, typeWords } from "./event-words.ts";
import { type Feed, type FeedFilter, MAX_ENTRIES, openFeed } from "./feed.ts";
import { FilterBanner, FilterFields } from "./feed-filter.tsx";

export function Activity() {
  const query = useAddress();
  const types = query.of("type");
  const filter: FeedFilter = { types: types.split(",").filter(Boolean), deviceId: query.of("device") };
  const [feed, setFeed] = useState<Feed>();
  useEffect(() => {
    const opened = openFeed({ types: types.split(",").filter(Boolean), deviceId: filter.deviceId });
    setFeed(opened);
    return () => opened[Symbol.dispose]();
  }, [types, filter.deviceId]);
  const change = (next: FeedFilter): void => query.change({ type: next.types.join(","), device: next.deviceId }, true);

  return (
    <>
      <h1>{t("activity.title")}</h1>
      <FilterBanner filter={filter} onChange={change} />
      <FilterFields filter={filter} onChange={change} />
      {feed && (
        <Happening
          feed={feed}
          isFiltered={types !== "" || filter.deviceId !== ""}
          search={query.of("q")}
          onSearch={(q) => query.change({ q })}
        />
      )}
    </>
  );
}

interface HappeningProps {
  feed: Feed;
  isFiltered: boolean;
  search: string;
  onSearch: (text: string) => void;
}

function Happening({ feed, isFiltered, search, onSearch }: HappeningProps) {
  const [isPaused, setPaused] = useState(false);
  const [isAway, setAway] = useState(false);
  useEffect(() => feed.hold(isPaused || isAway), [feed, isPaused, isAway]);
  const entries = feed.entries.value;
  const shown = useMemo(() => found(entries, search), [entries, search]);
  const waiting = formatNumber(feed.waiting.value);

  return (
    <>
      <div class="toolbar">
        <input
          type="search"
          aria-label={t("activity.search")}
          placeholder={t("activity.search")}
          value={search}
          onInput={({ currentTarget }) => onSearch(currentTarget.value)}
        />
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {t(isPaused ? "activity.resume" : "activity.pause")}
        </button>
      </div>
      {isPaused && (
        <div class="banner">
          <p>
            <strong>{t("activity.paused")}</strong> · {t("activity.waiting", { count: waiting })}
          </p>
        </div>
      )}
      <div class="feed-state">
        {!isPaused && isAway && feed.waiting.value > 0 && (
          <button type="button" class="main" onClick={() => scrollTo({ top: 0 })}>
            {t("activity.show_new", { count: waiting })}
          </button>
        )}
      </div>
      <Problem of={feed.problem.value} />
      <Emptiness feed={feed} count={shown.length} isFiltered={isFiltered} search={search} />
      <EventList events={shown} onAway={setAway} />
      <End feed={feed} />
    </>
  );
}

function Emptiness({
  feed,
  count,
  isFiltered,
  search,
}: {
  feed: Feed;
  count: number;
  isFiltered: boolean;
  search: string;
}) {
  if (count > 0 || feed.problem.value !== undefined) return null;
  if (!feed.isRead.value) return <p role="status">{t("activity.reading")}</p>;
  if (search !== "") return <p dir="auto">{t("activity.none_found", { text: search })}</p>;
  return <p>{t(isFiltered ? "activity.none_fits" : "activity.empty")}</p>;
}

/** Below the last row: earlier ones, or why there are none. */
function End({ feed }: { feed: Feed }) {
  if (!feed.isRead.value) return null;
  if (feed.entries.value.length >= MAX_ENTRIES)
    return <p class="hint">{t("activity.full", { count: formatNumber(MAX_ENTRIES) })}</p>;
  if (!feed.hasOlder.value) return <p class="hint">{t("activity.beginning")}</p>;
  return (
    <button type="button" disabled={feed.isReading.value} onClick={() => void feed.readOlder()}>
      {t("activity.older")}
    </button>
  );
}

// Searching in events: in their sentences, and in all their fields.
const texts = new WeakMap<HubEvent, string>();

/** Those with all words of the search in them. */
function found(events: readonly HubEvent[], search: string): readonly HubEvent[] {
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
