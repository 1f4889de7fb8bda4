// How uPlot draws the lines of one unit: steps or means with their bands, labels beside the lines, gaps as gaps. It only draws;
// pointers and keys are plot-stage's.
import type uPlot from "uplot";
import { wallClock, zone } from "../../../browser/zone.ts";
import { numberInWords } from "../../../model/device/attribute-words.ts";
import { formatDate } from "../../../texts/index.ts";
import type { Palette } from "./plot-palette.ts";

/** The plotting area, in CSS pixels from the edges: bars beside it keep to the same. */
export const EDGE = { left: 56, right: 24 } as const;

export interface LineStyle {
  label: string;
  color: string;
  fill: string;
  /** The same colour comes again: dashes distinguish them. */
  dash: number[] | undefined;
  /** Of stretches: lines between means, and a band. */
  hasBand: boolean;
}

export interface PlotSize {
  width: number;
  height: number;
}

const DAY_SECS = 86_400;
const FONT = "13px system-ui, sans-serif";
const LABEL_PX = 16;
const SECONDS_SHOWN_BELOW = 600;

export function plotOptions(
  Plot: typeof uPlot,
  styles: readonly LineStyle[],
  { palette, size }: { palette: Palette; size: PlotSize },
): uPlot.Options {
  const stepped = Plot.paths.stepped?.({ align: 1 });
  const linear = Plot.paths.linear?.();
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  const axis = { stroke: palette.quiet, font: FONT, grid: { stroke: palette.line, width: 1 }, ticks: { show: false } };
  for (const { color, fill, dash, hasBand } of styles) {
    const paths = hasBand ? linear : stepped;
    const own = { stroke: color, width: 2, points: { show: false }, ...(paths && { paths }), ...(dash && { dash }) };
    series.push(own);
    if (!hasBand) continue;
    const edge = { points: { show: false }, stroke: "transparent", width: 0, ...(paths && { paths }) };
    series.push(edge, edge);
    bands.push({ series: [series.length - 1, series.length - 2], fill });
  }
  const [only] = styles;
  if (styles.length === 1 && series[1] && only && !only.hasBand) series[1].fill = only.fill;
  return {
    ...size,
    tzDate: (secs) => Plot.tzDate(new Date(secs * 1000), zone.value ?? ownZone()),
    padding: [12, EDGE.right, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    scales: { x: { time: true, auto: false }, y: { range: (_, low, high) => spread(low, high) } },
    axes: [
      { ...axis, size: 28, space: labelSpace, values: (_, splits, __, ___, step) => momentsInWords(splits, step) },
      { ...axis, size: EDGE.left, values: (_, splits) => splits.map(numberInWords) },
    ],
    series,
    bands,
    hooks: { draw: [(plot) => drawLabels(plot, styles, palette)] },
  };
}

function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Moments to the second are long. */
function labelSpace(_: uPlot, __: number, from: number, to: number): number {
  return to - from < SECONDS_SHOWN_BELOW ? 112 : 72;
}

/** A flat line is in the middle; nothing overflows. */
function spread(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const room = (high - low) * 0.1 || Math.max(Math.abs(high) * 0.05, 1);
  return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
}

function momentsInWords(splits: readonly number[], stepSecs: number): string[] {
  const clock: Intl.DateTimeFormatOptions =
    stepSecs < 60 ? { timeStyle: "medium" } : { hour: "2-digit", minute: "2-digit" };
  return splits.map((secs) => {
    const at = secs * 1000;
    const isDay = stepSecs >= DAY_SECS || wallClock(at).endsWith("T00:00:00");
    return formatDate(at, isDay ? { day: "numeric", month: "short" } : clock);
  });
}

/** Each beside the end of its line, none over another. */
function drawLabels(plot: uPlot, styles: readonly LineStyle[], palette: Palette): void {
  if (styles.length < 2) return;
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const placed: number[] = [];
  ctx.save();
  ctx.font = `600 ${12 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "right";
  ctx.textBaseline = "bottom";
  ctx.lineJoin = "round";
  ctx.lineWidth = 4 * ratio;
  ctx.strokeStyle = palette.surface;
  let index = 1;
  for (const { label, color, hasBand } of styles) {
    const value = lastNumber(plot.data[index] ?? []);
    index += hasBand ? 3 : 1;
    if (value === undefined) continue;
    const wanted = plot.valToPos(value, "y", true) - 4 * ratio;
    const y = free(wanted, placed, { from: bbox.top + LABEL_PX * ratio, to: bbox.top + bbox.height, ratio });
    placed.push(y);
    const text = label.length > 24 ? `${label.slice(0, 23)}…` : label;
    ctx.strokeText(text, bbox.left + bbox.width - 4 * ratio, y);
    ctx.fillStyle = color;
    ctx.fillText(text, bbox.left + bbox.width - 4 * ratio, y);
  }
  ctx.restore();
}

function lastNumber(values: ArrayLike<number | null | undefined>): number | undefined {
  for (let index = values.length - 1; index >= 0; index--)
    if (typeof values[index] === "number") return values[index] ?? undefined;
  return undefined;
}

function free(
  wanted: number,
  placed: readonly number[],
  { from, to, ratio }: { from: number; to: number; ratio: number },
): number {
  const gap = LABEL_PX * ratio;
  const start = Math.min(to, Math.max(from, wanted));
  for (let away = 0; away < (to - from) * 2; away += gap / 2) {
    for (const y of [start - away, start + away]) {
      if (y >= from && y <= to && placed.every((other) => Math.abs(other - y) >= gap)) return y;
    }
  }
  return start;
}
