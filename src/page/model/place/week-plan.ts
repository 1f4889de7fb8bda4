// A weekly plan as people edit it: for each day the stretches that begin on it. The hub keeps one entry for days that are alike.
import { language } from "../../texts/index.ts";

export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Day = (typeof DAYS)[number];

export interface PlanEntry {
  days: Day[];
  from: string;
  to: string;
}

/** `HH:MM`, as a field of the time of day has it; `to` up to `from` is of the next day. */
export interface Stretch {
  from: string;
  to: string;
}

export const DAY_MINUTES = 1440;
/** That somebody can drag; what is typed may be shorter. */
const SHORTEST = 5;

export type Week = Readonly<Record<Day, readonly Stretch[]>>;

/** The whole day, and midnight as an end, have no form of their own in a field. */
const END_OF_DAY = "24:00";
const MIDNIGHT = "00:00";

export function weekOf(plan: readonly PlanEntry[]): Week {
  const ofDay = (day: Day): Stretch[] =>
    plan
      .filter(({ days }) => days.includes(day))
      .map(({ from, to }) => ({ from, to: to === END_OF_DAY ? MIDNIGHT : to }))
      .sort((a, b) => a.from.localeCompare(b.from));
  return Object.fromEntries(DAYS.map((day) => [day, ofDay(day)])) as Record<Day, Stretch[]>;
}

export function planOf(week: Week): PlanEntry[] {
  const entries = new Map<string, PlanEntry>();
  for (const day of DAYS) {
    for (const { from, to } of week[day]) {
      const end = to === MIDNIGHT ? END_OF_DAY : to;
      const known = entries.get(`${from} ${end}`);
      if (known) known.days = [...new Set([...known.days, day])];
      else entries.set(`${from} ${end}`, { days: [day], from, to: end });
    }
  }
  return [...entries.values()];
}

/** Minutes of the day, from and to; `to` may be of the next day. */
export function minutesOf({ from, to }: Stretch): [from: number, to: number] {
  const [start, end] = [from, to].map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5)));
  return [start ?? 0, (end ?? 0) > (start ?? 0) ? (end ?? 0) : (end ?? 0) + DAY_MINUTES];
}

/** `08:15`; the end of the day is `00:00`. */
export function timeOf(minutes: number): string {
  const ofDay = ((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  return `${String(Math.floor(ofDay / 60)).padStart(2, "0")}:${String(ofDay % 60).padStart(2, "0")}`;
}

export type Edge = "from" | "to";

/** Where an edge may be dragged, in minutes of the day on which the stretch begins. */
export function limitsOf(stretch: Stretch, edge: Edge): [least: number, most: number] {
  const [from, to] = minutesOf(stretch);
  // From midnight to midnight is the whole day; at any other time, an end that is the beginning leaves nothing.
  if (edge === "to") return [from + SHORTEST, from === 0 ? DAY_MINUTES : from + DAY_MINUTES - SHORTEST];
  const least = to <= DAY_MINUTES ? 0 : to - DAY_MINUTES + SHORTEST;
  return [least, Math.min(to, DAY_MINUTES) - SHORTEST];
}

/** With one edge at these minutes, or as near as it may. */
export function withEdge(stretch: Stretch, edge: Edge, minutes: number): Stretch {
  const [least, most] = limitsOf(stretch, edge);
  return { ...stretch, [edge]: timeOf(Math.min(most, Math.max(least, minutes))) };
}

export function dayName(day: Day, length: "long" | "short" = "long"): string {
  // 2024-01-01 was a Monday.
  const date = Date.UTC(2024, 0, 1 + DAYS.indexOf(day));
  return new Intl.DateTimeFormat(language.value, { weekday: length, timeZone: "UTC" }).format(date);
}

/** `Mon–Fri 06:30–08:00, Sat 09:00–10:00`. */
export function planInWords(plan: readonly PlanEntry[]): string {
  return plan.map(({ days, from, to }) => `${daysInWords(days)} ${from}–${to}`).join(", ");
}

function daysInWords(days: readonly Day[]): string {
  const places = DAYS.flatMap((day, index) => (days.includes(day) ? [index] : []));
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const isRow = places.length > 2 && last - first === places.length - 1;
  const shown = isRow ? [first, last] : places;
  return shown.map((place) => dayName(DAYS[place] ?? "mon", "short")).join(isRow ? "–" : ", ");
}
