// The answer of a replay: a headline, days that unfold, why it did not run, and what could not be known.

import { houseDay } from "../../../browser/zone.ts";
import { formatDate, formatNumber, formatTime, t } from "../../../texts/index.ts";
import type { Firing, Replay } from "./replay.ts";
import { actionsInWords, triggerInWords } from "./replay-words.ts";

const OPEN_DAYS = 2;

export function ReplayResult({ of: replay }: { of: Replay }) {
  const { firings, omitted_firings: omitted, misses, unknown, evaluations } = replay;
  const days = [...Map.groupBy(firings, ({ at }) => houseDay(Date.parse(at))).values()];
  return (
    <div class="replay-result">
      <p class="headline">{headline(firings.length + omitted)}</p>
      {evaluations === 0 && <p>{t("replay.not_triggered")}</p>}
      {days.length > 0 && (
        <ul class="days">
          {days.map((day, at) => (
            <Day key={day[0]?.at} firings={day} isOpen={at >= days.length - OPEN_DAYS} />
          ))}
        </ul>
      )}
      {omitted > 0 && <p class="hint">{t("replay.shortened", { count: formatNumber(omitted) })}</p>}
      {misses.length > 0 && <Misses of={misses} />}
      {unknown.length > 0 && (
        <>
          <h3>{t("replay.unknown")}</h3>
          <ul class="hint">
            {unknown.map((text) => (
              <li key={text} class="unknown-text said" lang="en" dir="auto">
                {text}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function headline(count: number): string {
  if (count === 0) return t("replay.never");
  return t("replay.fired", { count });
}

function Day({ firings, isOpen }: { firings: readonly Firing[]; isOpen: boolean }) {
  const [first] = firings;
  const count = firings.length;
  return (
    <li class="day">
      <details open={isOpen}>
        <summary>
          <span class="weekday">
            {first && formatDate(first.at, { weekday: "long", day: "numeric", month: "long" })}
          </span>
          <span class="hint">{t("replay.day_count", { count })}</span>
        </summary>
        <ul class="firings">
          {firings.map((firing, at) => (
            <li key={at} class="firing">
              <time dateTime={firing.at}>{formatDate(firing.at, { timeStyle: "medium" })}</time>
              <OneFiring of={firing} />
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}

function OneFiring({ of: { trigger, actions } }: { of: Firing }) {
  const words = actionsInWords(actions);
  return (
    <div>
      <span class="hint" dir="auto">
        {triggerInWords(trigger)}
      </span>
      <ul class="actions">
        {words.length === 0 && <li>{t("replay.no_actions")}</li>}
        {words.map((text, at) => (
          <li key={at} dir="auto">
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Misses({ of: misses }: { of: Replay["misses"] }) {
  return (
    <>
      <h3>{t("replay.misses")}</h3>
      <ul>
        {misses.map(({ why, count, last }) => (
          <li key={why} class="miss">
            <p class="said" lang="en" dir="auto">
              {why}
            </p>
            <p class="hint">{t("replay.miss_count", { count, time: formatTime(last) })}</p>
          </li>
        ))}
      </ul>
    </>
  );
}
