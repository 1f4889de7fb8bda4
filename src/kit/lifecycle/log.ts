// Logging. Records go straight to sinks, through LogTape's formatters (colour, redaction). Its process-wide registry is not
// used, so that two hubs can live in one process. Its file sink is not used either: it writes its buffer only when the next
// record comes, however late that is.
import {
  getAnsiColorFormatter,
  getTextFormatter,
  type LogLevel,
  type LogRecord,
  type Sink,
  type TextFormatter,
} from "@logtape/logtape";
import { JWT_PATTERN, type RedactionPattern, redactByPattern } from "@logtape/redaction";
import { messageOf } from "../schema/errors.ts";
import type { Clock } from "../time/clock.ts";
import type { Output } from "./platform.ts";
import { createRotatingFile, type RotatingFile } from "./rotating-file.ts";

export type Level = "debug" | "info" | "warning" | "error";
export type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** Written whatever the level is, as a warning: what somebody asked to have written. */
  always(message: string, fields?: Fields): void;
  /** The same log under a longer name: `log.child("mqtt")` writes as `hub·mqtt`. */
  child(part: string): Log;
}

export interface LogOptions {
  clock: Clock;
  output: Output;
  level: Level;
  /**
   * A file that rotates at 5 MiB; five old ones are kept. No file when absent. Each write is synced: records are on disk
   * within five seconds, errors at once.
   */
  file?: string;
}

const ORDER: Record<Level, number> = { debug: 0, info: 1, warning: 2, error: 3 };
// syslog's numbers, which journald reads from the front of a line.
const JOURNAL_PREFIX: Partial<Record<LogLevel, string>> = { debug: "<7>", info: "<6>", warning: "<4>", error: "<3>" };

/** What is never written, whatever part of the hub puts it into a message. */
export const SECRET_PATTERNS: RedactionPattern[] = [
  { pattern: /\b(token|secret)=[^&\s"']+/g, replacement: "$1=[redacted]" },
  { pattern: /\bhub_[A-Za-z0-9_-]{16,}/g, replacement: "hub_[redacted]" },
  { pattern: /\bBearer\s+[A-Za-z0-9._~+/=-]+/gi, replacement: "Bearer [redacted]" },
  JWT_PATTERN,
  // The token of a Telegram bot is part of the addresses it is called at.
  { pattern: /(?<!\d)\d{5,}:[A-Za-z0-9_-]{20,}/g, replacement: "[redacted]" },
];

export interface OpenedLog extends AsyncDisposable {
  readonly log: Log;
  /** Writes what is buffered for the file. */
  flush(): void;
  /** Why the file cannot be written; undefined if it can. */
  problem(): string | undefined;
}

export function openLog({ clock, output, level, file: path }: LogOptions): OpenedLog {
  const sinks: Sink[] = [outputSink(output)];
  const file =
    path === undefined
      ? undefined
      : logFile(path, clock, (error) =>
          write(["hub", "log"], "warning", `the log file cannot be written: ${messageOf(error)}`, { file: path }),
        );
  if (file) sinks.push(fileSink(file, clock));

  function write(category: readonly string[], at: Level, message: string, fields?: Fields): void {
    if (ORDER[at] >= ORDER[level]) put(category, at, message, fields);
  }

  function put(category: readonly string[], at: Level, message: string, fields: Fields = {}): void {
    const text = Object.keys(fields).length > 0 ? `${message} ${formatFields(fields)}` : message;
    const record: LogRecord = {
      category,
      level: at,
      message: [text],
      rawMessage: text,
      timestamp: clock.now(),
      properties: {},
    };
    for (const sink of sinks) {
      try {
        sink(record);
      } catch {
        // A full disk must not end the hub; the other sinks still get the record.
      }
    }
  }

  function at(category: readonly string[]): Log {
    return {
      debug: (message, fields) => write(category, "debug", message, fields),
      info: (message, fields) => write(category, "info", message, fields),
      warn: (message, fields) => write(category, "warning", message, fields),
      error: (message, fields) => write(category, "error", message, fields),
      always: (message, fields) => put(category, "warning", message, fields),
      child: (part) => at([...category, part]),
    };
  }

  return {
    log: at(["hub"]),
    flush: () => file?.flush(),
    problem: () => file?.problem(),
    async [Symbol.asyncDispose]() {
      file?.flush();
    },
  };
}

/** A log that drops everything. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, always() {}, child: () => silentLog };

function formatter(colour: boolean): TextFormatter {
  return redactByPattern(colour ? getAnsiColorFormatter() : getTextFormatter(), SECRET_PATTERNS);
}

function outputSink(output: Output): Sink {
  const format = formatter(output.isTerminal);
  // The journal has its own time stamps.
  const bare = redactByPattern(getTextFormatter({ timestamp: "none" }), SECRET_PATTERNS);
  return function writeRecord(record) {
    output.write(output.isJournal ? `${JOURNAL_PREFIX[record.level] ?? ""}${bare(record)}` : format(record));
  };
}

// The five seconds promised above, less the time a write takes on a slow card.
const BUFFER_MS = 4000;
// An error is flushed at once, with the records before it; a storm of errors only a few times a second.
const ERRORS_APART_MS = 250;

function logFile(path: string, clock: Clock, onFailure: (error: unknown) => void): RotatingFile {
  return createRotatingFile({
    path,
    clock,
    bufferMs: BUFFER_MS,
    bufferLength: 64 * 1024,
    maxBytes: 5 * 1024 * 1024,
    kept: 5,
    mode: 0o640,
    sync: true,
    untrustedFolder: false,
    onFailure,
  });
}

function fileSink(file: RotatingFile, clock: Clock): Sink {
  const format = formatter(false);
  let errorAt = Number.NEGATIVE_INFINITY;
  let isFirst = true;
  function writeRecord(record: LogRecord): void {
    file.append(format(record));
    if (isFirst) {
      // Shows at once whether the file can be written. A start does not wait for the disk: the next write is synced.
      isFirst = false;
      file.flush(record.level === "error" ? undefined : "unsynced");
    }
    if (record.level !== "error") return;
    const waitMs = errorAt + ERRORS_APART_MS - clock.mono();
    if (waitMs > 0) file.flushWithin(waitMs);
    else {
      errorAt = clock.mono();
      file.flush();
    }
  }
  return writeRecord;
}

function formatFields(fields: Fields): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `${key}=${typeof value === "string" && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value)}`,
    )
    .join(" ");
}
