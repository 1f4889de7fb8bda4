// Timestamps and durations, to the nanosecond. The library's own read clocks by the time zone of the machine, keep times to the
// millisecond, and add negative durations wrongly.
import { Duration } from "@marcbachmann/cel-js/evaluator";
import { type CelNode, failure } from "./cel-tree.ts";
import { NO_DURATION } from "./wording.ts";

const NANOSECONDS: Readonly<Record<string, bigint>> = {
  ...{ h: 3_600_000_000_000n, m: 60_000_000_000n, s: 1_000_000_000n },
  ...{ ms: 1_000_000n, us: 1000n, µs: 1000n, ns: 1n },
};
const A_SECOND = 1_000_000_000n;
const FRACTION_DIGITS = 12;
// BigInt takes long for long digits.
const MAX_DURATION = 64;
const MAX_NANOSECONDS = 2n ** 63n;
const NO_TIMESTAMP = 'this is not a time; write "2026-06-15T11:00:00Z", or another offset than Z, such as +02:00';

const NANOSECONDS_A_MS = 1_000_000n;

/** The library knows timestamps as dates alone, so the few that are finer than a millisecond carry the rest themselves. */
interface Timestamp extends Date {
  nanosecondsBeyondMs?: number;
}

function timestampOf(nanoseconds: bigint): Date {
  const beyond = ((nanoseconds % NANOSECONDS_A_MS) + NANOSECONDS_A_MS) % NANOSECONDS_A_MS;
  const time: Timestamp = new Date(Number((nanoseconds - beyond) / NANOSECONDS_A_MS));
  if (beyond !== 0n) time.nanosecondsBeyondMs = Number(beyond);
  return time;
}

function nanosecondsSince1970(time: Timestamp): bigint {
  return BigInt(time.getTime()) * NANOSECONDS_A_MS + BigInt(time.nanosecondsBeyondMs ?? 0);
}

/** Below, at or above 0, as the first is earlier, the same or later. */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  return a.getTime() - b.getTime() || (a.nanosecondsBeyondMs ?? 0) - (b.nanosecondsBeyondMs ?? 0);
}

export function nanosecondsOf({ seconds, nanos }: Duration): bigint {
  return seconds * A_SECOND + BigInt(nanos);
}

function durationOf(nanoseconds: bigint): Duration {
  return new Duration(nanoseconds / A_SECOND, Number(nanoseconds % A_SECOND));
}

/** In seconds, which `duration()` reads back: `-1.5s`. */
export function durationText(duration: Duration): string {
  const nanoseconds = nanosecondsOf(duration);
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const fraction = String(size % A_SECOND)
    .padStart(9, "0")
    .replace(/0+$/, "");
  return `${nanoseconds < 0n ? "-" : ""}${size / A_SECOND}${fraction && `.${fraction}`}s`;
}

export function timestampText(time: Date): string {
  return timestampJson(time).replace(/\.?0*Z$/, "Z");
}

/** With milliseconds, and what is beyond them, if anything is. */
export function timestampJson(time: Timestamp): string {
  const { nanosecondsBeyondMs } = time;
  const text = time.toISOString();
  return nanosecondsBeyondMs === undefined
    ? text
    : `${text.slice(0, -1)}${String(nanosecondsBeyondMs).padStart(6, "0")}Z`;
}

/** "1h30m", "-1.5s"; a number without a unit is refused. */
export function readDuration(text: string, node: CelNode): Duration {
  const [, sign, size] = /^([-+]?)((?:(?:\d+\.?\d*|\.\d+)(?:h|ms|m|s|us|µs|ns))+)$/.exec(
    text.length > MAX_DURATION ? "" : text,
  ) ?? ["", "", ""];
  if (!size) throw failure(node, NO_DURATION);
  let nanoseconds = 0n;
  for (const [, whole, fraction = "", unit = ""] of size.matchAll(/(\d*)\.?(\d*)(h|ms|m|s|us|µs|ns)/g)) {
    const scale = NANOSECONDS[unit] ?? 0n;
    const digits = BigInt(fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, "0"));
    nanoseconds += BigInt(whole || "0") * scale + (digits * scale) / 10n ** BigInt(FRACTION_DIGITS);
  }
  return durationOf(sign === "-" ? -nanoseconds : nanoseconds);
}

/** As RFC 3339 has it, with seconds and an offset from UTC. */
export function readTimestamp(text: string, node: CelNode): Date {
  if (!/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[-+]\d\d:?\d\d)$/.test(text))
    throw failure(node, NO_TIMESTAMP);
  try {
    return timestampOf(Temporal.Instant.from(text).epochNanoseconds);
  } catch {
    throw failure(node, NO_TIMESTAMP);
  }
}

/** What is wrong with it; undefined if it can be held. */
export function timeProblem(value: unknown): string | undefined {
  if (value instanceof Date) {
    const year = value.getUTCFullYear();
    return year >= 1 && year <= 9999 ? undefined : "gives a time before the year 1 or after 9999";
  }
  if (!(value instanceof Duration)) return undefined;
  const nanoseconds = nanosecondsOf(value);
  return nanoseconds < MAX_NANOSECONDS && nanoseconds >= -MAX_NANOSECONDS
    ? undefined
    : "gives a duration of more than 292 years";
}

/** `+` and `-` with a timestamp or a duration; undefined for anything else. */
export function addTimes(operator: string, a: unknown, b: unknown): unknown {
  const sign = operator === "-" ? -1n : 1n;
  if (a instanceof Duration && b instanceof Duration) return durationOf(nanosecondsOf(a) + sign * nanosecondsOf(b));
  if (a instanceof Date && b instanceof Duration) return later(a, sign * nanosecondsOf(b));
  if (a instanceof Duration && b instanceof Date && operator === "+") return later(b, nanosecondsOf(a));
  if (a instanceof Date && b instanceof Date && operator === "-")
    return durationOf(nanosecondsSince1970(a) - nanosecondsSince1970(b));
  return undefined;
}

function later(time: Date, nanoseconds: bigint): Date {
  return timestampOf(nanosecondsSince1970(time) + nanoseconds);
}

const PARTS: Readonly<Record<string, (time: Temporal.ZonedDateTime) => number>> = {
  getFullYear: ({ year }) => year,
  getMonth: ({ month }) => month - 1,
  getDate: ({ day }) => day,
  getDayOfMonth: ({ day }) => day - 1,
  getDayOfWeek: ({ dayOfWeek }) => dayOfWeek % 7,
  getDayOfYear: ({ dayOfYear }) => dayOfYear - 1,
  getHours: ({ hour }) => hour,
  getMinutes: ({ minute }) => minute,
  getSeconds: ({ second }) => second,
  getMilliseconds: ({ millisecond }) => millisecond,
};

/** `time.getHours("Europe/Berlin")` and its like; undefined where it is none of them. */
export function partOfTime(name: string, [time, zone = "UTC"]: readonly unknown[], node: CelNode): bigint | undefined {
  // Of a duration CEL counts whole hours, minutes and seconds, but only those milliseconds that are no whole second.
  if (name === "getMilliseconds" && time instanceof Duration)
    return (nanosecondsOf(time) % A_SECOND) / NANOSECONDS_A_MS;
  const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
  if (!part || !(time instanceof Date) || typeof zone !== "string") return undefined;
  try {
    const zoned = Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(
      /^\d\d:\d\d$/.test(zone) ? `+${zone}` : zone,
    );
    return BigInt(part(zoned));
  } catch {
    throw failure(node, `invalid time zone: ${zone}`);
  }
}
