// Messages that did not get through yet: tried again by hand, or dropped.

import { secondsNow } from "../../browser/now.ts";
import { formatAge } from "../../model/text/formats.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { AskFirst, mayAct, useAct } from "../../parts/acting/use-act.tsx";
import { short } from "../../parts/devices/values.ts";
import { post, remove } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { formatTime, t } from "../../texts/index.ts";
import { Moment } from "../../ui/moment.tsx";

interface Waiting {
  id: string;
  channel: string;
  title: string;
  message: string;
  at: string;
  tries: number;
  next_try: string | null;
  last_error: string | null;
  count: number;
  state: "sending" | "waiting" | "queued" | "blocked";
}

const AFTER = ["notification_", "rule_fired", "action_failed"] as const;
const EVERY_MS = 5000;
const LONGEST = 300;

export function Outbox({ onChange }: { onChange: () => Promise<void> }) {
  const mayRead = allows("user");
  const { value, problem, read } = useHubData<Waiting[]>(mayRead ? "/notify/outbox" : undefined, {
    after: AFTER,
    everyMs: EVERY_MS,
  });
  if (!mayRead) return <p class="hint">{t("outbox.not_yours")}</p>;
  const readAll = async (): Promise<void> => void (await Promise.all([read(), onChange()]));
  return (
    <>
      <Problem of={problem} />
      {value?.length === 0 && <p>{t("outbox.empty")}</p>}
      <ul class="things">
        {value?.map((waiting) => (
          <WaitingRow key={waiting.id} waiting={waiting} read={readAll} />
        ))}
      </ul>
    </>
  );
}

function WaitingRow({ waiting, read }: { waiting: Waiting; read: () => Promise<void> }) {
  const { id, channel, title, message, at, tries, next_try: next, last_error: error, count, state } = waiting;
  const act = useAct();
  const now = secondsNow.value;
  const path = `/notify/outbox/${encodeURIComponent(id)}`;
  const name = title || short(message, 60);
  return (
    <li class="thing">
      <div class="about">
        <p>
          <strong dir="auto">{name}</strong> → <bdi>{channel}</bdi> · <Moment at={at} />
        </p>
        {title !== "" && (
          <p dir="auto" class="message">
            {short(message, LONGEST)}
          </p>
        )}
        <p class="hint">
          {t(`outbox.${state}`)} · {t("outbox.tries", { count: tries })}
          {count > 1 && ` · ${t("outbox.count", { count })}`}
          {next !== null && ` · ${t("outbox.next", { age: formatAge(next, now), time: formatTime(next) })}`}
        </p>
        {error !== null && (
          <p class="look" dir="auto">
            {error}
          </p>
        )}
      </div>
      <div class="buttons">
        <button
          type="button"
          disabled={!mayAct("user") || act.busy || state === "sending" || state === "blocked"}
          aria-label={`${t("outbox.retry")}: ${name}`}
          onClick={() =>
            void act.run(async () => {
              await post(`${path}/retry`);
              await read();
            })
          }
        >
          {t("outbox.retry")}
        </button>
        <AskFirst
          needs="admin"
          label={t("outbox.drop")}
          of={name}
          question={t("outbox.drop_of", { channel })}
          disabled={!mayAct("admin") || act.busy}
          onYes={() =>
            void act.run(async () => {
              await remove(path);
              await read();
            })
          }
        />
      </div>
      <Problem of={act.problem} />
    </li>
  );
}
