// Texts as times, by a format of Python's strptime. Read from left to right, without patterns: a format comes from a device.

export interface ReadTime {
  /** As if it were UTC. */
  ms: number;
  /** Undefined where the text names no zone. */
  offsetMs: number | undefined;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const LONG_MONTHS = [
  ...["january", "february", "march", "april", "may", "june"],
  ...["july", "august", "september", "october", "november", "december"],
];

interface Fields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  ms: number;
  isAfternoon: boolean | undefined;
  offsetMs: number | undefined;
}

interface Place {
  text: string;
  at: number;
}

/** What each directive takes of the text; false where that is something else. */
const DIRECTIVES: Readonly<Record<string, (place: Place, fields: Fields) => boolean>> = {
  Y: (place, fields) => number(place, 4, (value) => (fields.year = value)),
  y: (place, fields) => number(place, 2, (value) => (fields.year = value + (value < 69 ? 2000 : 1900))),
  m: (place, fields) => number(place, 2, (value) => (fields.month = value)),
  d: (place, fields) => number(place, 2, (value) => (fields.day = value)),
  H: (place, fields) => number(place, 2, (value) => (fields.hour = value)),
  I: (place, fields) => number(place, 2, (value) => (fields.hour = value)),
  M: (place, fields) => number(place, 2, (value) => (fields.minute = value)),
  S: (place, fields) => number(place, 2, (value) => (fields.second = value)),
  f: fraction,
  b: (place, fields) => word(place, MONTHS, (at) => (fields.month = at + 1)),
  B: (place, fields) => word(place, LONG_MONTHS, (at) => (fields.month = at + 1)),
  p: (place, fields) => word(place, ["am", "pm"], (at) => (fields.isAfternoon = at === 1)),
  z: zone,
};

const ISO_FORMATS = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"];

/** `format`: of strptime, or `iso`. Undefined where the text is no such time. */
export function readTime(text: string, format: string): ReadTime | undefined {
  if (format !== "iso") return readBy(text.trim(), format);
  const plain = text.trim().replace(" ", "T");
  for (const one of ISO_FORMATS)
    for (const rest of ["", ".%f", "%z", ".%f%z"]) {
      const read = readBy(plain, one + rest);
      if (read) return read;
    }
  return undefined;
}

function readBy(text: string, format: string): ReadTime | undefined {
  const fields: Fields = {
    ...{ year: 1900, month: 1, day: 1, hour: 0, minute: 0, second: 0, ms: 0 },
    ...{ isAfternoon: undefined, offsetMs: undefined },
  };
  const place = { text, at: 0 };
  for (let at = 0; at < format.length; at++) {
    const char = format.charAt(at);
    if (char === "%" && format.charAt(at + 1) !== "%") {
      const name = format.charAt(++at);
      if (!Object.hasOwn(DIRECTIVES, name) || DIRECTIVES[name]?.(place, fields) !== true) return undefined;
    } else {
      if (char === "%") at++;
      if (text.charAt(place.at) !== char) return undefined;
      place.at++;
    }
  }
  return place.at === text.length ? timeOf(fields) : undefined;
}

function timeOf({ year, month, day, hour, minute, second, ms, isAfternoon, offsetMs }: Fields): ReadTime | undefined {
  const hours = isAfternoon === undefined ? hour : (hour % 12) + (isAfternoon ? 12 : 0);
  const at = new Date(Date.UTC(2000, month - 1, day, hours, minute, second, ms));
  at.setUTCFullYear(year, month - 1, day);
  const isReal = at.getUTCMonth() === month - 1 && at.getUTCDate() === day && hours < 24 && minute < 60 && second < 62;
  return isReal ? { ms: at.getTime(), offsetMs } : undefined;
}

function digits(place: Place, most: number): string {
  let end = place.at;
  while (end < place.text.length && end - place.at < most && /\d/.test(place.text.charAt(end))) end++;
  const found = place.text.slice(place.at, end);
  place.at = end;
  return found;
}

function number(place: Place, most: number, set: (value: number) => void): boolean {
  const found = digits(place, most);
  if (found !== "") set(Number(found));
  return found !== "";
}

function fraction(place: Place, fields: Fields): boolean {
  const found = digits(place, 6);
  fields.ms = Math.floor(Number(`0.${found || 0}`) * 1000);
  return found !== "";
}

function word(place: Place, words: readonly string[], set: (at: number) => void): boolean {
  const rest = place.text.slice(place.at, place.at + 10).toLowerCase();
  const at = words.findIndex((one) => rest.startsWith(one));
  if (at < 0) return false;
  place.at += words[at]?.length ?? 0;
  set(at);
  return true;
}

/** `Z`, `+0100` or `+01:00`. */
function zone(place: Place, fields: Fields): boolean {
  const found = /^(?:Z|([+-])(\d\d):?(\d\d))/.exec(place.text.slice(place.at, place.at + 6));
  if (!found) return false;
  const [whole, sign, hours = "0", minutes = "0"] = found;
  place.at += whole.length;
  fields.offsetMs = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return true;
}
