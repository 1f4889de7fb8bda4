// States over time as bars, on the time axis of the plots beside them.

import { shortened, valueInWords } from "../../../model/device/attribute-words.ts";
import type { Json } from "../../../model/device/json.ts";
import type { Property } from "../../../model/device/schema.ts";
import { type Stretch, stretchesOf } from "../../../model/plot/plot-data.ts";
import type { Track, Window } from "../../../model/plot/track.ts";
import { formatMoment, t } from "../../../texts/index.ts";
import { colorVariable } from "./plot-palette.ts";

export interface TimelineBarsProps {
  track: Track;
  label: string;
  property: Property;
  window: Window;
  outages: readonly Window[];
}

/** Shorter ones could not be seen apart. */
const PARTS = 400;
/** Of the whole; the cursor reads the others. */
const ROOM_FOR_TEXT = 0.07;

export function TimelineBars({ track, label, property, window, outages }: TimelineBarsProps) {
  const span = window.to - window.from;
  const stretches = stretchesOf(track.samples, window, { outages, shortestMs: span / PARTS });
  return (
    <div class="state-bars" aria-hidden="true">
      <p class="name" dir="auto">
        {label}
      </p>
      <div class="bars">
        {stretches.map((stretch) => (
          <Bar key={stretch.from} {...{ stretch, span, window, property }} name={track.name} />
        ))}
      </div>
    </div>
  );
}

interface BarProps {
  stretch: Stretch;
  span: number;
  window: Window;
  name: string;
  property: Property;
}

function Bar({ stretch: { from, to, value, isBusy }, span, window, name, property }: BarProps) {
  const place = { left: `${((from - window.from) / span) * 100}%`, width: `${((to - from) / span) * 100}%` };
  const text = isBusy ? t("plot.busy") : shortened(valueInWords(name, value, property), 60);
  return (
    <div
      class={`bar ${isBusy ? "busy" : toneOf(value)}`}
      style={{ ...place, ...colorOf(value) }}
      title={titleOf(text, from)}
    >
      {!isBusy && value !== false && to - from > span * ROOM_FOR_TEXT && <span dir="auto">{text}</span>}
    </div>
  );
}

function titleOf(text: string, from: number): string {
  return `${text}, ${formatMoment(from)}`;
}

function toneOf(value: Json): string {
  return value === true ? "yes" : value === false ? "no" : "text";
}

/** The same text has the same colour each time. */
function colorOf(value: Json): Record<string, string> {
  if (typeof value === "boolean") return {};
  const text = JSON.stringify(value);
  let sum = 0;
  for (let index = 0; index < Math.min(text.length, 64); index++) sum = (sum * 31 + text.charCodeAt(index)) % 9973;
  return { "--bar": colorVariable(sum) };
}
