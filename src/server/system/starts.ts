// How the last starts ended, in `data/starts.json`: after failed starts in a row, the part that failed stays off (a safe start), and
// is tried again alone, ever later. The file is written when a start begins, so that the next start notices a hub that died without a
// word: by a fault of its own or ended from outside, which a process cannot report itself.
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { messageOf } from "../../kit/schema/errors.ts";
import { type Clock, isoSeconds, type Timer } from "../../kit/time/clock.ts";

/** What is known to be a fault of the hub: it ended with an error, or while a part was starting. */
const FAULT_WEIGHT = 2;
/** It was up and died without a word. Mostly somebody or the system killed it. */
const DEATH_WEIGHT = 1;
/** Three faults, or six deaths without a word: the next start is a safe one. */
const SAFE_SCORE = 6;
/** After so long, a start counts as successful. */
const STARTED_WELL_MS = 60_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** When a part that is off is tried again: after the start, and after each try that failed. The last one repeats. */
const RETRY_MS = [10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS] as const;
/** Where it is not known which part failed. */
const UNKNOWN = "unknown";

export interface SafeStart {
  /** UTC. */
  since: string;
  /** `unknown` where the hub died without an error. */
  failedPart: string;
  error: string;
  off: readonly Pick<OffPart, "part" | "error" | "next">[];
}

/** What a starting hub reports. */
export interface StartWatch {
  /** What is left off in this start; undefined where nothing is. */
  readonly safe: SafeStart | undefined;
  /** A part begins. From the first part on, the caller holds the home's lock. */
  entering(part: string): void;
  /** The part that is to be tried again now; undefined while another one is on trial. */
  due(): string | undefined;
  /** The next start is one with this part. The caller starts the hub again. */
  tryAgain(part: string): void;
}

export interface Starts extends StartWatch {
  /** The part that is on trial, until it has been up for a minute. */
  readonly trying: string | undefined;
  /** The hub could not be started, or an error that nobody caught ends it. */
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
  /** The parts without which others are of no use. */
  needs: Readonly<Record<string, string | undefined>>;
}

/** Writes nothing yet. If the file cannot be read or written, there is no safe start, and nothing else is affected. */
export function openStarts(options: StartsOptions): Starts {
  const { path, version, clock, boot, needs } = options;
  const file = openStartFile(path);
  let last = withLastStart(file.read(version), options);
  // A part that the hub needs is simply tried again.
  let isSafe = last !== undefined && last.score >= SAFE_SCORE && last.off.length > 0;
  let retries = retriesOf(last, clock);
  let trying: string | undefined;
  let part: string | undefined;
  let timer: Timer | undefined;
  let ending = false;

  function enter(next: string): void {
    part = next;
    const begun = boot === undefined ? undefined : { boot, part, ...(trying !== undefined && { trying }) };
    if (begun && !ending) file.write({ ...(last ?? fresh(version)), begun });
  }

  /** The start that follows a safe one is a full one, but has no second chance. */
  function keepForNext(off: readonly OffPart[]): void {
    last = isSafe && last && off.length > 0 ? { ...last, score: SAFE_SCORE - 1, off: [...off] } : undefined;
    isSafe = last !== undefined;
    file.end(last);
  }

  function succeeded(): void {
    part = undefined;
    const off = last?.off.filter((one) => one.part !== trying) ?? [];
    trying = undefined;
    keepForNext(off);
  }

  return {
    get safe() {
      const off = last?.off.filter((one) => one.part !== trying) ?? [];
      return isSafe && last && off.length > 0
        ? { since: last.since, failedPart: last.part, error: last.error, off }
        : undefined;
    },
    get trying() {
      return trying;
    },
    entering(next) {
      timer?.[Symbol.dispose]();
      // Until it has gone well, this start counts as a safe one.
      if (isSafe && last) last = { ...last, score: Math.max(last.score, SAFE_SCORE) };
      if (next !== part) enter(next);
    },
    failed(error) {
      if (part === undefined || ending) return;
      timer?.[Symbol.dispose]();
      const failure = { part, error: messageOf(error), weight: FAULT_WEIGHT, trying };
      last = withFailure(last ?? fresh(version), failure, options);
      // Only the next process begins with a safe start, as this one ends; but a trial goes back at once.
      retries = retriesOf(last, clock);
      trying = undefined;
      part = undefined;
      file.end(last);
    },
    up() {
      enter(UNKNOWN);
      file.release();
      timer = clock.after("start succeeded", STARTED_WELL_MS, succeeded);
    },
    due() {
      if (!isSafe || trying !== undefined) return undefined;
      const isOff = (name: string | undefined): boolean => last?.off.some((one) => one.part === name) === true;
      const isDue = (name: string): boolean => (retries.get(name) ?? Number.POSITIVE_INFINITY) <= clock.mono();
      return last?.off.find((one) => isDue(one.part) && !isOff(needs[one.part]))?.part;
    },
    tryAgain(name) {
      trying = name;
    },
    stopping() {
      timer?.[Symbol.dispose]();
      if (part === UNKNOWN) keepForNext(last?.off ?? []);
      else if (part !== undefined) file.end(last);
      ending = true;
    },
    forget() {
      timer?.[Symbol.dispose]();
      part = undefined;
      trying = undefined;
      isSafe = false;
      last = undefined;
      file.end(last);
    },
  };
}

