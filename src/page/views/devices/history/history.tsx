// What a device's values were: plots and bars over a time that is in the address, with the values at the cursor beside their names.

import { useState } from "preact/hooks";
import { useAddress } from "../../../browser/address.ts";
import { now } from "../../../browser/now.ts";
import { mainOf, recordedOf } from "../../../model/device/attribute-parts.ts";
import { labelOf, shortened, valueInWords } from "../../../model/device/attribute-words.ts";
import { type Device, propertyOf } from "../../../model/device/device.ts";
import { sampleAt } from "../../../model/plot/plot-data.ts";
import { LENGTHS, type Range, rangeIn, textOf, windowOf } from "../../../model/plot/range.ts";
import { isDrawable, type Sample, type Track, type Window } from "../../../model/plot/track.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { formatMoment, t } from "../../../texts/index.ts";
import { HistoryData } from "./history-data.tsx";
import { Plot } from "./plot.tsx";
import { colorVariable } from "./plot-palette.ts";
import { PlotStage } from "./plot-stage.tsx";
import { RangeChoice } from "./range-choice.tsx";
import { TimelineBars } from "./timeline-bars.tsx";
import { useTracks } from "./use-tracks.ts";

export function History({ device, outages }: { device: Device; outages: readonly Window[] }) {
  const { query, change } = useAddress();
  const [cursor, setCursor] = useState<number>();
  const chosen = query.getAll("show");
  const names = chosen.length > 0 ? chosen : mainOf(device);
  const range = rangeIn(query);
  const { tracks, problem } = useTracks(device, names, range);
  const window = windowFor(range, tracks);
  const zoomTo = (wanted: Window): boolean => {
    const fixed = windowOf(wanted.from, wanted.to);
    if (fixed) change(textOf(fixed), true);
    return fixed !== undefined;
  };
  const known = tracks?.filter(({ name }) => names.includes(name)) ?? [];
  const isEmpty = tracks !== undefined && known.every(({ samples }) => samples.length === 0);
  const at = cursor ?? window.to;
  const wordsAt = (name: string): string => {
    const found = known.find((track) => track.name === name);
    const sample = found && sampleAt(found.samples, at, outages);
    return sample ? valueInWords(name, sample.value, propertyOf(device, name)) : t("plot.unknown");
  };

  return (
    <section class="card history" aria-labelledby="history">
      <h2 id="history">{t("plot.title")}</h2>
      <RangeChoice range={range} window={window} onWindow={zoomTo} />
      <div class="series-list">
        <p class="read-at">{cursor === undefined && !range.fixed ? t("plot.now") : formatMoment(at)}</p>
        <ul>
          {names.map((name, index) => (
            <li key={name}>
              {known.some((track) => track.name === name && track.kind === "line") && (
                <span class="swatch" style={{ background: colorVariable(index) }} aria-hidden="true" />
              )}
              <span class="name" dir="auto">
                {labelOf(device, name)}
              </span>
              <b dir="auto">{wordsAt(name)}</b>
              <button
                type="button"
                aria-label={t("plot.hide", { name: labelOf(device, name) })}
                disabled={names.length === 1}
                onClick={() => change({ show: names.filter((one) => one !== name) })}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
        <AddSeries device={device} names={names} onAdd={(name) => change({ show: [...names, name] })} />
      </div>
      <Problem of={problem} />
      {!device.history && <p class="hint">{t("plot.hidden")}</p>}
      {tracks === undefined && problem === undefined && <p class="hint">{t("plot.loading")}</p>}
      {isEmpty && <p class="empty">{t("plot.empty")}</p>}
      {tracks !== undefined && !isEmpty && (
        <>
          <PlotStage
            {...{ window, cursor }}
            onCursor={setCursor}
            onZoom={zoomTo}
            label={t("plot.cursor")}
            textAt={(moment) =>
              [formatMoment(moment), ...names.map((name) => `${labelOf(device, name)} ${wordsAt(name)}`)].join(", ")
            }
          >
            <Tracks {...{ device, names, window, outages }} tracks={known} />
          </PlotStage>
          {known.some(({ samples }) => samples.some(isTooLarge)) && <p class="hint">{t("plot.too_large")}</p>}
          <p class="hint">{t("plot.hint")}</p>
          <HistoryData {...{ device, names, window }} tracks={known} />
        </>
      )}
    </section>
  );
}

function isTooLarge({ value }: Sample): boolean {
  return typeof value === "number" && !isDrawable(value);
}

/** Up to now; what came a moment ago is within, whatever the clocks say. */
function windowFor({ length, fixed }: Range, tracks: readonly Track[] | undefined): Window {
  if (fixed) return fixed;
  const last = Math.max(0, ...(tracks ?? []).map(({ samples }) => samples.at(-1)?.at ?? 0));
  const to = Math.max(now.value, Math.min(last, now.value + 60_000));
  return { from: to - LENGTHS[length], to };
}

interface TracksProps {
  device: Device;
  names: readonly string[];
  tracks: readonly Track[];
  window: Window;
  outages: readonly Window[];
}

/** One plot for each unit, then the states. */
function Tracks({ device, names, tracks, window, outages }: TracksProps) {
  const lines = Map.groupBy(
    tracks.filter(({ kind, samples }) => kind === "line" && samples.length > 0),
    ({ name }) => propertyOf(device, name).unit ?? "",
  );
  const bars = tracks.filter(({ kind, samples }) => kind === "bar" && samples.length > 0);
  return (
    <>
      {[...lines].map(([unit, own]) => (
        <div key={unit}>
          <p class="unit">{unit}</p>
          <Plot
            tracks={own}
            labels={own.map(({ name }) => ({ label: labelOf(device, name), color: names.indexOf(name) }))}
            {...{ window, outages }}
            height={lines.size > 1 ? 160 : 220}
          />
        </div>
      ))}
      {bars.map((track) => (
        <TimelineBars
          key={track.name}
          {...{ track, window, outages }}
          label={labelOf(device, track.name)}
          property={propertyOf(device, track.name)}
        />
      ))}
    </>
  );
}

function AddSeries({
  device,
  names,
  onAdd,
}: {
  device: Device;
  names: readonly string[];
  onAdd: (name: string) => void;
}) {
  const others = recordedOf(device).filter((name) => !names.includes(name));
  if (others.length === 0) return null;
  return (
    <select aria-label={t("plot.add")} value="" onChange={({ currentTarget }) => onAdd(currentTarget.value)}>
      <option value="">{t("plot.add")}</option>
      {others.map((name) => (
        <option key={name} value={name}>
          {shortened(labelOf(device, name), 40)}
        </option>
      ))}
    </select>
  );
}
