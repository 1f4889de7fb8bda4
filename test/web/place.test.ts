// What the page knows of the world by itself: its cities, and when the sun rises and sets there.
import { expect, test } from "bun:test";
import { createSun } from "../../src/kit/time/sun.ts";
import { isTimeZone } from "../../src/kit/time/zone.ts";
import { CITIES, citiesNamed, cityNear } from "../../src/page/model/place/cities.ts";
import { sunTimes } from "../../src/page/model/place/sun-times.ts";

const HOUR_MS = 3_600_000;
const DAYS = ["2026-01-05", "2026-03-20", "2026-06-21", "2026-11-22"];

test("every city is on earth, in a time zone the hub knows, and no name stands twice", () => {
  const wrong = CITIES.filter(
    ({ latitude, longitude, timezone }) =>
      !(Math.abs(latitude) <= 90) || !(Math.abs(longitude) <= 180) || !isTimeZone(timezone),
  );
  expect(wrong).toEqual([]);
  const names = CITIES.map(({ names: [name] }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test("every city's clock is near its sun: no longitude has the wrong sign", () => {
  const far = CITIES.filter(({ longitude, timezone }) => {
    const noon = Temporal.Instant.from("2026-01-15T12:00:00Z").toZonedDateTimeISO(timezone);
    const hours = noon.offsetNanoseconds / 1e9 / 3600 - longitude / 15;
    const off = ((((hours + 12) % 24) + 24) % 24) - 12;
    // The west of China keeps Beijing's time.
    return Math.abs(off) > 3.6;
  });
  expect(far.map(({ names }) => names[0])).toEqual([]);
});

test("a city is found by its beginning, in both languages, without accents", () => {
  const first = (text: string) => citiesNamed(text, 3)[0]?.names[0];
  expect(["munch", "münch", "MUENCHEN".toLowerCase(), "zuri", "sao pau", "köln"].map(first)).toEqual([
    ...["Munich", "Munich", undefined, "Zurich", "São Paulo", "Cologne"],
  ]);
  expect(citiesNamed(" ", 3)).toEqual([]);
  expect(cityNear(48.2, 11.5)?.names[0]).toBe("Munich");
  expect(cityNear(-17, -179)?.timezone).toBe("Pacific/Fiji");
});

test("the sun rises and sets when the hub says so, to five minutes, wherever people live", () => {
  const wrong: string[] = [];
  for (const { latitude, longitude, names } of CITIES.filter(({ latitude }) => Math.abs(latitude) < 60)) {
    const sun = createSun({ latitude, longitude });
    for (const day of DAYS) {
      const noon = Date.parse(`${day}T12:00:00Z`) - (longitude / 15) * HOUR_MS;
      const times = sunTimes({ latitude, longitude }, noon);
      const rise = sun.around({ event: "sunrise", offsetMinutes: 0 }, noon).previous ?? 0;
      const set = sun.around({ event: "sunset", offsetMinutes: 0 }, noon).next ?? 0;
      const off = Math.max(Math.abs((times?.rise ?? 0) - rise), Math.abs((times?.set ?? 0) - set));
      if (off > 300_000) wrong.push(`${names[0]} ${day}: ${Math.round(off / 60_000)} min`);
    }
  }
  expect(wrong).toEqual([]);
  expect(sunTimes({ latitude: 69.65, longitude: 18.95 }, Date.parse("2026-06-21T12:00:00Z"))).toBeUndefined();
});
