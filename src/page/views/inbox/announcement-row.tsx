// One that announces itself, with what can be decided about it.
import { useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { type Announcement, type Decision, decide } from "../../state/house/discovery.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";

const OPPOSITE = { accept: "ignore", ignore: "accept" } as const;

export function AnnouncementRow({ of, isLocked }: { of: Announcement; isLocked: boolean }) {
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const { id, name, manufacturer, model, source, account, state, device_id: deviceId } = of;
  const title = name ?? id;

  async function take(decision: Decision): Promise<void> {
    setBusy(true);
    try {
      await decide(id, decision);
      setProblem(undefined);
      // There is no way back to waiting: of what waited, the other decision is not what was before.
      const back = state === "waiting" ? undefined : () => void decide(id, OPPOSITE[decision]).catch(() => {});
      toast(t(`inbox.did_${decision}`, { name: title }), back);
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  }

  return (
    <li>
      <div class="what">
        <p class="name" dir="auto">
          {deviceId !== null && state === "accepted" ? (
            <a href={`/devices/${encodeURIComponent(deviceId)}`}>{title}</a>
          ) : (
            title
          )}
        </p>
        <p class="hint" dir="auto">
          {[manufacturer, model].filter(Boolean).join(" ")}
          {(manufacturer ?? model) !== null && " · "}
          {t("inbox.via", { source, account })}
        </p>
        {of.problem !== null && (
          <p class="why" dir="auto">
            {of.problem}
          </p>
        )}
        <Problem of={problem} />
      </div>
      <div class="row">
        {(state === "waiting" || state === "ignored") && (
          <button
            type="button"
            class={state === "waiting" ? "main" : ""}
            disabled={isLocked || busy}
            aria-label={t("inbox.accept_one", { name: title })}
            onClick={() => void take("accept")}
          >
            {t("inbox.accept")}
          </button>
        )}
        {state !== "ignored" && (
          <button
            type="button"
            disabled={isLocked || busy}
            aria-label={t("inbox.ignore_one", { name: title })}
            onClick={() => void take("ignore")}
          >
            {t("inbox.ignore")}
          </button>
        )}
      </div>
    </li>
  );
}
