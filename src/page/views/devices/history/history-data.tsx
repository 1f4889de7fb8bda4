// The values themselves: as a table, and as a file.

import { useState } from "preact/hooks";
import { labelOf, valueInWords } from "../../../model/device/attribute-words.ts";
import { type Device, propertyOf } from "../../../model/device/device.ts";
import { sampleAt } from "../../../model/plot/plot-data.ts";
import type { Track, Window } from "../../../model/plot/track.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { readCsv } from "../../../state/house/history.ts";
import { formatMoment, formatNumber, t } from "../../../texts/index.ts";

interface HistoryDataProps {
  device: Device;
  names: readonly string[];
  tracks: readonly Track[];
  window: Window;
}

const ROWS = 50;

export function HistoryData(props: HistoryDataProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="row">
      <Download {...props} />
      <details class="wide" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t("plot.table")}</summary>
        {isOpen && <ValuesTable {...props} />}
      </details>
    </div>
  );
}

function Download({ device, names, window }: HistoryDataProps) {
  const [rows, setRows] = useState<number>();
  const [problem, setProblem] = useState<unknown>();

  async function download(): Promise<void> {
    setProblem(undefined);
    setRows(0);
    try {
      const file = await readCsv(device.id, names, window, setRows);
      const url = URL.createObjectURL(file);
      const link = document.createElement("a");
      link.href = url;
      link.download = `${device.id.replace(/[^\w.-]/g, "_")}-${new Date(window.from).toISOString().slice(0, 10)}.csv`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    } catch (error) {
      setProblem(error);
    }
    setRows(undefined);
  }

  return (
    <>
      <button type="button" disabled={rows !== undefined} onClick={() => void download()}>
        {rows ? t("plot.downloading", { rows: formatNumber(rows, 0) }) : t("plot.csv")}
      </button>
      <Problem of={problem} />
    </>
  );
}

/** Newest first. */
function ValuesTable({ device, names, tracks, window }: HistoryDataProps) {
  const [shown, setShown] = useState(ROWS);
  const moments = [...new Set(tracks.flatMap(({ samples }) => samples.map(({ at }) => at)))]
    .filter((at) => at <= window.to)
    .sort((a, b) => b - a);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section class="scrolls" tabIndex={0} aria-label={t("plot.table")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("plot.moment")}</th>
              {names.map((name) => (
                <th key={name} scope="col" dir="auto">
                  {labelOf(device, name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {moments.slice(0, shown).map((at) => (
              <tr key={at}>
                <th scope="row">{formatMoment(at)}</th>
                {names.map((name) => {
                  const track = tracks.find((one) => one.name === name);
                  const sample = track && sampleAt(track.samples, at);
                  return (
                    <td key={name} dir="auto">
                      {valueInWords(name, sample?.value, propertyOf(device, name))}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {moments.length > shown && (
        <button type="button" onClick={() => setShown(shown + 4 * ROWS)}>
          {t("plot.more", { count: formatNumber(moments.length - shown, 0) })}
        </button>
      )}
    </>
  );
}
