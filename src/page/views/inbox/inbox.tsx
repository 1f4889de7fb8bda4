// What announces itself: what waits for a decision first, then what cannot be used, and what was decided.
import { useEffect, useState } from "preact/hooks";
import { useAddress } from "../../browser/address.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { type Announcement, announcements, readInbox } from "../../state/house/discovery.ts";
import { connection } from "../../state/hub/live.ts";
import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { AnnouncementRow } from "./announcement-row.tsx";
import { DecideSeveral } from "./decide-several.tsx";

const POLL_MS = 5000;
const OPEN = ["waiting", "broken"] as const;
const FOLDED = ["ignored", "accepted"] as const;
const MAX_SHOWN = 100;

export function InboxView() {
  const { problem, isRead } = useInbox();
  const { query } = useAddress();
  const isLocked = connection.value.state !== "live" || !allows("admin");
  const account = query.get("account") ?? "";
  const list = announcements.value.filter((one) => account === "" || one.account === account);
  const group = (state: Announcement["state"]) => (
    <Group key={state} {...{ state, isLocked }} list={list.filter((one) => one.state === state)} />
  );
  return (
    <>
      <h1>{t("inbox.title")}</h1>
      <p>{t("inbox.what")}</p>
      {!allows("admin") && <p class="hint">{t("inbox.only_admin")}</p>}
      <Problem of={problem} />
      {isRead && announcements.value.length === 0 && <p class="empty">{t("inbox.empty")}</p>}
      {announcements.value.length > 0 && (
        <>
          {OPEN.map(group)}
          {allows("admin") && <DecideSeveral isLocked={isLocked} />}
          {FOLDED.map(group)}
        </>
      )}
    </>
  );
}

function useInbox(): { problem: unknown; isRead: boolean } {
  const [found, setFound] = useState<{ problem: unknown; isRead: boolean }>({ problem: undefined, isRead: false });
  const isLive = connection.value.state === "live";
  useEffect(() => {
    if (!isLive) return;
    const read = () =>
      readInbox().then(
        () => setFound({ problem: undefined, isRead: true }),
        (problem: unknown) => setFound((before) => ({ ...before, problem })),
      );
    void read();
    // Announcements have no events.
    const timer = setInterval(() => document.visibilityState === "visible" && void read(), POLL_MS);
    return () => clearInterval(timer);
  }, [isLive]);
  return found;
}

interface GroupProps {
  state: Announcement["state"];
  list: readonly Announcement[];
  isLocked: boolean;
}

function Group({ state, list, isLocked }: GroupProps) {
  const [shown, setShown] = useState(MAX_SHOWN);
  if (list.length === 0 && state !== "waiting") return null;
  const sorted = [...list].sort((a, b) => (a.name ?? a.id).localeCompare(b.name ?? b.id));
  const rows = (
    <>
      <ul class="plain announcements">
        {sorted.slice(0, shown).map((one) => (
          <AnnouncementRow key={one.id} of={one} isLocked={isLocked} />
        ))}
      </ul>
      {sorted.length > shown && (
        <button type="button" onClick={() => setShown(sorted.length)}>
          {t("inbox.more", { count: sorted.length - shown })}
        </button>
      )}
    </>
  );
  if (state === "waiting" || state === "broken")
    return (
      <section class="card" aria-labelledby={`inbox-${state}`}>
        <h2 id={`inbox-${state}`}>{t(`inbox.${state}`, { count: list.length })}</h2>
        {state === "broken" && <p class="hint">{t("inbox.broken_hint")}</p>}
        {list.length === 0 ? <p class="hint">{t("inbox.none_waiting")}</p> : rows}
      </section>
    );
  return (
    <details class="card">
      <summary>
        <h2>{t(`inbox.${state}`, { count: list.length })}</h2>
      </summary>
      {rows}
    </details>
  );
}
