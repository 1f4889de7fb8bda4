// Python's strftime, as far as templates use it: `%H:%M`, `%Y-%m-%d %H:%M:%S`, …

import { zoneText } from "./templates/moments.ts";

const two = (value: number): string => String(value).padStart(2, "0");
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

const FIELDS: Readonly<Record<string, (at: Date) => string>> = {
  "%": () => "%",
  a: (at) => (DAYS[at.getUTCDay()] ?? "").slice(0, 3),
  A: (at) => DAYS[at.getUTCDay()] ?? "",
  b: (at) => (MONTHS[at.getUTCMonth()] ?? "").slice(0, 3),
  B: (at) => MONTHS[at.getUTCMonth()] ?? "",
  d: (at) => two(at.getUTCDate()),
  H: (at) => two(at.getUTCHours()),
  I: (at) => two(at.getUTCHours() % 12 || 12),
  m: (at) => two(at.getUTCMonth() + 1),
  M: (at) => two(at.getUTCMinutes()),
  p: (at) => (at.getUTCHours() < 12 ? "AM" : "PM"),
  S: (at) => two(at.getUTCSeconds()),
  c: (at) => strftime("%a %b %e %H:%M:%S %Y", at.getTime()),
  C: (at) => two(Math.floor(at.getUTCFullYear() / 100)),
  D: (at) => strftime("%m/%d/%y", at.getTime()),
  e: (at) => String(at.getUTCDate()).padStart(2),
  f: (at) => String(at.getUTCMilliseconds() * 1000).padStart(6, "0"),
  F: (at) => strftime("%Y-%m-%d", at.getTime()),
  h: (at) => strftime("%b", at.getTime()),
  j: (at) => String(dayOfYear(at) + 1).padStart(3, "0"),
  n: () => "\n",
  R: (at) => strftime("%H:%M", at.getTime()),
  s: (at) => String(Math.floor(at.getTime() / 1000)),
  t: () => "\t",
  T: (at) => strftime("%H:%M:%S", at.getTime()),
  u: (at) => String(at.getUTCDay() || 7),
  U: (at) => two(Math.floor((dayOfYear(at) + 7 - at.getUTCDay()) / 7)),
  w: (at) => String(at.getUTCDay()),
  W: (at) => two(Math.floor((dayOfYear(at) + 7 - ((at.getUTCDay() + 6) % 7)) / 7)),
  x: (at) => strftime("%m/%d/%y", at.getTime()),
  X: (at) => strftime("%H:%M:%S", at.getTime()),
  y: (at) => two(at.getUTCFullYear() % 100),
  Y: (at) => String(at.getUTCFullYear()),
};

const dayOfYear = (at: Date): number => Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0)) / 86_400_000);

/**
 * `localMs`: epoch ms plus the offset of the time zone, `offsetMs`; undefined: it has no zone. `%-d` is without zeros before it. A
 * field that is not known stays as it is written.
 */
export function strftime(format: string, localMs: number, offsetMs?: number): string {
  const at = new Date(localMs);
  return format.replace(/%(-?)([%a-zA-Z])/g, (whole, minus: string, field: string) => {
    if (field === "z") return zoneText(offsetMs, "");
    const text = FIELDS[field]?.(at) ?? whole;
    return minus ? text.replace(/^[0 ]+(?=.)/, "") : text;
  });
}
