// One event: its sentence, how long ago it was, and all of it when it is opened.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { formatExact } from "../../model/text/formats.ts";
import type { HubEvent } from "../../state/hub/live.ts";
import { t } from "../../texts/index.ts";
import { Moment } from "../../ui/moment.tsx";
import { AnyIcon } from "../../ui/more-icons.tsx";
import { eventInWords, iconOfEvent, ownFields, typeWords } from "./event-words.ts";

interface EventRowProps {
  event: HubEvent;
  /** Px from the top of the list. */
  top: number;
  position: number;
  count: number;
  isOpen: boolean;
  onToggle: () => void;
  /** Called with the height of what an open row shows besides. */
  onHeight: (px: number) => void;
}

export function EventRow({ event, top, position, count, isOpen, onToggle, onHeight }: EventRowProps) {
  // A row moves with each event that comes before it, and says the same.
  const what = useMemo(() => <Sentence event={event} />, [event]);
  const label = useMemo(
    () => `${t("activity.details")}: ${typeWords(event.type)}, ${formatExact(event.timestamp)}`,
    [event],
  );
  return (
    <li
      class={event.type === "stream_gap" ? "event gap" : "event"}
      style={{ transform: `translateY(${top}px)` }}
      aria-posinset={position}
      aria-setsize={count}
    >
      <div class="event-line">
        {what}
        <Moment at={event.timestamp} />
        <button type="button" class="bare" aria-expanded={isOpen} aria-label={label} onClick={onToggle}>
          <span aria-hidden="true">{isOpen ? "▴" : "▾"}</span>
        </button>
      </div>
      {isOpen && <EventDetails event={event} onHeight={onHeight} />}
    </li>
  );
}

function Sentence({ event }: { event: HubEvent }) {
  return (
    <>
      <AnyIcon name={iconOfEvent(event)} />
      <p class="sentence" dir="auto">
        {eventInWords(event).map((part) =>
          typeof part === "string" ? (
            part
          ) : (
            <a href={part.href}>
              <bdi>{part.text}</bdi>
            </a>
          ),
        )}
      </p>
    </>
  );
}

function EventDetails({ event, onHeight }: Pick<EventRowProps, "event" | "onHeight">) {
  const list = useRef<HTMLDListElement>(null);
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const observer = new ResizeObserver(() => onHeight(element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [onHeight]);
  const [from, to] = [eventInWords(event), formatExact(event.timestamp)];
  return (
    <dl ref={list} class="event-details">
      <dt>{t("activity.exact")}</dt>
      <dd>{to}</dd>
      <dt>{t("activity.type")}</dt>
      <dd>
        {typeWords(event.type)} <code>{event.type}</code>
      </dd>
      <dt class="visually-hidden">{t("activity.details")}</dt>
      <dd class="whole" dir="auto">
        {from.map((part) => (typeof part === "string" ? part : part.text)).join("")}
      </dd>
      {event.device_id !== undefined && (
        <>
          <dt>device_id</dt>
          <dd>
            <code dir="auto">{event.device_id}</code>
          </dd>
        </>
      )}
      {ownFields(event).map(([name, value]) => (
        <>
          <dt key={name} dir="auto">
            {name}
          </dt>
          <dd>
            <code dir="auto">{typeof value === "string" ? value : JSON.stringify(value, undefined, 1)}</code>
          </dd>
        </>
      ))}
    </dl>
  );
}
