import { describe, expect, test } from "bun:test";
import { createSun, type Place, SOLAR_EVENTS, type SolarEvent } from "../../../src/kit/time/sun.ts";

const PLACES = {
  berlin: { latitude: 52.52, longitude: 13.405 },
  tromso: { latitude: 69.6492, longitude: 18.9553 },
  quito: { latitude: -0.1807, longitude: -78.4678 },
  auckland: { latitude: -36.8485, longitude: 174.7633 },
  kiritimati: { latitude: 1.8721, longitude: -157.4278 },
} as const;

const WALKED: SolarEvent[] = ["night_end", "sunrise", "solar_noon", "dusk", "night_start", "nadir"];
const DAY = 86_400_000;
const MINUTE = 60_000;
const utc = (text: string): number => Date.parse(`${text}Z`);
const iso = (ms: number | undefined): string | undefined => (ms === undefined ? ms : new Date(ms).toISOString());

// Computed with PyEphem 4.2.1 (XEphem's libastro: VSOP87, nothing in common with suncalc), by the U.S. Naval
// Observatory's convention: pressure 0, the upper limb on a horizon of -0°34' for sunrise and sunset, the centre at -6°
// and -12° for dawns and dusks. All times UTC, cut to the second.
const ALMANAC: [place: keyof typeof PLACES, after: string, event: SolarEvent, at: string][] = [
  // Berlin over the night in which the clocks go forward, and the one in which they go back.
  ["berlin", "2026-03-28T00:00", "sunrise", "2026-03-28T04:50:25"],
  ["berlin", "2026-03-28T00:00", "sunset", "2026-03-28T17:33:31"],
  ["berlin", "2026-03-29T00:00", "sunrise", "2026-03-29T04:48:04"],
  ["berlin", "2026-03-29T00:00", "sunset", "2026-03-29T17:35:16"],
  ["berlin", "2026-03-29T00:00", "dawn", "2026-03-29T04:13:37"],
  ["berlin", "2026-03-29T00:00", "nautical_dawn", "2026-03-29T03:32:13"],
  ["berlin", "2026-03-29T00:00", "night_end", "2026-03-29T02:48:04"],
  ["berlin", "2026-03-30T00:00", "sunrise", "2026-03-30T04:45:43"],
  ["berlin", "2026-10-24T00:00", "sunset", "2026-10-24T15:52:29"],
  ["berlin", "2026-10-25T00:00", "sunrise", "2026-10-25T05:49:41"],
  ["berlin", "2026-10-25T00:00", "sunset", "2026-10-25T15:50:26"],
  ["berlin", "2026-10-25T00:00", "civil_dusk", "2026-10-25T16:25:42"],
  ["berlin", "2026-10-26T00:00", "sunrise", "2026-10-26T05:51:30"],
  ["berlin", "2026-06-21T00:00", "sunset", "2026-06-21T19:33:14"],
  ["berlin", "2026-12-21T00:00", "sunrise", "2026-12-21T07:14:52"],
  ["berlin", "2026-12-21T00:00", "solar_noon", "2026-12-21T11:04:26"],
  // On the equator, west of Greenwich: the evening falls into the next day by UTC.
  ["quito", "2026-03-20T06:00", "sunrise", "2026-03-20T11:17:59"],
  ["quito", "2026-03-20T06:00", "sunset", "2026-03-20T23:24:30"],
  ["quito", "2026-12-21T06:00", "dusk", "2026-12-21T23:38:39"],
  // South, far east: the morning falls into the day before by UTC. Clocks go back there on 2026-04-05.
  ["auckland", "2026-04-04T12:00", "sunrise", "2026-04-04T18:37:26"],
  ["auckland", "2026-04-04T12:00", "sunset", "2026-04-05T06:09:31"],
  ["auckland", "2026-12-21T12:00", "sunset", "2026-12-22T07:40:05"],
  // Zone UTC+14 at a longitude of UTC-10:30: the local date is a whole day ahead of the sun's.
  ["kiritimati", "2026-01-01T10:00", "sunrise", "2026-01-01T16:32:55"],
  ["kiritimati", "2026-01-01T10:00", "sunset", "2026-01-02T04:34:04"],
  ["kiritimati", "2026-06-21T10:00", "sunset", "2026-06-22T04:38:32"],
  // Beyond the polar circle.
  ["tromso", "2026-03-20T00:00", "sunrise", "2026-03-20T04:43:55"],
  ["tromso", "2026-03-20T00:00", "sunset", "2026-03-20T17:01:32"],
  ["tromso", "2026-12-21T00:00", "dawn", "2026-12-21T08:31:15"],
  ["tromso", "2026-12-21T00:00", "dusk", "2026-12-21T12:53:10"],
  ["tromso", "2026-11-25T00:00", "sunrise", "2026-11-25T09:43:20"],
  ["tromso", "2026-05-16T00:00", "sunset", "2026-05-16T22:02:30"],
];

describe("against an almanac", () => {
  for (const [place, after, event, at] of ALMANAC) {
    test(`${place}: ${event} after ${after}`, () => {
      const { next } = createSun(PLACES[place]).around({ event, offsetMinutes: 0 }, utc(after));
      expect(Math.abs((next ?? 0) - utc(at)) / MINUTE).toBeLessThan(1);
    });
  }
});

