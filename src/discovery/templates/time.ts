// Moments in templates: `now()`, texts read as times, and times written as texts, in the house's time zone.
import { strftime } from "../strftime.ts";
import { type Arguments, parseFloatText } from "./arguments.ts";
import { readTime } from "./read-time.ts";
import { isTrue, Moment, PyFloat, str, TemplateError, typeName, type Value } from "./values.ts";

export interface HouseTime {
  /** Now, in epoch ms. */
  at: number;
  /** Of the house's time zone from UTC, at an instant. */
  offsetMs(at: number): number;
}

type TimeFilter = (time: HouseTime, value: Value, args: Arguments) => Value;

const ISO = "%Y-%m-%dT%H:%M:%S";
const LATEST_MS = 8.64e15;

/** Each is a filter, and a function with the value as its first argument. */
export const TIME_FILTERS: Readonly<Record<string, TimeFilter>> = {
  __proto__: null as never,
  as_timestamp: (time, value, args) => withDefault(args, 0, () => secondsOf(time, value)),
  as_datetime: (time, value, args) => withDefault(args, 0, () => momentOf(time, value)),
  strptime: (time, value, args) =>
    withDefault(args, 1, () => {
      const read = readTime(str(value), str(args.get(0, "format")));
      return read === undefined ? undefined : zoned(time, read);
    }),
  timestamp_custom: (time, value, args) =>
    withDefault(args, 2, () => {
      const local = args.has(1, "local") ? isTrue(args.get(1, "local")) : true;
      return written(time, value, { format: str(args.get(0, "format_string")) || "%Y-%m-%d %H:%M:%S", local });
    }),
  timestamp_local: (time, value, args) =>
    withDefault(args, 0, () => written(time, value, { format: ISO, local: true })),
  timestamp_utc: (time, value, args) => withDefault(args, 0, () => written(time, value, { format: ISO, local: false })),
};

/** Functions without a value. */
export const TIME_FUNCTIONS: Readonly<Record<string, (time: HouseTime) => Value>> = {
  __proto__: null as never,
  now: ({ at, offsetMs }) => new Moment(at, offsetMs(at)),
  utcnow: ({ at }) => new Moment(at, 0),
};

/** Of a moment. Undefined where it has no such part. */
export function partOfMoment({ ms, offsetMs }: Moment, name: string): Value {
  const local = new Date(ms + offsetMs);
  const parts: Readonly<Record<string, number>> = {
    ...{ year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() },
    ...{ hour: local.getUTCHours(), minute: local.getUTCMinutes(), second: local.getUTCSeconds() },
    microsecond: local.getUTCMilliseconds() * 1000,
  };
  return Object.hasOwn(parts, name) ? parts[name] : undefined;
}

type MomentMethod = (moment: Moment, args: readonly Value[]) => Value;

export const MOMENT_METHODS: ReadonlyMap<string, MomentMethod> = new Map<string, MomentMethod>([
  ["strftime", ({ ms, offsetMs }, [format]) => strftime(str(format), ms + offsetMs)],
  ["timestamp", ({ ms }) => new PyFloat(ms / 1000)],
  ["isoformat", (moment) => moment.text("T")],
  ["weekday", ({ ms, offsetMs }) => (new Date(ms + offsetMs).getUTCDay() + 6) % 7],
  ["isoweekday", ({ ms, offsetMs }) => new Date(ms + offsetMs).getUTCDay() || 7],
]);

function withDefault(args: Arguments, at: number, read: () => Value): Value {
  const found = read();
  if (found !== undefined) return found;
  if (args.has(at, "default")) return args.get(at, "default");
  throw new TemplateError("this is no time");
}

function secondsOf(time: HouseTime, value: Value): Value {
  const moment = momentOf(time, value);
  return moment && new PyFloat(moment.ms / 1000);
}

/** Of seconds since the epoch, or of a text. */
function momentOf(time: HouseTime, value: Value): Moment | undefined {
  if (value instanceof Moment) return value;
  const seconds = typeof value === "boolean" ? undefined : parseFloatText(value);
  if (seconds !== undefined) {
    const ms = seconds * 1000;
    return Math.abs(ms) <= LATEST_MS ? new Moment(ms, 0) : undefined;
  }
  if (typeof value !== "string") throw new TemplateError(`a ${typeName(value)} is no time`);
  const read = readTime(value, "iso");
  return read && zoned(time, read);
}

/** A time without a zone is the house's own. */
function zoned(time: HouseTime, { ms, offsetMs }: { ms: number; offsetMs: number | undefined }): Moment {
  const offset = offsetMs ?? time.offsetMs(ms);
  return new Moment(ms - offset, offset);
}

function written(
  time: HouseTime,
  value: Value,
  { format, local }: { format: string; local: boolean },
): string | undefined {
  const seconds = value instanceof Moment ? value.ms / 1000 : parseFloatText(value);
  if (seconds === undefined || !(Math.abs(seconds * 1000) <= LATEST_MS)) return undefined;
  const ms = seconds * 1000;
  return strftime(format, ms + (local ? time.offsetMs(ms) : 0));
}
