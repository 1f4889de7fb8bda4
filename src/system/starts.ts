// How the last starts went, in `data/starts.json`: after three in a row that failed, what failed stays off (a safe start).
// The file is written when a start begins, so that a hub that dies without a word is known by the next one.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Clock, isoSeconds, type Timer } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";

/** So many failed starts in a row are followed by a safe one. */
const MOST_FAILURES = 3;
/** A hub that has run for so long has started well. */
const STARTED_WELL_MS = 60_000;
/** Where nobody knows which part it is. */
const UNKNOWN = "unknown";

const StartRecord = Type.Object({
  /** Starts of another version say nothing about this one. */
  version: Type.String(),
  failures: Type.Integer({ minimum: 0 }),
  part: Type.String(),
  error: Type.String(),
  /** UTC, of the last failure. */
  since: Type.String(),
  /** What the next start leaves off, where it is a safe one. */
  off: Type.Array(Type.String()),
  /** A start that has begun and not ended well yet; `boot` names the run of the machine. */
  begun: Type.Optional(Type.Object({ boot: Type.String(), part: Type.String() })),
});
type StartRecord = Static<typeof StartRecord>;

export interface SafeStart {
  /** UTC. */
  since: string;
  /** `unknown` where the hub died without a word. */
  failedPart: string;
  error: string;
  off: readonly string[];
}

/** What a hub that starts says of it. */
export interface StartWatch {
  /** What is left off in this start; undefined in a full one. */
  readonly safe: SafeStart | undefined;
  /** A part begins. From the first on, whoever calls has the home's lock. */
  entering(part: string): void;
}

export interface Starts extends StartWatch {
  /** The hub could not be started. */
  failed(error: unknown): void;
  /** It is up: what becomes of it in the first minute still counts. */
  up(): void;
  /** It was asked to end: from now on, nothing counts. */
  stopping(): void;
}

export interface StartsOptions {
  /** `data/starts.json`. */
  path: string;
  version: string;
  clock: Clock;
  /** Names this run of the machine: a start that a power cut ended is no failure. Undefined where nobody knows. */
  boot: string | undefined;
  /** The parts that a hub can do without; those that are off first where the part is unknown. */
  optional: readonly string[];
  suspects: readonly string[];
}

/** Writes nothing yet. A file that cannot be read or written costs the safe start, and nothing else. */
export function openStarts(options: StartsOptions): Starts {
  const { path, version, clock, boot } = options;
  let last = settled(read(path, version), options);
  const safe = safeStartOf(last);
  let part: string | undefined;
  let timer: Timer | undefined;
  let ending = false;

  function enter(next: string): void {
    part = next;
    if (boot !== undefined && !ending) write(path, { ...(last ?? fresh(version)), begun: { boot, part } });
  }

  /** A safe start that went well is followed by one full one; a full one that went well by none of this. */
  function wentWell(): void {
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
      timer = clock.after("start went well", STARTED_WELL_MS, wentWell);
    },
    stopping() {
      if (part === UNKNOWN) wentWell();
      else if (part !== undefined) write(path, last);
      ending = true;
    },
  };
}

function fresh(version: string): StartRecord {
  return { version, failures: 0, part: UNKNOWN, error: "", since: "", off: [] };
}

/** With the start that ended without a word counted, unless it was the machine that ended. */
function settled(found: StartRecord | undefined, options: StartsOptions): StartRecord | undefined {
  if (!found?.begun) return found;
  const { begun, ...record } = found;
  if (begun.boot !== options.boot) return record;
  const error =
    begun.part === UNKNOWN
      ? "the hub died within a minute of its start, and nobody knows why: see its last lines"
      : `the hub died while "${begun.part}" was starting: see its last lines`;
  return withFailure(record, { part: begun.part, error, since: isoSeconds(options.clock.now()) }, options);
}

function withFailure(
  record: StartRecord,
  failure: Pick<StartRecord, "part" | "error" | "since">,
  { optional, suspects }: Pick<StartsOptions, "optional" | "suspects">,
): StartRecord {
  const failures = record.failures + 1;
  // What was off already stays off: a safe start that fails as well leaves off more.
  const before = record.failures >= MOST_FAILURES ? record.off : [];
  const more = optional.includes(failure.part) ? [failure.part] : failure.part === UNKNOWN ? suspects : [];
  const grown = [...new Set([...before, ...more])];
  const all = failure.part === UNKNOWN && grown.length === before.length ? [...optional] : grown;
  return { ...record, ...failure, failures, off: failures < MOST_FAILURES ? [] : all };
}

function safeStartOf(last: StartRecord | undefined): SafeStart | undefined {
  // What a hub cannot do without is tried again as it is.
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

/** Whole or not at all. Not synced: it has to outlive the process, and a power cut is no failure. */
function write(path: string, record: StartRecord | undefined): void {
  try {
    const temporary = `${path}.tmp`;
    for (const old of record ? [temporary] : [temporary, path]) rmSync(old, { force: true });
    if (!record) return;
    writeFileSync(temporary, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch {
    // A disk that is full or broken shows elsewhere.
  }
}
