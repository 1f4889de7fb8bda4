// When the sun rises and sets at a place, to a minute or two: a check of the place, and the nights in plots. The hub computes its own.
const DAY_MS = 86_400_000;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;
/** Refraction, and half the disc. */
const HORIZON = radians(-0.833);

/** Epoch ms; undefined where it does neither on that day. */
interface Place {
  latitude: number;
  longitude: number;
}

export function sunTimes({ latitude, longitude }: Place, now = Date.now()): { rise: number; set: number } | undefined {
  // Days since noon of 2000-01-01, at the place's own noon.
  const day = Math.round(now / DAY_MS - 10_957.5 + longitude / 360) - longitude / 360;
  const anomaly = radians((357.5291 + 0.98560028 * day) % 360);
  const center = 1.9148 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly) + 0.0003 * Math.sin(3 * anomaly);
  const ecliptic = anomaly + radians(center + 180 + 102.9372);
  const noon = day + 0.0053 * Math.sin(anomaly) - 0.0069 * Math.sin(2 * ecliptic);
  const declination = Math.asin(Math.sin(ecliptic) * Math.sin(radians(23.4397)));
  const phi = radians(latitude);
  const cosine = (Math.sin(HORIZON) - Math.sin(phi) * Math.sin(declination)) / (Math.cos(phi) * Math.cos(declination));
  if (Math.abs(cosine) > 1) return undefined;
  const half = Math.acos(cosine) / (2 * Math.PI);
  const at = (days: number): number => (days + 10_957.5) * DAY_MS;
  return { rise: at(noon - half), set: at(noon + half) };
}

/** Longer ones would be all stripes. */
const MAX_NIGHTS_MS = 62 * DAY_MS;

/** From sunset to sunrise, within the window. None where the sun stays up or down for days. */
export function nightsIn(place: Place, { from, to }: { from: number; to: number }): { from: number; to: number }[] {
  if (to - from > MAX_NIGHTS_MS) return [];
  const nights: { from: number; to: number }[] = [];
  for (let day = from - DAY_MS; day <= to + DAY_MS; day += DAY_MS) {
    const [evening, morning] = [sunTimes(place, day), sunTimes(place, day + DAY_MS)];
    if (!evening || !morning) continue;
    const night = { from: Math.max(from, evening.set), to: Math.min(to, morning.rise) };
    if (night.from < night.to) nights.push(night);
  }
  return nights;
}
