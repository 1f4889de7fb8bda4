// Logging. Records go straight to LogTape's sinks and formatters (rotation, colour, redaction); its process-wide
// registry stays unused, so that two hubs can live in one process.
import { getRotatingFileSink } from "@logtape/file";
import {
  getAnsiColorFormatter,
  getTextFormatter,
  type LogLevel,
  type LogRecord,
  type Sink,
  type TextFormatter,
} from "@logtape/logtape";
import { JWT_PATTERN, type RedactionPattern, redactByPattern } from "@logtape/redaction";
import type { Clock } from "./clock.ts";
import type { Output } from "./edge.ts";

export type Level = "debug" | "info" | "warning" | "error";
export type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** The same log under a longer name: `log.child("mqtt")` writes as `hub·mqtt`. */
  child(part: string): Log;
}

export interface LogOptions {
  clock: Clock;
  output: Output;
  level: Level;
  /** A file that rotates at 5 MiB, five are kept; none when absent. Gathered for up to 5 s: each write is a sync. */
  file?: string;
}

const ORDER: Record<Level, number> = { debug: 0, info: 1, warning: 2, error: 3 };
// syslog's numbers, which journald reads from the front of a line.
const JOURNAL_PREFIX: Partial<Record<LogLevel, string>> = { debug: "<7>", info: "<6>", warning: "<4>", error: "<3>" };

/** What must never be written, whoever puts it into a message. */
export const SECRET_PATTERNS: RedactionPattern[] = [
  { pattern: /\b(token|secret)=[^&\s"']+/g, replacement: "$1=[redacted]" },
  { pattern: /\bhub_[A-Za-z0-9_-]{16,}/g, replacement: "hub_[redacted]" },
  { pattern: /\bBearer\s+[A-Za-z0-9._~+/=-]+/gi, replacement: "Bearer [redacted]" },
  JWT_PATTERN,
  // A chat bot's token stands in its addresses.
  { pattern: /(?<!\d)\d{5,}:[A-Za-z0-9_-]{20,}/g, replacement: "[redacted]" },
];

export function openLog({ clock, output, level, file }: LogOptions): { log: Log } & AsyncDisposable {
  const sinks: (Sink & Partial<Disposable> & Partial<AsyncDisposable>)[] = [outputSink(output)];
  try {
    if (file)
      sinks.push(
        getRotatingFileSink(file, {
          maxSize: 5 * 1024 * 1024,
          maxFiles: 5,
          bufferSize: 16 * 1024,
          flushInterval: 5000,
          formatter: formatter(false),
        }),
      );
  } catch {}

  function write(category: readonly string[], at: Level, message: string, fields: Fields = {}): void {
    if (ORDER[at] < ORDER[level]) return;
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
        // A full disk must not end the hub; the other sinks still tell.
      }
    }
  }

  function at(category: readonly string[]): Log {
    return {
      debug: (message, fields) => write(category, "debug", message, fields),
      info: (message, fields) => write(category, "info", message, fields),
      warn: (message, fields) => write(category, "warning", message, fields),
      error: (message, fields) => write(category, "error", message, fields),
      child: (part) => at([...category, part]),
    };
  }

  return {
    log: at(["hub"]),
    async [Symbol.asyncDispose]() {
      for (const sink of sinks) {
        if (sink[Symbol.asyncDispose]) await sink[Symbol.asyncDispose]?.();
        else sink[Symbol.dispose]?.();
      }
    },
  };
}

/** A log that says nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog };

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

function formatFields(fields: Fields): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `${key}=${typeof value === "string" && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value)}`,
    )
    .join(" ");
}
