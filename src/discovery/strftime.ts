// Python's strftime, as far as templates use it: `%H:%M`, `%Y-%m-%d %H:%M:%S`, …

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
  y: (at) => two(at.getUTCFullYear() % 100),
  Y: (at) => String(at.getUTCFullYear()),
};

/** `localMs`: epoch ms plus the offset of the time zone. A field that is not known stays as it is written. */
export function strftime(format: string, localMs: number): string {
  const at = new Date(localMs);
  return format.replace(/%([%a-zA-Z])/g, (whole, field: string) => FIELDS[field]?.(at) ?? whole);
}
