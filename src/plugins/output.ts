// What a plugin prints: into its log file at a rate an SD card bears, the last lines in memory, and never a secret.
import { isoSeconds, sleep } from "../core/clock.ts";
import { SECRET_PATTERNS } from "../core/log.ts";
import { createRingBuffer } from "../core/ring-buffer.ts";
import { createLineSplitter, lastLines } from "./lines.ts";
import { createLogFile, type LogFileOptions } from "./log-file.ts";
import { createTokenBucket } from "./tokens.ts";

const KEPT_LINES = 40;
const LINE_BYTES = 4096;
// Room for a password that begins before the cut, so that no part of it is left standing.
const RAW_LINE_BYTES = LINE_BYTES + 512;
// A day of chatter without end writes 86 MB at most.
const WRITTEN_BURST = 256 * 1024;
const WRITTEN_PER_SECOND = 1024;
const RESUME_LEVEL = 32 * 1024;
const REPORT_DROPPED_MS = 10_000;
// Beyond this the plugin waits at its own pipe: reading everything `yes` can print would keep a core busy.
const READ_BURST = 1024 * 1024;
const READ_PER_SECOND = 640 * 1024;

export interface Output extends Disposable {
  /** Begins a run: reads both streams and keeps `secret` out of everything. */
  attach(streams: readonly ReadableStream<Uint8Array>[], secret: string): Run;
  /** A line of the hub's own between the plugin's. */
  note(text: string): void;
  /** The last lines, oldest first, each with its time. */
  log(lines: number): string[];
}

export interface Run {
  /** Resolves when both streams have ended. */
  readonly finished: Promise<void>;
  /** Reads on without pauses, as the process has ended and little can be left. */
  hurry(): void;
  /** Stops reading. */
  close(): void;
  /** The run's last lines, oldest first. */
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
          // While nothing is written anyway, only the lines that memory keeps are worth taking apart.
          const { skipped, rest } = dropping ? lastLines(next.value, KEPT_LINES) : { skipped: 0, rest: next.value };
          dropped += skipped;
          splitter.push(rest);
          const waitMs = read.spend(next.value.length);
          if (waitMs > 0) await sleep(clock, "plugin output", waitMs, hurried);
        }
      } catch {
        // A broken pipe ends the output as its end does.
      }
      splitter.end();
    };
  }

  return {
    attach(streams, secret) {
      const mask = createMask(secret);
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

type Mask = (text: string) => string;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

function createMask(secret: string): Mask {
  return function maskLine(text) {
    let clean = Bun.stripANSI(text).replace(CONTROL, "");
    if (secret !== "") clean = clean.replaceAll(secret, "[redacted]");
    for (const { pattern, replacement } of SECRET_PATTERNS)
      clean =
        typeof replacement === "string" ? clean.replace(pattern, replacement) : clean.replace(pattern, replacement);
    return clean.length > LINE_BYTES ? `${clean.slice(0, LINE_BYTES)}…` : clean;
  };
}
