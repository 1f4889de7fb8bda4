// Values, spans, days and names as the sentences about rules have them, without a look at the house.
import { language, textFor } from "../../texts/index.ts";
import type { Json } from "../device/json.ts";
import type { Fields } from "./rule.ts";

const MAX_CHARS = 120;
/** Keeps its own direction inside a sentence of the other one. */
export function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

export function quoted(value: unknown): string {
  const whole = text(value).replace(/\s+/g, " ");
  return isolated(whole.length > MAX_CHARS ? `${whole.slice(0, MAX_CHARS)}…` : whole);
}

export function listed(words: readonly string[], type: "conjunction" | "disjunction" = "conjunction"): string {
  return new Intl.ListFormat(language.value, { type }).format(words);
}

const SPANS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, min: 60, h: 3600, d: 86_400, w: 604_800 };

/** The seconds of `90`, `"5m"` and `"1h30m"`; undefined for what is no span, such as a formula. */
export function secondsOf(value: Json | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^(\s*\d+(\.\d+)?\s*(ms|min|[smhdw]))+\s*$/.test(value)) return undefined;
  return [...value.matchAll(/(\d+(?:\.\d+)?)\s*(ms|min|[smhdw])/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (SPANS[unit] ?? 0),
    0,
  );
}

/** A span as a rule has it: `5 min`, or what is written. */
export function span(value: Json | undefined): string {
  const seconds = secondsOf(value);
  return seconds === undefined ? quoted(value) : duration(seconds);
}

/** `5 min`, `1 h 30 min`: the two largest units that say something. */
export function duration(seconds: number): string {
  const units = [
    ["day", 86_400],
    ["hour", 3600],
    ["minute", 60],
    ["second", 1],
  ] as const;
  let rest = seconds;
  const words = units.flatMap(([unit, size]) => {
    const count = unit === "second" ? rest : Math.floor(rest / size);
    rest -= count * size;
    const style = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 } as const;
    return count > 0 ? [new Intl.NumberFormat(language.value, style).format(count)] : [];
  });
  return words.length === 0 ? inSeconds() : words.slice(0, 2).join(" ");
}

function inSeconds(): string {
  return new Intl.NumberFormat(language.value, { style: "unit", unit: "second", unitDisplay: "short" }).format(0);
}

export function devicesOf({ device_id, device_ids }: Fields): string[] | undefined {
  if (typeof device_id === "string") return [device_id];
  return Array.isArray(device_ids) ? device_ids.map(text) : undefined;
}

export function typeWords(type: string): string {
  return textFor(`kind_name.${type}`) ?? isolated(type.replaceAll("_", " "));
}

export function attributeWords(name: string): string {
  return textFor(`inline.attribute.${name}`) ?? isolated(name.replace(/_pct$/, "").replaceAll("_", " "));
}

const SUNDAY = Date.UTC(2024, 0, 7);
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

export function dayWords(days: Json | undefined): string {
  const format = new Intl.DateTimeFormat(language.value, { weekday: "short", timeZone: "UTC" });
  const wanted = Array.isArray(days) ? days.map(text) : [];
  return wanted
    .map((day) => (WEEKDAYS.includes(day) ? format.format(SUNDAY + WEEKDAYS.indexOf(day) * 86_400_000) : isolated(day)))
    .join(", ");
}
