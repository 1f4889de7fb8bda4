// What a single entry of a calendar may ask for. The library that works rules out has no bounds of its own: it walks through them
// second by second and day by day.
import ICAL from "ical.js";

/** Says, as the end of a sentence, why an entry is left out. */
export class EntryFault extends Error {}

const DAY_SECS = 86_400;
const YEAR_SECS = 366 * DAY_SECS;
const MAX_DURATION_YEARS = 20;
const MAX_INTERVAL_YEARS = 1000;
/** Of one rule of a time zone, from its beginning up to some years from now. */
const MAX_CHANGES = 2000;
const YEARS_AHEAD = 20;

const UNIT_SECS: Readonly<Record<string, number>> = {
  SECONDLY: 1,
  MINUTELY: 60,
  HOURLY: 3600,
  DAILY: DAY_SECS,
  WEEKLY: 7 * DAY_SECS,
  MONTHLY: 31 * DAY_SECS,
  YEARLY: YEAR_SECS,
};

/** Throws EntryFault. */
export function checkEvent(component: ICAL.Component): void {
  if (!component.hasProperty("dtstart")) throw new EntryFault("it has no DTSTART");
  const duration: unknown = component.getFirstPropertyValue("duration");
  if (duration instanceof ICAL.Duration) checkDuration(duration);
  for (const rule of rulesOf(component)) checkInterval(rule);
}

/** Throws EntryFault. */
export function checkDuration(duration: ICAL.Duration): void {
  if (!(Math.abs(duration.toSeconds()) <= MAX_DURATION_YEARS * YEAR_SECS))
    throw new EntryFault(`its DURATION is longer than ${MAX_DURATION_YEARS} years`);
}

/** Throws EntryFault. */
export function checkZone(component: ICAL.Component): void {
  const parts = component.getAllSubcomponents();
  if (!parts.some((part) => part.hasProperty("tzoffsetto") && part.hasProperty("dtstart")))
    throw new EntryFault("it says nothing about its time");
  const lastYear = ICAL.Time.now().year + YEARS_AHEAD;
  for (const part of parts) {
    const start: unknown = part.getFirstPropertyValue("dtstart");
    for (const rule of rulesOf(part)) {
      if (rule.freq !== "YEARLY" && rule.freq !== "MONTHLY")
        throw new EntryFault(`its clocks change ${rule.freq}: only MONTHLY and YEARLY are read`);
      checkInterval(rule);
      if (start instanceof ICAL.Time) checkChanges(rule, start, lastYear);
    }
  }
}

function checkChanges(rule: ICAL.Recur, start: ICAL.Time, lastYear: number): void {
  const iterator = rule.iterator(start);
  for (let count = 0; count <= MAX_CHANGES; count++) {
    const next = iterator.next() as ICAL.Time | undefined;
    if (!next || next.year > lastYear) return;
  }
  throw new EntryFault(`its clocks change more than ${MAX_CHANGES} times`);
}

function checkInterval({ freq, interval }: ICAL.Recur): void {
  if (!(interval * (UNIT_SECS[freq] ?? 1) <= MAX_INTERVAL_YEARS * YEAR_SECS))
    throw new EntryFault(`its RRULE has an INTERVAL of more than ${MAX_INTERVAL_YEARS} years`);
}

function rulesOf(component: ICAL.Component): ICAL.Recur[] {
  return ["rrule", "exrule"].flatMap((name) =>
    component.getAllProperties(name).flatMap((property) => property.getValues() as ICAL.Recur[]),
  );
}