function fresh(version: string): StartRecord {
  return { version, score: 0, part: UNKNOWN, error: "", since: "", off: [] };
}

/** In monotonic time: the machine's clock may be years behind at its start, or be set. */
function retriesOf(last: StartRecord | undefined, clock: Clock): Map<string, number> {
  return new Map(
    last?.off.map(({ part, tries, next }) => {
      const left = Math.min(Math.max(0, next - clock.now()), delayAfter(tries));
      return [part, clock.mono() + left];
    }),
  );
}

function delayAfter(tries: number): number {
  return RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? HOUR_MS;
}

/** Counts a last start that never ended as failed, unless the machine itself was switched off. */
function withLastStart(found: StartRecord | undefined, options: StartsOptions): StartRecord | undefined {
  if (!found?.begun) return found;
  const { begun, ...record } = found;
  if (begun.boot !== options.boot) return record;
  const isUp = begun.part === UNKNOWN;
  const error = isUp
    ? "the hub died within a minute of its start, killed or by a fault of its own: see its last log lines"
    : `the hub died while "${begun.part}" was starting: see its last log lines`;
  const weight = isUp ? DEATH_WEIGHT : FAULT_WEIGHT;
  return withFailure(record, { part: begun.part, error, weight, trying: begun.trying }, options);
}

interface Failure extends Pick<StartRecord, "part" | "error"> {
  weight: number;
  trying: string | undefined;
}

function withFailure(
  record: StartRecord,
  { part, error, weight, trying }: Failure,
  { optional, suspects, clock }: Pick<StartsOptions, "optional" | "suspects" | "clock">,
): StartRecord {
  const now = clock.now();
  const isTrial = trying !== undefined;
  // What was tried is to blame, unless another part failed by its name.
  const blamed = isTrial && !optional.includes(part) ? trying : part;
  const score = isTrial ? SAFE_SCORE : record.score + weight;
  const failed = { ...record, part: blamed, error, since: isoSeconds(now), score };
  if (score < SAFE_SCORE) return failed;
  // What was off stays off: a safe start that fails leaves off more.
  const before = isTrial || record.score >= SAFE_SCORE ? record.off : [];
  const more = optional.includes(blamed) ? [blamed] : blamed === UNKNOWN ? suspects : [];
  const isMore = more.some((name) => before.every((one) => one.part !== name));
  const names = new Set([...before.map((one) => one.part), ...(blamed === UNKNOWN && !isMore ? optional : more)]);
  const off = [...names].map((name): OffPart => {
    const known = record.off.find((one) => one.part === name);
    if (known && name !== trying && before.includes(known)) return known;
    // A try that another part ended says nothing about the one that was tried.
    if (known && name === trying && blamed !== trying) return { ...known, next: now + delayAfter(known.tries) };
    const tries = known ? known.tries + 1 : 0;
    return { part: name, error, tries, next: now + delayAfter(tries) };
  });
  return { ...failed, off };
}

