// What a plugin prints: written to its log file at a limited rate, to spare SD cards, and the last lines kept in memory. Secrets
// are masked.
import { SECRET_PATTERNS } from "../../../kit/lifecycle/log.ts";
import { createRingBuffer } from "../../../kit/lifecycle/ring-buffer.ts";
import { type Clock, isoSeconds, sleep } from "../../../kit/time/clock.ts";
import { createLineSplitter, lastLines } from "./line-splitter.ts";
import { createLogFile, type LogFileOptions } from "./log-file.ts";

const KEPT_LINES = 40;
const LINE_BYTES = 4096;
// Longer by the length of a password, so that one at the cut is masked as a whole.
const RAW_LINE_BYTES = LINE_BYTES + 512;
// At most 86 MB a day.
const WRITTEN_BURST = 256 * 1024;
const WRITTEN_PER_SECOND = 1024;
const RESUME_LEVEL = 32 * 1024;
const REPORT_DROPPED_MS = 10_000;
// Above this rate the plugin has to wait at its pipe: reading everything that `yes` prints would use a whole core.
const READ_BURST = 1024 * 1024;
const READ_PER_SECOND = 640 * 1024;

export interface Output extends Disposable {
  /** Reads both streams of a new process, and masks `secrets` in them. */
  attach(streams: readonly ReadableStream<Uint8Array>[], secrets: readonly string[]): Capture;
  /** Writes a line of the hub between the plugin's. */
  note(text: string): void;
  /** The last lines of all processes, oldest first, each with its time. */
  log(lines: number): string[];
}

/** The output of one process. */
export interface Capture {
  /** Resolves when both streams have ended. */
  readonly finished: Promise<void>;
  /** Reads the rest without pauses, as the process has ended and little can be left. */
  hurry(): void;
  /** Stops reading. */
  close(): void;
  /** Its last lines, oldest first. */
  lastLines(): string[];
}

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
}

interface Line {
  at: number;
  text: string;
}

export function createOutput(options: LogFileOptions): Output {
  const { clock } = options;
  const file = createLogFile(options);
  const recent = createRingBuffer<Line & { mask: Mask }>(KEPT_LINES);
  const written = createTokenBucket(clock, WRITTEN_BURST, WRITTEN_PER_SECOND);
  const read = createTokenBucket(clock, READ_BURST, READ_PER_SECOND);
  let dropping = false;
  let dropped = 0;
  const reporter = clock.every("plugin log rate", REPORT_DROPPED_MS, reportDropped);

  function reportDropped(): void {
    if (!dropping || written.level() < RESUME_LEVEL) return;
    dropping = false;
    if (dropped > 0) write(`… ${dropped} lines dropped: the plugin prints too much`);
    dropped = 0;
  }

  function write(text: string): void {
    const line = `${isoSeconds(clock.now())} ${text}`;
    written.spend(Buffer.byteLength(line) + 1);
    dropping ||= written.level() <= 0;
    file.append(line);
  }

  function take(text: string, mask: Mask): void {
    recent.push({ at: clock.now(), text, mask });
    reportDropped();
    if (dropping) dropped++;
    else write(mask(text));
  }

  function readFrom(reader: Reader, mask: Mask, keep: (text: string) => void) {
    const splitter = createLineSplitter(RAW_LINE_BYTES, (text) => {
      keep(text);
      take(text, mask);
    });
    return async function readAll(hurried: AbortSignal): Promise<void> {
      try {
        for (let next = await reader.read(); next.value; next = await reader.read()) {
          // While lines are dropped, only those that memory keeps are split.
          const { skipped, rest } = dropping ? lastLines(next.value, KEPT_LINES) : { skipped: 0, rest: next.value };
          dropped += skipped;
          splitter.push(rest);
          const waitMs = read.spend(next.value.length);
          if (waitMs > 0) await sleep(clock, "plugin output", waitMs, hurried);
        }
      } catch {
        // A broken pipe is the end of the output.
      }
      splitter.end();
    };
  }

  return {
    attach(streams, secrets) {
      const mask = createMask(secrets);
      const own = createRingBuffer<string>(KEPT_LINES);
      const readers = streams.map((stream) => stream.getReader());
      const hurried = new AbortController();
      const reading = readers.map((reader) => readFrom(reader, mask, (text) => own.push(text))(hurried.signal));
      return {
        finished: Promise.all(reading).then(() => {}),
        hurry: () => hurried.abort(),
        close() {
          hurried.abort();
          for (const reader of readers) reader.cancel().catch(() => {});
        },
        lastLines: () => [...own].map(mask),
      };
    },
    note: (text) => write(`--- ${text}`),
    log(lines) {
      const held = [...recent].slice(-lines).map(({ at, text, mask }) => `${isoSeconds(at)} ${mask(text)}`);
      if (lines <= held.length) return held;
      const stored = file.tail(lines);
      return stored.length >= held.length ? stored : held;
    },
    [Symbol.dispose]() {
      reporter[Symbol.dispose]();
      if (dropped > 0) write(`… ${dropped} lines dropped: the plugin prints too much`);
      file[Symbol.dispose]();
    },
  };
}

/** A token bucket that fills at a steady rate and can go into debt. */
interface TokenBucket {
  /** The tokens it has now; negative when in debt. */
  level(): number;
  /** Returns the milliseconds until the debt is paid, 0 without debt. */
  spend(amount: number): number;
}

function createTokenBucket(clock: Clock, capacity: number, perSecond: number): TokenBucket {
  let tokens = capacity;
  let at = clock.mono();

  function level(): number {
    const now = clock.mono();
    tokens = Math.min(capacity, tokens + ((now - at) / 1000) * perSecond);
    at = now;
    return tokens;
  }

  return {
    level,
    spend(amount) {
      tokens = level() - amount;
      return tokens < 0 ? (-tokens / perSecond) * 1000 : 0;
    },
  };
}

type Mask = (text: string) => string;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

function createMask(secrets: readonly string[]): Mask {
  return function maskLine(text) {
    let clean = Bun.stripANSI(text).replace(CONTROL, "");
    for (const secret of secrets) if (secret !== "") clean = clean.replaceAll(secret, "[redacted]");
    for (const { pattern, replacement } of SECRET_PATTERNS)
      clean =
        typeof replacement === "string" ? clean.replace(pattern, replacement) : clean.replace(pattern, replacement);
    return clean.length > LINE_BYTES ? `${clean.slice(0, LINE_BYTES)}…` : clean;
  };
}
