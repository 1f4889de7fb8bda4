// Larger cities of the world: found by name, or by being near. cities.json has them by time zone: `name/other name latitude longitude, …`,
// rounded to a tenth of a degree or so, which is a minute of the sun.
import zones from "./cities.json";

export interface City {
  names: readonly string[];
  latitude: number;
  longitude: number;
  timezone: string;
}

export const CITIES: readonly City[] = Object.entries(zones).flatMap(([timezone, list]) =>
  list.split(", ").map((entry): City => {
    const [, names = "", latitude, longitude] = /^(.+) (-?[\d.]+) (-?[\d.]+)$/.exec(entry) ?? [];
    return { names: names.split("/"), latitude: Number(latitude), longitude: Number(longitude), timezone };
  }),
);

/** Without accents, in small letters. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").replace("ß", "ss").toLowerCase().trim();
}

/** Those that begin so come before those that have it inside. */
export function citiesNamed(text: string, most: number): City[] {
  const wanted = plain(text);
  if (wanted === "") return [];
  const at = ({ names }: City): number => {
    const places = names.map((name) => plain(name).indexOf(wanted)).filter((place) => place >= 0);
    return places.length === 0 ? -1 : Math.min(...places);
  };
  return CITIES.map((city) => ({ city, place: at(city) }))
    .filter(({ place }) => place >= 0)
    .sort((a, b) => Math.sign(a.place) - Math.sign(b.place))
    .slice(0, most)
    .map(({ city }) => city);
}

/** For a time zone where there is nothing better. */
export function cityNear(latitude: number, longitude: number): City | undefined {
  const shrink = Math.cos((latitude * Math.PI) / 180);
  const distance = (city: City): number => {
    const around = Math.abs(city.longitude - longitude);
    return Math.hypot(city.latitude - latitude, Math.min(around, 360 - around) * shrink);
  };
  return CITIES.reduce<City | undefined>(
    (best, city) => (best === undefined || distance(city) < distance(best) ? city : best),
    undefined,
  );
}