/**
 * The file `data/starts.json`, written once for each part of a start: atomic, but not synced, as it must outlive the process, and a power
 * cut does not count as a failure.
 */
const OffPart = Type.Object({
  part: Type.String(),
  error: Type.String(),
  /** How often it was tried since it is off. */
  tries: Type.Integer({ minimum: 0 }),
  /** When it is tried next; epoch ms. */
  next: Type.Number(),
});
type OffPart = Static<typeof OffPart>;

const StartRecord = Type.Object({
  /** Starts of another version say nothing about this one. */
  version: Type.String(),
  /** How much the failures in a row weigh. */
  score: Type.Integer({ minimum: 0 }),
  part: Type.String(),
  error: Type.String(),
  /** UTC, of the last failure. */
  since: Type.String(),
  /** The parts that the next start leaves off, if it is a safe one. */
  off: Type.Array(OffPart),
  /** A start that has begun and is not successful yet; `boot` identifies the boot of the machine, `trying` the part that is tried again. */
  begun: Type.Optional(Type.Object({ boot: Type.String(), part: Type.String(), trying: Type.Optional(Type.String()) })),
});
type StartRecord = Static<typeof StartRecord>;

/** Nothing here throws: a disk that is full or broken is reported elsewhere. */
interface StartFile {
  /** Undefined where there is none that can be read and is of this version. */
  read(version: string): StartRecord | undefined;
  /** Writes the state of a start that goes on. The file stays open until `release` or `end`. */
  write(record: StartRecord): void;
  /** Writes what is left of a start, or removes the file. */
  end(record: StartRecord | undefined): void;
  /** A restore may move the folder once the hub is up: the next `write` makes the file anew. */
  release(): void;
}

function openStartFile(path: string): StartFile {
  let open: { file: number; bytes: number } | undefined;

  function release(): void {
    if (open) closeSync(open.file);
    open = undefined;
  }

  /** A file that takes the place of another makes some file systems wait for the disk. */
  function replace(bytes: Buffer): void {
    const temporary = `${path}.tmp`;
    rmSync(temporary, { force: true });
    const file = openSync(temporary, "wx", 0o600);
    open = { file, bytes: bytes.length };
    writeSync(file, bytes);
    renameSync(temporary, path);
  }

  function write(record: StartRecord): void {
    const bytes = Buffer.from(`${JSON.stringify(record)}\n`);
    if (!open) {
      replace(bytes);
      return;
    }
    // One write, with blanks over the rest of a longer text: a process that dies leaves the old text or the new one.
    const padded = Buffer.concat([bytes, Buffer.alloc(Math.max(0, open.bytes - bytes.length), " ")]);
    writeSync(open.file, padded, 0, padded.length, 0);
    open.bytes = padded.length;
  }

  function unlessFailing(act: () => void): void {
    try {
      act();
    } catch {
      try {
        release();
      } catch {
        open = undefined;
      }
    }
  }

  return {
    read: (version) => read(path, version),
    write: (record) => unlessFailing(() => write(record)),
    release: () => unlessFailing(release),
    end: (record) =>
      unlessFailing(() => {
        release();
        if (record) write(record);
        else for (const left of [`${path}.tmp`, path]) rmSync(left, { force: true });
        release();
      }),
  };
}

function read(path: string, version: string): StartRecord | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Value.Check(StartRecord, found) && found.version === version ? found : undefined;
  } catch {
    return undefined;
  }
}
