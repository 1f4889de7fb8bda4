// Dates, times of day, and moments as texts: which are good, and in full as ISO 8601 says them.

/** As JSON Schema names them. */
export type DateFormat = "date" | "time" | "date-time";

/** For a refusal: must be … */
export const DATE_NEEDED: Readonly<Record<DateFormat, string>> = {
  date: 'a date such as "2026-11-27"',
  time: 'a time of day such as "06:30" or "06:30:00"',
  "date-time": 'a date and a time with its zone, such as "2026-11-27T06:30:00+01:00" or "2026-11-27T05:30:00Z"',
};

const FULL: Readonly<Record<DateFormat, (text: string, zone?: string) => string | undefined>> = {
  date: (text) => quietly(/^\d{4}-\d\d-\d\d/, text, () => Temporal.PlainDate.from(text).toString()),
  time: (text) =>
    quietly(/^\d\d:\d\d(:\d\d(\.\d{1,9})?)?$/, text, () => isoTime(Temporal.PlainTime.from(text).toString())),
  "date-time": (text, zone) =>
    quietly(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i, text, () => {
      const [, local = text, end] = /^(.*?)(Z|[+-]\d\d:?\d\d)?$/i.exec(text) ?? [];
      const plain = Temporal.PlainDateTime.from(local);
      if (end !== undefined) return `${isoTime(plain.toString())}${/^z$/i.test(end) ? "+00:00" : end}`;
      return zone && `${isoTime(plain.toZonedDateTime(zone).toInstant().toString().replace("Z", ""))}+00:00`;
    }),
};

/** `06:30` as `06:30:00`; undefined for what is none. `zone`: of a moment that names none; without it, that is none. */
export function fullDate(format: DateFormat, text: string, zone?: string): string | undefined {
  return FULL[format](text, zone);
}

/** What is wrong with a value of this format of a schema; undefined for a good one, and for other formats. Any zone will do, or none. */
export function dateProblem(format: unknown, value: unknown): string | undefined {
  if (format !== "date" && format !== "time" && format !== "date-time") return undefined;
  const text = typeof value !== "string" ? "" : format === "time" ? value.replace(/(Z|[+-]\d\d:?\d\d)$/i, "") : value;
  return fullDate(format, text, "UTC") === undefined ? `must be ${DATE_NEEDED[format]}` : undefined;
}

function quietly(shape: RegExp, text: string, read: () => string | undefined): string | undefined {
  try {
    return shape.test(text) ? read() : undefined;
  } catch {
    return undefined;
  }
}

/** `06:30` is `06:30:00`: there are devices that take nothing shorter. */
const isoTime = (text: string): string => (/(^|T)\d\d:\d\d$/.test(text) ? `${text}:00` : text);
