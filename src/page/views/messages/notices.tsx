// Messages that wait for an answer: confirmed here as in the services they were sent through. The one that the address names, as links
// of messages do, is shown whatever became of it.

import { useEffect, useRef } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { short } from "../../parts/devices/values.ts";
import { post } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";
import { Moment } from "../../ui/moment.tsx";

interface Notice {
  id: string;
  title: string;
  message: string;
  at: string;
  state: "open" | "acknowledged" | "cleared" | "expired" | "restored";
  answerable: boolean;
  actions: { id: string; label: string }[];
  asked: string[];
  left: string[];
  by: string | null;
  action: string | null;
  ended_at: string | null;
}

const AFTER = ["notification_", "rule_fired"] as const;
const EVERY_MS = 10_000;
const LONGEST = 300;
const ACKNOWLEDGE = "acknowledge";
const RESTORED_MS = 2 * 86_400_000;

/** Nothing where no message waits and none is named. */
export function OpenNotices({ named }: { named: string | undefined }) {
  const { value, problem, read } = useHubData<Notice[]>(allows("user") ? "/notify/notices" : undefined, {
    after: AFTER,
    everyMs: EVERY_MS,
  });
  const open = value?.filter(isOpen) ?? [];
  const restored = value?.filter(isJustRestored) ?? [];
  const waiting = [...open, ...restored];
  const other = value?.find((notice) => notice.id === named && !waiting.includes(notice));
  const isGone = named !== undefined && value !== undefined && !value.some(({ id }) => id === named);
  return (
    <>
      <Problem of={problem} />
      {other && (
        <>
          <h2>{t("notices.named")}</h2>
          <ul class="things">
            <NoticeRow key={other.id} notice={other} isNamed read={read} />
          </ul>
        </>
      )}
      {isGone && <p role="status">{t("notices.gone")}</p>}
      {waiting.length > 0 && (
        <>
          <h2>{t("notices.title")}</h2>
          <ul class="things">
            {waiting.map((notice) => (
              <NoticeRow key={notice.id} notice={notice} isNamed={notice.id === named} read={read} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function isJustRestored({ state, ended_at }: Notice): boolean {
  return state === "restored" && Date.now() - Date.parse(ended_at ?? "") < RESTORED_MS;
}

interface NoticeRowProps {
  notice: Notice;
  isNamed: boolean;
  read: () => Promise<void>;
}

function NoticeRow({ notice, isNamed, read }: NoticeRowProps) {
  const { id, title, message, at, actions, asked, left } = notice;
  const act = useAct();
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isNamed) return;
    row.current?.scrollIntoView({ block: "center" });
    row.current?.focus({ preventScroll: true });
  }, [isNamed]);
  const answer = (action?: string) =>
    void act.run(async () => {
      await post(`/notify/acknowledge/${encodeURIComponent(id)}`, action === undefined ? {} : { action });
      await read();
    });
  return (
    <li ref={row} class={isNamed ? "thing named-notice" : "thing"} tabIndex={isNamed ? -1 : undefined}>
      <div class="about">
        <p>
          <strong dir="auto">{title}</strong> · <Moment at={at} />
        </p>
        <p dir="auto" class="message">
          {short(message, LONGEST)}
        </p>
        <p class="hint">
          {t("notices.asked", { names: asked.join(", ") })}
          {left.length > 0 && ` · ${t("notices.left", { names: left.join(", ") })}`}
        </p>
        <End of={notice} />
      </div>
      {isOpen(notice) && (
        <div class="buttons">
          {actions.map(({ id: action, label }) => (
            <button key={action} type="button" disabled={!mayAct("user") || act.busy} onClick={() => answer(action)}>
              {label}
            </button>
          ))}
          <button
            type="button"
            class="main"
            disabled={!mayAct("user") || act.busy}
            aria-label={`${t("notices.confirm")}: ${title}`}
            onClick={() => answer()}
          >
            {t("notices.confirm")}
          </button>
        </div>
      )}
      <Problem of={act.problem} />
    </li>
  );
}

/** How it ended; nothing while it is open. */
function End({ of: { state, by, action, actions, ended_at } }: { of: Notice }) {
  if (state === "open") return null;
  const label = actions.find(({ id }) => id === action)?.label ?? action ?? "";
  const names = { by: by ?? "", label };
  return (
    <p class={state === "expired" ? "act" : "good"} dir="auto">
      {state === "cleared" && t("notices.cleared")}
      {state === "expired" && t("notices.expired")}
      {state === "restored" && t("notices.restored")}
      {state === "acknowledged" && t(action === ACKNOWLEDGE ? "notices.confirmed" : "notices.answered", names)}{" "}
      {ended_at !== null && <Moment at={ended_at} />}
    </p>
  );
}

function isOpen({ state, answerable }: Notice): boolean {
  return state === "open" && answerable;
}
