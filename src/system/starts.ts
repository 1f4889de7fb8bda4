// How the last starts ended, in `data/starts.json`: after three failed starts in a row, the part that failed stays off (a safe
// start). The file is written when a start begins, so that the next start notices a hub that died without an error.
import { type Clock, isoSeconds, type Timer } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import { openStartFile, type StartRecord } from "./start-file.ts";

/** After so many failed starts in a row comes a safe one. */
const MOST_FAILURES = 3;
/** After so long, a start counts as successful. */
const STARTED_WELL_MS = 60_000;
/** Where it is not known which part failed. */
const UNKNOWN = "unknown";

export interface SafeStart {
  /** UTC. */
  since: string;
  /** `unknown` where the hub died without an error. */
  failedPart: string;
  error: string;
  off: readonly string[];
}

/** What a starting hub reports. */
export interface StartWatch {
  /** What is left off in this start; undefined in a full one. */
  readonly safe: SafeStart | undefined;
  /** A part begins. From the first part on, the caller holds the home's lock. */
  entering(part: string): void;
}

export interface Starts extends StartWatch {
  /** The hub could not be started. */
  failed(error: unknown): void;
  /** The hub is up. If it dies within the first minute, that still counts as a failed start. */
  up(): void;
  /** The hub was asked to end: from now on, nothing counts. */
  stopping(): void;
  /** What is started next is another one, with which nothing has failed yet: there is no safe start. */
  forget(): void;
}

export interface StartsOptions {
  /** `data/starts.json`. */
  path: string;
  version: string;
  clock: Clock;
  /** Identifies the boot of the machine: a start that a power cut ended does not count as failed. Undefined where it is unknown. */
  boot: string | undefined;
  /** The parts that a hub can do without. */
  optional: readonly string[];
  /** Of these, the ones to leave off first where the failed part is unknown. */
  suspects: readonly string[];
}

/** Writes nothing yet. If the file cannot be read or written, there is no safe start, and nothing else is affected. */
export function openStarts(options: StartsOptions): Starts {
  const { path, version, clock, boot } = options;
  const file = openStartFile(path);
  let last = withLastStart(file.read(version), options);
  let safe = safeStartOf(last);
  let part: string | undefined;
  let timer: Timer | undefined;
  let ending = false;

  function enter(next: string): void {
    part = next;
    if (boot !== undefined && !ending) file.write({ ...(last ?? fresh(version)), begun: { boot, part } });
  }

  /** After a successful safe start, the next one is full; after a successful full one, the record is removed. */
  function succeeded(): void {
    timer?.[Symbol.dispose]();
    last = safe && last && { ...last, failures: MOST_FAILURES - 1 };
    file.end(last);
  }

  return {
    get safe() {
      return safe;
    },
    entering(next) {
      timer?.[Symbol.dispose]();
      if (next !== part) enter(next);
    },
    failed(error) {
      if (part === undefined || ending) return;
      const failure = { part, error: messageOf(error), since: isoSeconds(clock.now()) };
      last = withFailure(last ?? fresh(version), failure, options);
      part = undefined;
      file.end(last);
    },
    up() {
      enter(UNKNOWN);
      file.release();
      timer = clock.after("start succeeded", STARTED_WELL_MS, succeeded);
    },
    stopping() {
      if (part === UNKNOWN) succeeded();
      else if (part !== undefined) file.end(last);
      ending = true;
    },
    forget() {
      timer?.[Symbol.dispose]();
      part = undefined;
      safe = undefined;
      last = undefined;
      file.end(last);
    },
  };
}

function fresh(version: string): StartRecord {
  return { version, failures: 0, part: UNKNOWN, error: "", since: "", off: [] };
}

/** Counts a last start that never ended as failed, unless the machine itself was switched off. */
function withLastStart(found: StartRecord | undefined, options: StartsOptions): StartRecord | undefined {
  if (!found?.begun) return found;
  const { begun, ...record } = found;
  if (begun.boot !== options.boot) return record;
  const error =
    begun.part === UNKNOWN
      ? "the hub died within a minute of its start for an unknown reason: see its last log lines"
      : `the hub died while "${begun.part}" was starting: see its last log lines`;
  return withFailure(record, { part: begun.part, error, since: isoSeconds(options.clock.now()) }, options);
}

function withFailure(
  record: StartRecord,
  failure: Pick<StartRecord, "part" | "error" | "since">,
  { optional, suspects }: Pick<StartsOptions, "optional" | "suspects">,
): StartRecord {
  const failures = record.failures + 1;
  // What was off stays off: a safe start that fails leaves off more.
  const before = record.failures >= MOST_FAILURES ? record.off : [];
  const more = optional.includes(failure.part) ? [failure.part] : failure.part === UNKNOWN ? suspects : [];
  const off = [...new Set([...before, ...more])];
  const all = failure.part === UNKNOWN && off.length === before.length ? [...optional] : off;
  return { ...record, ...failure, failures, off: failures < MOST_FAILURES ? [] : all };
}

function safeStartOf(last: StartRecord | undefined): SafeStart | undefined {
  // A part that the hub needs is simply tried again.
  if (!last || last.failures < MOST_FAILURES || last.off.length === 0) return undefined;
  return { since: last.since, failedPart: last.part, error: last.error, off: last.off };
}
