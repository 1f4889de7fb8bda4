// Sunrise, sunset and other solar events at one place, as instants: time zones and daylight saving do not matter.
//
// suncalc computes the position of the sun. Its own rising and setting times are an approximation that is wrong by hours, or
// by days, when the sun barely reaches the altitude in question (twilights in a northern summer, the ends of polar night).
// So the instant at which the sun passes an altitude is found by bisecting the half day in which it does.
import { getPosition, getTimes, type SunTimes } from "suncalc";

type Side = "morning" | "noon" | "evening" | "midnight";

// Name in modes.toml → suncalc's name, and the part of the solar day in which it happens.
const EVENTS = {
  night_end: ["nightEnd", "morning"],
  nautical_dawn: ["nauticalDawn", "morning"],
  dawn: ["dawn", "morning"],
  civil_dawn: ["dawn", "morning"],
  sunrise: ["sunrise", "morning"],
  sunrise_end: ["sunriseEnd", "morning"],
  golden_hour_end: ["goldenHourEnd", "morning"],
  solar_noon: ["solarNoon", "noon"],
  golden_hour: ["goldenHour", "evening"],
  sunset_start: ["sunsetStart", "evening"],
  sunset: ["sunset", "evening"],
  dusk: ["dusk", "evening"],
  civil_dusk: ["dusk", "evening"],
  nautical_dusk: ["nauticalDusk", "evening"],
  night_start: ["night", "evening"],
  nadir: ["nadir", "midnight"],
} as const satisfies Record<string, readonly [keyof SunTimes, Side]>;

export type SolarEvent = keyof typeof EVENTS;
export const SOLAR_EVENTS = Object.keys(EVENTS) as SolarEvent[];

/** A solar event with an offset: negative is before it. At most half a day. */
export interface SolarMoment {
  readonly event: SolarEvent;
  readonly offsetMinutes: number;
}

/** Epoch ms; undefined if there is none within 400 days. */
export interface Around {
  /** The last one until now. */
  previous: number | undefined;
  next: number | undefined;
}

export interface Sun {
  around(moment: SolarMoment, now: number): Around;
  /** Whether it is above the horizon, from sunrise to sunset. */
  isUp(at: number): boolean;
  /** Degrees above the horizon; negative below it. */
  elevation(at: number): number;
}

export interface Place {
  latitude: number;
  longitude: number;
}

const DAY_MS = 86_400_000;
const HALF_DAY_MS = DAY_MS / 2;
// The day for which suncalc computes the altitudes of the events.
const EQUINOX = new Date("2026-03-20T12:00:00Z");
// More than a year: at the poles there is one sunrise a year.
const SEARCH_DAYS = 400;

export function createSun(place: Place): Sun {
  const known = new Map<string, Around & { from: number; until: number }>();

  /** The solar day of an instant; it begins at solar midnight of the place. */
  const dayOf = (at: number): number => Math.floor(at / DAY_MS + place.longitude / 360);

  function search({ event, offsetMinutes }: SolarMoment, now: number): Around {
    const today = dayOf(now);
    const inDay = finderOf(event, place);
    const moments = function* (from: number, step: 1 | -1): Generator<number> {
      for (let days = 0; days <= SEARCH_DAYS; days++) {
        yield inDay(from + days * step) + offsetMinutes * 60_000;
      }
    };
    // With its offset, a moment may be in the day before or after that of its event.
    return {
      previous: moments(today + 1, -1).find((at) => at <= now),
      next: moments(today - 1, 1).find((at) => at > now),
    };
  }

  const horizon = altitudeOf("sunrise");
  const elevation = (at: number): number => getPosition(new Date(at), place.latitude, place.longitude).altitude;
  return {
    isUp: (at) => elevation(at) >= horizon,
    elevation,
    around(moment, now) {
      const key = `${moment.event} ${moment.offsetMinutes}`;
      const held = known.get(key);
      if (held && held.from <= now && now < held.until) return held;
      const found = search(moment, now);
      // If there is none within the search range, the next search is a day later.
      const from = found.previous ?? now;
      const until = found.next ?? now + DAY_MS;
      const around = { ...found, from, until };
      known.set(key, around);
      return around;
    },
  };
}

/** Returns a function from a solar day to the epoch ms of the event; NaN, which fails every comparison, for a day without it. */
function finderOf(event: SolarEvent, { latitude, longitude }: Place): (day: number) => number {
  const [name, side] = EVENTS[event];
  const altitude = altitudeOf(name);
  const isUp = (at: number): boolean => getPosition(new Date(at), latitude, longitude).altitude >= altitude;
  return function inDay(day) {
    const meanNoon = (day + 0.5 - longitude / 360) * DAY_MS;
    const noon = getTimes(new Date(meanNoon), latitude, longitude).solarNoon.getTime();
    if (side === "noon") return noon;
    if (side === "midnight") return noon - HALF_DAY_MS;
    return passing(isUp, side === "morning" ? noon - HALF_DAY_MS : noon + HALF_DAY_MS, noon);
  };
}

/** The altitude of the sun at an event, by `getPosition`. At the equator the sun rises steeply, and suncalc's times are exact. */
function altitudeOf(name: keyof SunTimes): number {
  const at = getTimes(EQUINOX, 0, 0)[name];
  return at instanceof Date ? getPosition(at, 0, 0).altitude : Number.NaN;
}

/** When the sun passes the altitude between solar midnight and noon, to the millisecond; NaN if it does not. */
function passing(isUp: (at: number) => boolean, midnight: number, noon: number): number {
  if (isUp(midnight) || !isUp(noon)) return Number.NaN;
  let dark = midnight;
  let light = noon;
  while (Math.abs(light - dark) > 1) {
    const middle = Math.trunc((dark + light) / 2);
    if (isUp(middle)) light = middle;
    else dark = middle;
  }
  return light;
}