describe("polar days", () => {
  const sun = createSun(PLACES.tromso);
  const around = (event: SolarEvent, now: string) => {
    const { previous, next } = sun.around({ event, offsetMinutes: 0 }, utc(now));
    return [previous, next].map((at) => iso(at)?.slice(0, 10));
  };

  test("in the polar night the last sunset was weeks ago, and the next sunrise is weeks ahead", () => {
    // The same source: up for 22 minutes on November 27th, then not before January 15th.
    expect(around("sunset", "2026-12-21T12:00")).toEqual(["2026-11-27", "2027-01-15"]);
    expect(around("sunrise", "2026-12-21T12:00")).toEqual(["2026-11-27", "2027-01-15"]);
  });

  test("under the midnight sun the last sunrise was weeks ago, and the next sunset is weeks ahead", () => {
    // The same source: up for good from May 17th 22:52, first down again on July 25th 22:36.
    expect(around("sunrise", "2026-06-21T12:00")).toEqual(["2026-05-17", "2026-07-25"]);
    expect(around("sunset", "2026-06-21T12:00")).toEqual(["2026-05-17", "2026-07-25"]);
  });

  test("at a pole nothing is found on most days, and nothing breaks", () => {
    for (const latitude of [90, -90]) {
      const pole = createSun({ latitude, longitude: 0 });
      for (const event of SOLAR_EVENTS) {
        const { previous, next } = pole.around({ event, offsetMinutes: 0 }, utc("2026-06-21T12:00"));
        expect(previous === undefined || previous <= utc("2026-06-21T12:00")).toBe(true);
        expect(next === undefined || next > utc("2026-06-21T12:00")).toBe(true);
      }
    }
  });
});

/** All moments of a span, found by going from one to the next. */
function walk(place: Place, event: SolarEvent, offsetMinutes: number): number[] {
  const sun = createSun(place);
  const moments: number[] = [];
  for (let now = utc("2026-01-01T00:00"); now < utc("2027-01-01T00:00"); ) {
    const { next } = sun.around({ event, offsetMinutes }, now);
    if (next === undefined) break;
    moments.push(next);
    now = next;
  }
  return moments;
}

describe("through a year", () => {
  const edges: Place[] = [
    ...Object.values(PLACES),
    { latitude: 0, longitude: 180 },
    { latitude: 0, longitude: -180 },
    // Where the night is very short in early summer: suncalc's own times are wrong by days there.
    { latitude: 53.25, longitude: 0 },
  ];
  for (const place of edges) {
    for (const offset of place === PLACES.berlin || place === PLACES.kiritimati ? [-720, 0, 720] : [0]) {
      test(`${place.latitude}, ${place.longitude}, ${offset} minutes: one a day, none twice, none lost`, () => {
        const noons = walk(place, "solar_noon", offset);
        expect(noons.length).toBeGreaterThanOrEqual(364);
        expect(noons.length).toBeLessThanOrEqual(366);
        for (const event of WALKED) {
          const moments = walk(place, event, offset);
          const gaps = moments.slice(1).map((at, index) => at - (moments[index] ?? 0));
          // A moment shifts from day to day, but never to the moment of another day.
          expect(Math.min(...gaps)).toBeGreaterThan(22 * 60 * MINUTE);
          // Away from the poles there is one every day, but for twilights in summer.
          if (Math.abs(place.latitude) < 50) expect(Math.max(...gaps)).toBeLessThan(25 * 60 * MINUTE);
        }
      });
    }
  }

  test("looking back finds the same moments as looking ahead", () => {
    const place = PLACES.tromso;
    for (const event of WALKED) {
      const ahead = walk(place, event, 90);
      const sun = createSun(place);
      for (const at of ahead) {
        expect(sun.around({ event, offsetMinutes: 90 }, at).previous).toBe(at);
        expect(sun.around({ event, offsetMinutes: 90 }, at - 1).next).toBe(at);
      }
    }
  });

  test("a cached moment equals a computed one", () => {
    const place = PLACES.berlin;
    const remembering = createSun(place);
    const start = utc("2026-05-10T00:00");
    for (let step = 0; step < 400; step++) {
      // Back and forth, by uneven steps.
      const now = start + (step % 7 === 3 ? -1 : 1) * step * 5 * 3_600_001;
      const moment = { event: "night_start", offsetMinutes: -45 } as const;
      const { previous, next } = remembering.around(moment, now);
      const anew = createSun(place).around(moment, now);
      expect([iso(previous), iso(next)]).toEqual([iso(anew.previous), iso(anew.next)]);
    }
  });

  test("an offset moves the moment, also over midnight", () => {
    const sun = createSun(PLACES.berlin);
    const at = sun.around({ event: "sunset", offsetMinutes: 0 }, utc("2026-03-29T00:00")).next ?? 0;
    expect(sun.around({ event: "sunset", offsetMinutes: 720 }, at).next).toBe(at + DAY / 2);
    expect(sun.around({ event: "sunset", offsetMinutes: -720 }, at - DAY / 2 - 1).next).toBe(at - DAY / 2);
  });
});
