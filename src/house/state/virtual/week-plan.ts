// A weekly plan: stretches of the week on the clock on the wall, and whether a moment is in one of them. When the clocks are put
// forward, a time that is left out is the moment of the change; when they are put back, a time that comes twice is the first.
import { type Static, Type } from "@sinclair/typebox";
import { HubError } from "../../../kit/schema/errors.ts";
import { WEEKDAYS } from "../../../kit/time/weekdays.ts";
import type { Zone } from "../../../kit/time/zone.ts";

const closed = { additionalProperties: false } as const;
const MAX_ENTRIES = 100;

export const PlanEntry = Type.Object(
  {
    days: Type.Array(Type.Union(WEEKDAYS.map((day) => Type.Literal(day))), {
      minItems: 1,
      maxItems: 7,
      description: "The days on which it begins",
    }),
    from: Type.String({
      pattern: "^([01]?[0-9]|2[0-3]):[0-5][0-9]$",
      problem: 'must be a time of day from "00:00" to "23:59"',
      description: "`HH:MM`",
    }),
    to: Type.String({
      pattern: "^(([01]?[0-9]|2[0-3]):[0-5][0-9]|24:00)$",
      problem: 'must be a time of day from "00:00" to "24:00"',
      description: "`HH:MM`; up to `from` it is of the next day",
    }),
  },
  closed,
);
export const WeekPlan = Type.Array(PlanEntry, {
  maxItems: MAX_ENTRIES,
  description: "When it is on; entries may overlap",
});
export type PlanEntry = Static<typeof PlanEntry>;
export type WeekPlan = readonly Readonly<PlanEntry>[];

/** What holds in [since, until), both in epoch ms; `until` is undefined where it always stays so. */
export interface PlanState {
  readonly on: boolean;
  readonly since: number;
  readonly until: number | undefined;
}

/** With days in the order of the week and times of two digits. Throws HubError `invalid`. */
export function readWeekPlan(plan: WeekPlan): PlanEntry[] {
  return plan.map(({ days, from, to }, index) => {
    const entry = { days: WEEKDAYS.filter((day) => days.includes(day)), from: withZero(from), to: withZero(to) };
    if (entry.from !== entry.to) return entry;
    const advice = 'for a whole day, write "00:00" and "24:00"';
    throw new HubError("invalid", `plan[${index}].to: it would end when it begins: ${advice}`);
  });
}

function withZero(time: string): string {
  return time.padStart(5, "0");
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
// A stretch within the hour that a change of the clocks leaves out is missing in one week.
const DAYS_AHEAD = 16;

export function planAt(plan: WeekPlan, zone: Zone, at: number): PlanState {
  const today = Math.floor((at + zone.at(at).offsetMs) / DAY_MS);
  const days = Array.from({ length: DAYS_AHEAD + 2 }, (_, index) => today - 1 + index);
  const stretches = joined(days.flatMap((day) => stretchesOf(plan, day, zone)));
  const begin = instantOf(zone, (today - 1) * DAY_MS);
  const end = instantOf(zone, (today + DAYS_AHEAD) * DAY_MS);
  const present = stretches.find(({ from, to }) => from <= at && at < to);
  if (present) return { on: true, since: present.from, until: present.to >= end ? undefined : present.to };
  const since = stretches.findLast(({ to }) => to <= at)?.to ?? begin;
  return { on: false, since, until: stretches.find(({ from }) => from > at)?.from };
}

/** [from, to) in epoch ms. */
interface Stretch {
  from: number;
  to: number;
}

/** Those that begin on a day, which is counted from 1970-01-01. */
function stretchesOf(plan: WeekPlan, day: number, zone: Zone): Stretch[] {
  const weekday = WEEKDAYS[(day + 3) % 7];
  return plan
    .filter(({ days }) => days.some((one) => one === weekday))
    .map(({ from, to }) => {
      const endDay = to > from ? day : day + 1;
      return { from: instantOf(zone, day * DAY_MS + msIn(from)), to: instantOf(zone, endDay * DAY_MS + msIn(to)) };
    })
    .filter(({ from, to }) => to > from);
}

function msIn(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
}

/** In their order, with those that overlap or touch as one. */
function joined(stretches: Stretch[]): Stretch[] {
  const all: Stretch[] = [];
  for (const stretch of stretches.sort((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && stretch.from <= last.to) last.to = Math.max(last.to, stretch.to);
    else all.push({ ...stretch });
  }
  return all;
}

/** `local`: the time on the wall, in ms as if the place were in UTC. */
function instantOf(zone: Zone, local: number): number {
  // No place is more than 14 hours from UTC: this is before the moment, and less than two days.
  const before = zone.at(local - DAY_MS);
  const at = local - before.offsetMs;
  if (at < before.until) return at;
  return Math.max(local - zone.at(before.until).offsetMs, before.until);
}
