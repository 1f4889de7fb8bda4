// Which time is shown: lengths up to now, two moments, and steps from what is shown.

import { useState } from "preact/hooks";
import { useAddress } from "../../../browser/address.ts";
import { wallClock } from "../../../browser/zone.ts";
import { momentAt } from "../../../model/place/moment-at.ts";
import { LENGTHS, type Length, moved, type Range } from "../../../model/plot/range.ts";
import type { Window } from "../../../model/plot/track.ts";
import { t } from "../../../texts/index.ts";

interface RangeChoiceProps {
  range: Range;
  window: Window;
  /** False where that is no time that could be shown. */
  onWindow: (window: Window) => boolean;
}

export function RangeChoice({ range, window, onWindow }: RangeChoiceProps) {
  const { change } = useAddress();
  const [isBad, setBad] = useState(false);
  const step = (how: { by?: number; shift?: number }) => () => {
    const next = moved(window, how);
    if (next) onWindow(next);
  };
  return (
    <div class="range">
      <fieldset class="segments" aria-label={t("plot.range")}>
        {(Object.keys(LENGTHS) as Length[]).map((length) => (
          <button
            key={length}
            type="button"
            aria-pressed={!range.fixed && range.length === length}
            onClick={() => change({ range: length, from: undefined, to: undefined })}
          >
            {t(`plot.range_${length}`)}
          </button>
        ))}
      </fieldset>
      <fieldset class="segments" aria-label={t("plot.steps")}>
        <button type="button" aria-label={t("plot.earlier")} onClick={step({ shift: -0.5 })}>
          ←
        </button>
        <button type="button" aria-label={t("plot.later")} disabled={!range.fixed} onClick={step({ shift: 0.5 })}>
          →
        </button>
        <button type="button" aria-label={t("plot.zoom_in")} onClick={step({ by: 0.5 })}>
          +
        </button>
        <button type="button" aria-label={t("plot.zoom_out")} onClick={step({ by: 2 })}>
          −
        </button>
      </fieldset>
      {range.fixed && (
        <button type="button" class="main" onClick={() => change({ from: undefined, to: undefined })}>
          {t("plot.back", { range: t(`plot.range_${range.length}`) })}
        </button>
      )}
      <details class="custom">
        <summary>{t("plot.custom")}</summary>
        <form
          key={`${range.fixed?.from} ${range.fixed?.to}`}
          onSubmit={(event) => {
            event.preventDefault();
            const fields = new FormData(event.currentTarget);
            const [from, to] = ["from", "to"].map((name) => momentAt(String(fields.get(name)), wallClock));
            setBad(from === undefined || to === undefined || !onWindow({ from, to }));
          }}
        >
          <label>
            {t("plot.from")}
            <input type="datetime-local" name="from" required defaultValue={wallClock(window.from).slice(0, 16)} />
          </label>
          <label>
            {t("plot.to")}
            <input type="datetime-local" name="to" required defaultValue={wallClock(window.to).slice(0, 16)} />
          </label>
          <button type="submit">{t("plot.show")}</button>
          {isBad && (
            <p class="problem" role="alert">
              {t("plot.bad_range")}
            </p>
          )}
        </form>
      </details>
    </div>
  );
}
