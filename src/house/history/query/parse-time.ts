// Parses times and bucket sizes as people write them in a query.
import type { Zone } from "../../../kit/time/zone.ts";

/** From the epoch to the end of the year 9999. */
const LATEST_MS = 253_402_300_799_999;

const SECONDS = /^\d{1,12}(\.\d{1,3})?$/;
const DATE = "\\d{4}-\\d{2}-\\d{2}";
const LOCAL = new RegExp(`^${DATE}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?)?$`);
const OFFSET = new RegExp(`^${DATE}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:?\\d{2})$`);

export const TIME_FORMS =
  "must be a time such as 2026-01-31T18:00:00Z or 2026-01-31T18:00 (local), a date, or seconds since 1970";

/** Epoch ms; undefined where it is not a time. A date is its local midnight; a time without an offset is local. */
export function parseTime(text: string, zone: Zone): number | undefined {
  // An unescaped + arrives as a space.
  const written = text.replace(/ (?=\d{2}:?\d{2}$)/, "+").replace(/[tz]/g, (letter) => letter.toUpperCase());
  const ms = SECONDS.test(written) ? Math.round(Number(written) * 1000) : instantOf(written, zone);
  return ms !== undefined && ms >= 0 && ms <= LATEST_MS ? ms : undefined;
}

function instantOf(text: string, zone: Zone): number | undefined {
  try {
    if (OFFSET.test(text)) return Temporal.Instant.from(text).epochMilliseconds;
    if (!LOCAL.test(text)) return undefined;
    // Where the clock skips midnight, the day begins with its first moment.
    return text.includes("T")
      ? Temporal.PlainDateTime.from(text).toZonedDateTime(zone.name).epochMilliseconds
      : Temporal.PlainDate.from(text).toZonedDateTime(zone.name).epochMilliseconds;
  } catch {
    // The form is right, but the day or hour does not exist.
    return undefined;
  }
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const MAX_BUCKET_MS = 3660 * UNIT_MS.d;

export const BUCKET_FORMS =
  "must be seconds, or a whole number with s, m, h, d or w such as 15m or 1d; ten years at most";

export const BUCKET_PATTERN = "^(\\d{1,9})([smhdw])?$";
const BUCKET = new RegExp(BUCKET_PATTERN);

/** Milliseconds; undefined where it is not a size. */
export function parseBucket(text: string): number | undefined {
  const [, count, unit = "s"] = BUCKET.exec(text) ?? [];
  if (count === undefined) return undefined;
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return ms > 0 && ms <= MAX_BUCKET_MS ? ms : undefined;
}
