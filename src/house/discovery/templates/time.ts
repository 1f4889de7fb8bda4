// Moments in templates: `now()`, texts read as times, and times written as texts, in the house's time zone.
import { type Arguments, numberArgument, parseFloatText } from "./arguments.ts";
import { two, zoneText } from "./moments.ts";
import { readTime } from "./read-time.ts";
import {
  Duration,
  type HouseTime,
  isNumber,
  isTrue,
  Moment,
  numberOf,
  PyFloat,
  str,
  TemplateError,
  typeName,
  type Value,
  type Work,
} from "./values.ts";

type TimeFilter = (time: HouseTime, value: Value, args: Arguments) => Value;

const LATEST_MS = 8.64e15;

/** Each is a filter, and a function with the value as its first argument. */
export const TIME_FILTERS: Readonly<Record<string, TimeFilter>> = {
  __proto__: null as never,
  as_local: (time, value) => {
    if (!(value instanceof Moment)) throw new TemplateError(`a ${typeName(value)} is no time`);
    const ms = instantOf(time, value);
    return new Moment(ms, time.offsetMs(ms));
  },
  as_timedelta: (_time, value) => durationOf(str(value)),
  time_since: (time, value, args) => distance(time, value, args, 1),
  time_until: (time, value, args) => distance(time, value, args, -1),
  relative_time: (time, value, args) => distance(time, value, args, 1),
  today_at: (time, value) => {
    const found = /^(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?$/.exec(value === undefined ? "0:0" : str(value));
    if (!found) throw new TemplateError("today_at needs a time such as 07:30");
    const local = time.at + time.offsetMs(time.at);
    const day = Math.floor(local / 86_400_000) * 86_400_000;
    const at = day + ((Number(found[1]) * 60 + Number(found[2])) * 60 + Number(found[3] ?? 0)) * 1000;
    return new Moment(at - time.offsetMs(at), time.offsetMs(at));
  },
  as_timestamp: (time, value, args) => withDefault(args, 0, () => secondsOf(time, value)),
  as_datetime: (_time, value, args) => withDefault(args, 0, () => momentOf(value)),
  strptime: (_time, value, args) =>
    withDefault(args, 1, () => {
      const read = readTime(str(value), str(args.get(0, "format")));
      return read === undefined ? undefined : momentFrom(read);
    }),
  timestamp_custom: (time, value, args) =>
    withDefault(args, 2, () => {
      const local = args.has(1, "local") ? isTrue(args.get(1, "local")) : true;
      return written(time, value, { format: str(args.get(0, "format_string")) || "%Y-%m-%d %H:%M:%S", local });
    }),
  timestamp_local: (time, value, args) => withDefault(args, 0, () => isoText(time, value, true)),
  timestamp_utc: (time, value, args) => withDefault(args, 0, () => isoText(time, value, false)),
};

/** Of a moment. Undefined where it has no such part. */
export function partOfMoment({ localMs, microsecond }: Moment, name: string): Value {
  const local = new Date(localMs);
  const parts: Readonly<Record<string, number>> = {
    ...{ year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() },
    ...{ hour: local.getUTCHours(), minute: local.getUTCMinutes(), second: local.getUTCSeconds() },
    microsecond,
  };
  return Object.hasOwn(parts, name) ? parts[name] : undefined;
}

type MomentMethod = (moment: Moment, args: readonly Value[], work: Work) => Value;

export const MOMENT_METHODS: ReadonlyMap<string, MomentMethod> = new Map<string, MomentMethod>([
  ["strftime", ({ localMs, offsetMs }, [format]) => strftime(str(format), localMs, offsetMs)],
  ["timestamp", (moment, _args, { time }) => new PyFloat(instantOf(time, moment) / 1000)],
  ["date", ({ localMs }) => new Moment(Math.floor(localMs / 86_400_000) * 86_400_000, undefined, "date")],
  ["time", ({ localMs }) => new Moment(localMs - Math.floor(localMs / 86_400_000) * 86_400_000, undefined, "time")],
  [
    "astimezone",
    (moment, _args, { time }) => new Moment(instantOf(time, moment), time.offsetMs(instantOf(time, moment))),
  ],
  ["isoformat", (moment) => moment.text("T")],
  ["weekday", ({ localMs }) => (new Date(localMs).getUTCDay() + 6) % 7],
  ["isoweekday", ({ localMs }) => new Date(localMs).getUTCDay() || 7],
]);

function withDefault(args: Arguments, at: number, read: () => Value): Value {
  const found = read();
  if (found !== undefined) return found;
  if (args.has(at, "default")) return args.get(at, "default");
  throw new TemplateError("this is no time");
}

function secondsOf(time: HouseTime, value: Value): Value {
  const moment = momentOf(value);
  return moment && new PyFloat(instantOf(time, moment) / 1000);
}

/** Epoch ms: a time without a zone is the house's own. */
const instantOf = (time: HouseTime, { ms, offsetMs }: Moment): number =>
  offsetMs === undefined ? ms - time.offsetMs(ms) : ms;

/** `PT10M`, `1 02:03:04`; None where it is no span of time. */
function durationOf(text: string): Value {
  const plain = /^(-?)(?:(\d+) (?:days?, )?)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text.slice(0, 100));
  const iso =
    /^([-+]?)P(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(
      text.slice(0, 100),
    );
  const found = plain ?? iso;
  if (!found) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(2).map((one) => Number(one ?? 0));
  return new Duration((found[1] === "-" ? -1 : 1) * (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1e6);
}

const UNITS: readonly [string, number][] = [
  ...([
    ["year", 31_536_000],
    ["month", 2_592_000],
    ["day", 86_400],
  ] as [string, number][]),
  ...([
    ["hour", 3600],
    ["minute", 60],
    ["second", 1],
  ] as [string, number][]),
];

/** How long ago (`sign` 1), or until then (-1), in words; a time on the other side stays as it is. */
function distance(time: HouseTime, value: Value, args: Arguments, sign: number): Value {
  if (!(value instanceof Moment)) return value;
  const ms = (time.at - instantOf(time, value)) * sign;
  if (ms < 0) return value;
  const wanted = args.has(0, "precision") ? parseFloatText(args.get(0, "precision")) : 1;
  let left = Math.round(ms / 1000);
  const parts: string[] = [];
  for (const [unit, factor] of UNITS) {
    if (left < factor) continue;
    const isLast = parts.length + 1 === wanted;
    const count = isLast ? Math.round(left / factor) : Math.floor(left / factor);
    parts.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
    if (isLast) break;
    left -= count * factor;
  }
  return parts.join(" ") || "0 seconds";
}

/** `timedelta(hours=1)`. */
export function timedelta(args: readonly Value[], named: ReadonlyMap<string, Value>): Value {
  const names = ["days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks"];
  const us = [86_400e6, 1e6, 1, 1000, 60e6, 3600e6, 604_800e6];
  let sum = 0;
  for (const [at, name] of names.entries()) {
    const value = args[at] ?? named.get(name) ?? 0;
    if (!isNumber(value)) throw new TemplateError(`timedelta needs numbers, not a ${typeName(value)}`);
    sum += numberOf(value) * (us[at] ?? 0);
  }
  if (!(Math.abs(sum) < 86_400e6 * 1e9)) throw new TemplateError("this span of time is too long");
  return new Duration(sum);
}

/** Of seconds since the epoch, or of a text. */
function momentOf(value: Value): Moment | undefined {
  if (value instanceof Moment) return value;
  const seconds = typeof value === "boolean" ? undefined : parseFloatText(value);
  if (seconds !== undefined) {
    const ms = seconds * 1000;
    return Math.abs(ms) <= LATEST_MS ? new Moment(ms, 0) : undefined;
  }
  if (typeof value !== "string") throw new TemplateError(`a ${typeName(value)} is no time`);
  const read = readTime(value, "iso");
  return read && momentFrom(read);
}

const momentFrom = ({ ms, offsetMs }: { ms: number; offsetMs: number | undefined }): Moment =>
  new Moment(ms - (offsetMs ?? 0), offsetMs);

function isoText(time: HouseTime, value: Value, local: boolean): string | undefined {
  const ms = isNumber(value) ? numberOf(value) * 1000 : Number.NaN;
  if (!(Math.abs(ms) <= LATEST_MS)) return undefined;
  return new Moment(ms, local ? time.offsetMs(ms) : 0).text("T");
}

/** `now().replace(hour=0)`. */
export function movedTo(moment: Moment, args: Arguments, { time }: Work): Value {
  const names = ["year", "month", "day", "hour", "minute", "second", "microsecond"];
  const parts = names.map((name, at) =>
    args.has(at, name) ? numberArgument(args.get(at, name), name) : numberArgument(partOfMoment(moment, name), name),
  ) as [number, number, number, number, number, number, number];
  const [year, month, day, hour, minute, second, micro] = parts;
  const local = Date.UTC(year, month - 1, day, hour, minute, second) + micro / 1000;
  if (!(Math.abs(local) <= LATEST_MS)) throw new TemplateError("there is no such time");
  const hasZone = moment.offsetMs !== undefined && !(args.has(7, "tzinfo") && args.get(7, "tzinfo") === null);
  if (!hasZone) return new Moment(local, undefined, moment.part);
  const isHouse = moment.offsetMs === time.offsetMs(moment.ms);
  const offset = isHouse ? time.offsetMs(local - (moment.offsetMs ?? 0)) : (moment.offsetMs ?? 0);
  return new Moment(local - offset, offset);
}

function written(
  time: HouseTime,
  value: Value,
  { format, local }: { format: string; local: boolean },
): string | undefined {
  const seconds = value instanceof Moment ? value.ms / 1000 : parseFloatText(value);
  if (seconds === undefined || !(Math.abs(seconds * 1000) <= LATEST_MS)) return undefined;
  const ms = seconds * 1000;
  const offset = local ? time.offsetMs(ms) : 0;
  return strftime(format, ms + offset, offset);
}

/** Python's strftime, as far as templates use it: `%H:%M`, `%Y-%m-%d %H:%M:%S`, … */
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
function strftime(format: string, localMs: number, offsetMs?: number): string {
  const at = new Date(localMs);
  return format.replace(/%(-?)([%a-zA-Z])/g, (whole, minus: string, field: string) => {
    if (field === "z") return zoneText(offsetMs, "");
    const text = FIELDS[field]?.(at) ?? whole;
    return minus ? text.replace(/^[0 ]+(?=.)/, "") : text;
  });
}
