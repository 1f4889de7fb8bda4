// The calendars of the house: what goes on, what comes next, and what is wrong with one.

import { Problem } from "../parts/acting/problem.tsx";
import { mayAct, useAct } from "../parts/acting/use-act.tsx";
import { post } from "../state/hub/api.ts";
import { allows } from "../state/hub/session.ts";
import { useHubData } from "../state/hub/watched.ts";
import { language, t } from "../texts/index.ts";
import { Moment } from "../ui/moment.tsx";

interface CalendarEvent {
  uid: string;
  title: string;
  start: string;
  end: string;
  all_day: boolean;
  location: string | null;
}

interface Calendar {
  id: string;
  name: string;
  source: string;
  events: number;
  refreshed_at: string | null;
  problem: string | null;
}

const AFTER = ["device_state_changed", "alert"] as const;
const SHOWN_EVENTS = 8;

export function CalendarsView() {
  const { value: calendars, problem, read } = useHubData<Calendar[]>("/calendars", { after: AFTER });
  return (
    <>
      <h1>{t("calendars.title")}</h1>
      <Problem of={problem} />
      {calendars?.length === 0 && (
        <p>
          {t("calendars.empty")} {allows("admin") && <a href="/system/config">{t("calendars.config")}</a>}
        </p>
      )}
      <ul class="things">
        {calendars?.map((calendar) => (
          <CalendarRow key={calendar.id} calendar={calendar} read={read} />
        ))}
      </ul>
    </>
  );
}

function CalendarRow({ calendar, read }: { calendar: Calendar; read: () => Promise<void> }) {
  const { id, name, source, refreshed_at: refreshedAt } = calendar;
  const at = `/calendars/${encodeURIComponent(id)}`;
  const { value: events, problem, read: readEvents } = useHubData<CalendarEvent[]>(`${at}/events`, { after: AFTER });
  const act = useAct();
  const now = Date.now();
  return (
    <li class="thing">
      <div class="about">
        <h2>
          <a href={`/devices/${encodeURIComponent(id)}`}>
            <bdi>{name}</bdi>
          </a>
        </h2>
        <p class="hint" dir="auto">
          {source} ·{" "}
          {refreshedAt === null ? (
            t("calendar.never_read")
          ) : (
            <>
              {t("calendar.read")} <Moment at={refreshedAt} />
            </>
          )}
        </p>
      </div>
      {allows("user") && (
        <button
          type="button"
          disabled={act.locked || !mayAct("user")}
          aria-label={`${t("calendar.refresh")}: ${name}`}
          onClick={() =>
            void act.run(async () => {
              await post(`${at}/refresh`);
              await Promise.all([read(), readEvents()]);
            })
          }
        >
          {t("calendar.refresh")}
        </button>
      )}
      {calendar.problem !== null && (
        <p class="wide problem" dir="auto">
          {t("calendar.problem")}: {calendar.problem}
        </p>
      )}
      <Problem of={act.problem ?? problem} />
      <ul class="wide calendar-events">
        {events?.slice(0, SHOWN_EVENTS).map((event) => (
          <li key={`${event.uid} ${event.start}`}>
            <span class="hint">{whenOf(event)}</span>{" "}
            <span dir="auto">{event.title === "" ? t("calendar.untitled") : event.title}</span>
            {Date.parse(event.start) <= now && <strong> {t("calendar.now")}</strong>}
          </li>
        ))}
        {events?.length === 0 && refreshedAt !== null && <li class="hint">{t("calendar.no_events")}</li>}
      </ul>
    </li>
  );
}

function whenOf({ start, end, all_day: allDay }: CalendarEvent): string {
  const date = { weekday: "short", day: "numeric", month: "short" } as const;
  if (!allDay)
    return new Intl.DateTimeFormat(language.value, { ...date, hour: "numeric", minute: "2-digit" }).format(
      new Date(start),
    );
  const day = new Intl.DateTimeFormat(language.value, date);
  // The day of the house: its midnight may be the evening before, or later that day, where this browser is.
  const middle = (Date.parse(start) + Math.min(Date.parse(end), Date.parse(start) + 86_400_000)) / 2;
  return day.format(middle);
}
