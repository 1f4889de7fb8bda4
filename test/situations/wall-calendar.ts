// A model of every minute of a year, as a person with a calendar, a wall clock and an almanac would see it. Slow and simple
// on purpose; it shares no code with the schedules of the rules.
import type { Place } from "../../src/kit/time/sun.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What the clock on the wall shows. */
export interface Wall {
  minute: number;
  hour: number;
  day: number;
  month: number;
  /** Monday is 1. */
  weekday: number;
}

/** A minute of real time, and what the wall clock shows in it. */
export interface Minute {
  at: number;
  wall: Wall;
  /** The clocks were put back: this has been shown before. */
  again: boolean;
  /** The times that were skipped, because the clocks were put forward to this one. */
  skipped: readonly Wall[];
}

export function minutesOf(timeZone: string, { from, until }: { from: number; until: number }): Minute[] {
  const minutes: Minute[] = [];
  let next: Temporal.PlainDateTime | undefined;
  for (let at = from; at < until; at += MINUTE_MS) {
    const time = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDateTime();
    const skipped: Wall[] = [];
    for (; next && Temporal.PlainDateTime.compare(next, time) < 0; next = next.add({ minutes: 1 }))
      skipped.push(wallOf(next));
    const again = next !== undefined && Temporal.PlainDateTime.compare(time, next) < 0;
    minutes.push({ at, wall: wallOf(time), again, skipped });
    if (!again) next = time.add({ minutes: 1 });
  }
  return minutes;
}

function wallOf({ minute, hour, day, month, dayOfWeek }: Temporal.PlainDateTime): Wall {
  return { minute, hour, day, month, weekday: dayOfWeek };
}

/** A time of every day, or of some days. */
export interface Meant {
  /** Whether it is for this minute. */
  meant: (wall: Wall) => boolean;
  /** Follows real time on the nights the clocks change. */
  wild?: boolean;
}

/** As a person would expect: a skipped time counts when the clock has jumped, and a time that is shown twice counts once. */
export function expectedOnTheWall({ meant, wild = false }: Meant, minutes: readonly Minute[]): number[] {
  return minutes
    .filter(({ wall, again, skipped }) => (wild || !again ? meant(wall) : false) || (!wild && skipped.some(meant)))
    .map(({ at }) => at);
}

/** How high the sun stands, in degrees: the Astronomical Almanac's formula of low precision. */
function altitudeOf(at: number, { latitude, longitude }: Place): number {
  const radians = Math.PI / 180;
  const days = at / DAY_MS - 10957.5;
  const anomaly = (357.528 + 0.9856003 * days) * radians;
  const meanLongitude = 280.46 + 0.9856474 * days;
  const ecliptic = (meanLongitude + 1.915 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly)) * radians;
  const tilt = (23.439 - 0.0000004 * days) * radians;
  const declination = Math.asin(Math.sin(tilt) * Math.sin(ecliptic));
  const ascension = Math.atan2(Math.cos(tilt) * Math.sin(ecliptic), Math.cos(ecliptic));
  const hourAngle = (280.46062 + 360.98564737 * days + longitude) * radians - ascension;
  const height =
    Math.sin(latitude * radians) * Math.sin(declination) +
    Math.cos(latitude * radians) * Math.cos(declination) * Math.cos(hourAngle);
  return Math.asin(height) / radians;
}

/** The minutes in which the upper limb of the sun passes the horizon, with refraction. */
export function crossingsOf(minutes: readonly Minute[], place: Place): { up: number[]; down: number[] } {
  const crossings = { up: [] as number[], down: [] as number[] };
  let isUp: boolean | undefined;
  for (const { at } of minutes) {
    const now = altitudeOf(at, place) > -0.833;
    if (isUp !== undefined && now !== isUp) crossings[now ? "up" : "down"].push(at);
    isUp = now;
  }
  return crossings;
}

/** The instants at which the clocks change. */
export function changesOf(minutes: readonly Minute[]): number[] {
  return minutes
    .filter(({ again, skipped }, index) => skipped.length > 0 || (again && minutes[index - 1]?.again === false))
    .map(({ at }) => at);
}
