// Moments to the second, ages and spans, as lists and feeds show them.
import { formatAge as age, formatMoment, formatNumber, language } from "../../texts/index.ts";

/** `22 Nov 2026, 14:02:31`. */
export function formatExact(at: string | number): string {
  return Number.isNaN(new Date(at).getTime()) ? String(at) : formatMoment(at);
}

export function formatValue(value: number): string {
  return formatNumber(value);
}

/** As `formatAge` of the texts; a clock that is a little behind the hub's does not say "in 1 second" of the past. */
export function formatAge(at: string | number, now: number): string {
  const ahead = new Date(at).getTime() - now;
  return age(ahead > 0 && ahead < 2000 ? now : at, now);
}

/** `4:12`, `1:04:12`, `2 d 1:04:12`. */
export function formatCountdown(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const two = (value: number): string => String(value).padStart(2, "0");
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
  ];
  const clock = days + hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
  return days > 0 ? `${days} d ${clock}` : clock;
}

// How long something has lasted, in its largest unit.
const STEPS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

export function formatDuration(seconds: number): string {
  const [unit, size] = STEPS.find(([, size]) => seconds >= size) ?? (["second", 1] as const);
  const options = { style: "unit", unit, unitDisplay: "long" } as const;
  const whole = Math.floor(seconds / size);
  return Number.isFinite(whole) ? new Intl.NumberFormat(language.value, options).format(whole) : formatNumber(seconds);
}

// Sizes for people.
const UNITS = ["B", "kB", "MB", "GB", "TB"];

export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${formatNumber(bytes / 1000 ** step, step === 0 ? 0 : 1)} ${UNITS[step]}`;
}
