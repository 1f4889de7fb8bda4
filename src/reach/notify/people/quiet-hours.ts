// Quiet hours by the clock of the house. A span that goes over midnight belongs to the day on which it begins. Where the clocks are
// changed, what the clock on the wall shows counts.
import { WEEKDAYS } from "../../../kit/time/weekdays.ts";
import type { Zone } from "../../../kit/time/zone.ts";

const DAY_MINS = 1440;
const MIN_MS = 60_000;
/** Spans that follow each other without a gap are followed for so long. */
const MAX_SPANS = 50;

/** In minutes of the day; `to` is up to 1440. */
export interface QuietSpan {
  readonly from: number;
  readonly to: number;
  /** Monday is 0; every day without it. */
  readonly days: ReadonlySet<number> | undefined;
}

type GivenSpan = string | { readonly from: string; readonly to: string; readonly days?: readonly string[] };

/** From what the configuration's schema accepted. */
export function parseQuietHours(given: string | readonly GivenSpan[] = []): QuietSpan[] {
  return [given].flat().map((span) => {
    if (typeof span !== "string") return spanOf(span.from, span.to, span.days);
    const [from = "", to = ""] = span.split(/\s*[-–]\s*/);
    return spanOf(from, to);
  });
}

/** Epoch ms at which it is no longer quiet; undefined when it is not quiet now. */
export function quietUntil(spans: readonly QuietSpan[], now: number, zone: Zone): number | undefined {
  let until: number | undefined;
  for (let round = 0; round < MAX_SPANS; round++) {
    const end = endOf(spans, until ?? now, zone);
    if (end === undefined) return until;
    until = end;
  }
  return until;
}

function endOf(spans: readonly QuietSpan[], at: number, zone: Zone): number | undefined {
  const wall = new Date(at + zone.at(at).offsetMs);
  const minute = wall.getUTCHours() * 60 + wall.getUTCMinutes();
  const today = (wall.getUTCDay() + 6) % 7;
  const ends = spans.flatMap(({ from, to, days }) => {
    const overMidnight = to < from;
    const sinceYesterday = overMidnight && minute < to;
    const within = overMidnight ? sinceYesterday || minute >= from : minute >= from && minute < to;
    const begun = sinceYesterday ? (today + 6) % 7 : today;
    if (!within || days?.has(begun) === false) return [];
    const leftMins = to - minute + (overMidnight && !sinceYesterday ? DAY_MINS : 0);
    return [at - (wall.getTime() % MIN_MS) + leftMins * MIN_MS];
  });
  if (ends.length === 0) return undefined;
  const end = Math.max(...ends);
  // The clocks may be changed in between.
  const shifted = end - (zone.at(end).offsetMs - zone.at(at).offsetMs);
  return Math.max(shifted, at + 1);
}

function spanOf(from: string, to: string, days?: readonly string[]): QuietSpan {
  return {
    from: minutesOf(from),
    to: minutesOf(to),
    days: days && new Set(days.map((day) => (WEEKDAYS as readonly string[]).indexOf(day))),
  };
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
