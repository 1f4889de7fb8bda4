// How the last starts ended, in `data/starts.json`: after three failed starts in a row, the part that failed stays off (a safe
// start). The file is written when a start begins, so that the next start notices a hub that died without an error.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Clock, isoSeconds, type Timer } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";

/** After so many failed starts in a row comes a safe one. */
const MOST_FAILURES = 3;
/** After so long, a start counts as successful. */
const STARTED_WELL_MS = 60_000;
/** Where it is not known which part failed. */
const UNKNOWN = "unknown";

const StartRecord = Type.Object({
  /** Starts of another version say nothing about this one. */
  version: Type.String(),
  failures: Type.Integer({ minimum: 0 }),
  part: Type.String(),
  error: Type.String(),
  /** UTC, of the last failure. */
  since: Type.String(),
  /** The parts that the next start leaves off, if it is a safe one. */
  off: Type.Array(Type.String()),
  /** A start that has begun and is not successful yet; `boot` identifies the boot of the machine. */
  begun: Type.Optional(Type.Object({ boot: Type.String(), part: Type.String() })),
});
type StartRecord = Static<typeof StartRecord>;

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
  let last = withLastStart(read(path, version), options);
  const safe = safeStartOf(last);
  let part: string | undefined;
  let timer: Timer | undefined;
  let ending = false;

  function enter(next: string): void {
    part = next;
    if (boot !== undefined && !ending) write(path, { ...(last ?? fresh(version)), begun: { boot, part } });
  }

  /** After a successful safe start, the next one is full; after a successful full one, the record is removed. */
  function succeeded(): void {
    timer?.[Symbol.dispose]();
    last = safe && last && { ...last, failures: MOST_FAILURES - 1 };
    write(path, last);
  }

  return {
    safe,
    entering(next) {
      timer?.[Symbol.dispose]();
      if (next !== part) enter(next);
    },
    failed(error) {
      if (part === undefined || ending) return;
      const failure = { part, error: messageOf(error), since: isoSeconds(clock.now()) };
      last = withFailure(last ?? fresh(version), failure, options);
      part = undefined;
      write(path, last);
    },
    up() {
      enter(UNKNOWN);
      timer = clock.after("start succeeded", STARTED_WELL_MS, succeeded);
    },
    stopping() {
      if (part === UNKNOWN) succeeded();
      else if (part !== undefined) write(path, last);
      ending = true;
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

function read(path: string, version: string): StartRecord | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Value.Check(StartRecord, found) && found.version === version ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Atomic, but not synced: the file must outlive the process, and a power cut does not count as a failure. */
function write(path: string, record: StartRecord | undefined): void {
  try {
    const temporary = `${path}.tmp`;
    for (const old of record ? [temporary] : [temporary, path]) rmSync(old, { force: true });
    if (!record) return;
    writeFileSync(temporary, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch {
    // A disk that is full or broken is reported elsewhere.
  }
}
