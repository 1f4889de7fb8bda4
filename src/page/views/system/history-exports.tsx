// Where else the history goes: how far each export is, what keeps it back, and sending what was recorded before.

import { formatDuration } from "../../model/text/formats.ts";
import { Entries, Entry } from "../../parts/acting/entries.tsx";
import { ActButton } from "../../parts/acting/use-act.tsx";
import { post } from "../../state/hub/api.ts";
import { allows } from "../../state/hub/session.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { formatNumber, formatTime, t } from "../../texts/index.ts";

export interface HistoryExport {
  name: string;
  target: string;
  state: "running" | "behind" | "failing" | "off";
  sent_until: string | null;
  lag_secs: number;
  backfills: { from: string; to: string }[];
  sent: number;
  dropped: number;
  lost: number;
  problem: string | null;
  problem_since: string | null;
}

const AFTER = ["alert"];
const EVERY_MS = 10_000;

/** Nothing where nothing is exported. */
export function HistoryExports() {
  const exports = useHubData<HistoryExport[]>("/history/exports", { after: AFTER, everyMs: EVERY_MS });
  if (exports.value === undefined || exports.value.length === 0) return null;
  return (
    <section>
      <h2>{t("exports.title")}</h2>
      <Entries of={exports} label={t("exports.title")} empty="">
        {(one) => <Export key={one.name} of={one} onBackfill={exports.read} />}
      </Entries>
    </section>
  );
}

function Export({ of: one, onBackfill }: { of: HistoryExport; onBackfill: () => Promise<void> }) {
  const { name, target, state, problem, dropped, lost } = one;

  async function backfill(): Promise<void> {
    await post(`/history/exports/${encodeURIComponent(name)}/backfill`, {});
    await onBackfill();
  }

  return (
    <Entry
      bad={problem !== null}
      name={name}
      about={
        <>
          <p dir="auto">{stateOf(one)}</p>
          {problem !== null && (
            <p lang="en" dir="auto">
              {problem}
            </p>
          )}
          {dropped > 0 && <p>{t("exports.dropped", { count: formatNumber(dropped) })}</p>}
          {lost > 0 && <p>{t("exports.lost", { count: formatNumber(lost) })}</p>}
          <p dir="auto">{target}</p>
        </>
      }
    >
      {allows("admin") && state !== "off" && (
        <ActButton act={backfill} label={t("exports.backfill_of", { name })}>
          {t("exports.backfill")}
        </ActButton>
      )}
    </Entry>
  );
}

function stateOf({
  state,
  sent_until: until,
  lag_secs: lag,
  backfills,
  sent,
  problem_since: since,
}: HistoryExport): string {
  if (state === "off") return t("exports.off");
  const isBehind = state === "behind" || (state === "failing" && lag >= 60);
  const parts = [
    ...(state === "running" ? [t("exports.running")] : []),
    ...(state === "failing" && since !== null ? [t("exports.failing", { time: formatTime(since) })] : []),
    ...(isBehind ? [t("exports.behind", { time: formatDuration(lag) })] : []),
    ...(until !== null && state !== "running" ? [t("exports.until", { time: formatTime(until) })] : []),
    ...(backfills.length > 0 ? [t("exports.backfilling")] : []),
    t("exports.sent", { count: formatNumber(sent) }),
  ];
  return parts.join(" · ");
}
