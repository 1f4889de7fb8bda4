// The sun's moments at one place, as instants: no time zone and no daylight saving has a part in them.
//
// suncalc says where the sun stands. Its own rising and setting times are an approximation that is off by hours, or by
// days, when the sun only just grazes the altitude in question (twilights in a northern summer, the ends of polar night).
// So the instant at which the sun passes an altitude is found by halving the half day in which it does.
import { getPosition, getTimes, type SunTimes } from "suncalc";

type Side = "morning" | "noon" | "evening" | "midnight";

// Name in modes.toml → suncalc's name, and the part of the solar day in which it falls.
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

/** A solar event, or so many minutes before (negative) or after it. At most half a day. */
export interface SolarMoment {
  readonly event: SolarEvent;
  readonly offsetMinutes: number;
}

/** Epoch ms; undefined where there is none within 400 days. */
export interface Around {
  /** The last one that is not after now. */
  previous: number | undefined;
  next: number | undefined;
}

export interface Sun {
  around(moment: SolarMoment, now: number): Around;
  /** Whether it is above the horizon, from sunrise to sunset. */
  isUp(at: number): boolean;
}

export interface Place {
  latitude: number;
  longitude: number;
}

const DAY_MS = 86_400_000;
const HALF_DAY_MS = DAY_MS / 2;
// The day on which suncalc is asked for the altitudes it means.
const EQUINOX = new Date("2026-03-20T12:00:00Z");
// More than a year: at the poles there is one sunrise in it.
const SEARCH_DAYS = 400;

export function createSun(place: Place): Sun {
  const known = new Map<string, Around & { from: number; until: number }>();

  /** The solar day an instant falls into; days begin at the place's own midnight by the sun. */
  const dayOf = (at: number): number => Math.floor(at / DAY_MS + place.longitude / 360);

  function search({ event, offsetMinutes }: SolarMoment, now: number): Around {
    const today = dayOf(now);
    const inDay = finderOf(event, place);
    const moments = function* (from: number, step: 1 | -1): Generator<number> {
      for (let days = 0; days <= SEARCH_DAYS; days++) {
        yield inDay(from + days * step) + offsetMinutes * 60_000;
      }
    };
    // With its offset a moment may lie in the day before or after its own.
    return {
      previous: moments(today + 1, -1).find((at) => at <= now),
      next: moments(today - 1, 1).find((at) => at > now),
    };
  }

  const horizon = altitudeOf("sunrise");
  return {
    isUp: (at) => getPosition(new Date(at), place.latitude, place.longitude).altitude >= horizon,
    around(moment, now) {
      const key = `${moment.event} ${moment.offsetMinutes}`;
      const held = known.get(key);
      if (held && held.from <= now && now < held.until) return held;
      const found = search(moment, now);
      // Where there is none within reach, it is looked for again the next day.
      const from = found.previous ?? now;
      const until = found.next ?? now + DAY_MS;
      const around = { ...found, from, until };
      known.set(key, around);
      return around;
    },
  };
}

/** Makes a finder from solar day to epoch ms of the event; NaN, which no comparison accepts, for a day without it. */
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

/** The altitude an event stands for, as `getPosition` sees it. At the equator nothing grazes, and suncalc's times are exact. */
function altitudeOf(name: keyof SunTimes): number {
  const at = getTimes(EQUINOX, 0, 0)[name];
  return at instanceof Date ? getPosition(at, 0, 0).altitude : Number.NaN;
}

/** When the sun goes up or down between its midnight and noon, to the millisecond; NaN where it does neither. */
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
