// How values are shown to people: as they are, or in a format that a placeholder names.
import type { Json } from "../schema/json.ts";
import { durationText, parseDuration } from "../time/duration.ts";
import { lazy } from "../time/lazy.ts";

export const FORMATS = ["number", "time", "date", "datetime", "duration"] as const;
export type FormatName = (typeof FORMATS)[number];

// Loading the data of a language takes milliseconds.
const inFull = lazy(() => new Intl.NumberFormat("en", { useGrouping: false, maximumSignificantDigits: 21 }));
const CEL_DURATION = /^-?[0-9]+(?:\.[0-9]+)?s$/;

/** A value as it was reported, and as people write it: without exponents, and without what only a computer adds; undefined for null. */
export function valueText(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "number") return numberText(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return value.map((item) => valueText(item) ?? "unknown").join(", ");
  return JSON.stringify(value);
}

/** In this format; undefined for a value that has none, such as the time of a colour. */
export function formattedText(
  value: Json | undefined,
  { name, digits = 0 }: { name: FormatName; digits?: number },
  timezone: string,
): string | undefined {
  if (name === "number") return fixedText(numberIn(value), digits);
  if (name === "duration") {
    const secs = secondsIn(value);
    return secs === undefined ? undefined : durationText(secs);
  }
  const at = momentIn(value);
  return at === undefined ? undefined : localText(at, timezone)[name];
}

/** Epoch ms on the clock of the house: `2026-11-21`, `14:02`, and both. */
export function localText(at: number, timezone: string): Record<"date" | "time" | "datetime", string> {
  const local = Temporal.Instant.fromEpochMilliseconds(Math.round(at)).toZonedDateTimeISO(timezone).toPlainDateTime();
  const [date = "", time = ""] = local.toString({ smallestUnit: "minute" }).split("T");
  return { date, time, datetime: `${date} ${time}` };
}

function numberText(value: number): string | undefined {
  if (!Number.isFinite(value)) return undefined;
  const meant = withoutNoise(value);
  const text = String(meant);
  return text.includes("e") ? inFull().format(meant) : text;
}

/** Sums have noise behind the 15th digit (0.1 + 0.2), and numbers of 32 bits behind the ninth (21.399999618530273 is 21.4). */
function withoutNoise(value: number): number {
  if (Number.isInteger(value)) return value;
  const rounded = (digits: number): number => Number(value.toPrecision(digits));
  if (Math.fround(value) !== value || rounded(9) === value) return rounded(15);
  const digits = [6, 7, 8, 9].find((some) => Math.fround(rounded(some)) === value);
  return rounded(digits ?? 15);
}

function fixedText(value: number | undefined, digits: number): string | undefined {
  if (value === undefined) return undefined;
  const options = { useGrouping: false, minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat("en", options).format(value).replace(/^-(0(?:\.0+)?)$/, "$1");
}

/** Some devices report numbers as texts. */
export function numberIn(value: Json | undefined): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Seconds, `"90s"` as CEL gives durations, or `"5m"`. */
function secondsIn(value: Json | undefined): number | undefined {
  if (typeof value === "string" && CEL_DURATION.test(value)) return Number(value.slice(0, -1));
  return typeof value === "string" ? parseDuration(value) : numberIn(value);
}

const MAX_MS = 8.64e15;

/** An ISO time, as CEL gives timestamps, or epoch seconds or ms. */
function momentIn(value: Json | undefined): number | undefined {
  if (typeof value === "string" && !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  const at = typeof value === "string" ? Date.parse(value) : (numberIn(value) ?? Number.NaN);
  const ms = typeof value === "number" && Math.abs(at) < 1e11 ? at * 1000 : at;
  return Math.abs(ms) <= MAX_MS ? ms : undefined;
}
