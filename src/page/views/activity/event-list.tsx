// A long list of events, of which only the ones in the window are drawn.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { HubEvent } from "../../state/hub/live.ts";
import { t } from "../../texts/index.ts";
import { EventRow } from "./event-row.tsx";
import { type Rows, topOf, useRowsInView } from "./use-rows-in-view.ts";

// As the styles have it.
const NARROW = matchMedia("(max-width: 799px)");
const HEIGHT = { narrow: 80, wide: 56 };

interface EventListProps {
  events: readonly HubEvent[];
  /** Called when somebody reads further below, where nothing may move, and when they are back. */
  onAway: (isAway: boolean) => void;
}

export function EventList({ events, onAway }: EventListProps) {
  const list = useRef<HTMLUListElement>(null);
  const [open, setOpen] = useState<number>();
  const [openExtra, setOpenExtra] = useState(0);
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const take = (): void => setNarrow(NARROW.matches);
    NARROW.addEventListener("change", take);
    return () => NARROW.removeEventListener("change", take);
  }, []);

  const height = isNarrow ? HEIGHT.narrow : HEIGHT.wide;
  const openAt = open === undefined ? -1 : events.findIndex(({ seq }) => seq === open);
  const rows: Rows = { count: events.length, height, openAt, openExtra };
  const { from, to, above } = useRowsInView(list, rows);
  const isAway = above > height || openAt >= 0;
  useEffect(() => onAway(isAway), [isAway, onAway]);
  const takeHeight = useCallback((px: number) => setOpenExtra(px), []);

  return (
    <ul
      ref={list}
      class="events"
      aria-label={t("activity.list")}
      style={{ height: `${topOf(events.length, rows)}px`, "--row": `${height}px` }}
    >
      {events.slice(from, to).map((event, index) => (
        <EventRow
          key={event.seq}
          event={event}
          top={topOf(from + index, rows)}
          position={from + index + 1}
          count={events.length}
          isOpen={event.seq === open}
          onToggle={() => {
            setOpenExtra(0);
            setOpen(event.seq === open ? undefined : event.seq);
          }}
          onHeight={takeHeight}
        />
      ))}
    </ul>
  );
}
