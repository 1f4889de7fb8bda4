// Logging. Records go straight to sinks, through LogTape's formatters (colour, redaction); its process-wide registry stays
// unused, so that two hubs can live in one process. Nor is its file sink used: what that gathers is written when the next
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
import type { Clock } from "./clock.ts";
import type { Output } from "./edge.ts";
import { messageOf } from "./errors.ts";
import { createGatheredFile, type GatheredFile } from "./gathered-file.ts";

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
  /**
   * A file that rotates at 5 MiB, five are kept; none when absent. Records are on the disk within five seconds, errors at
   * once: each write is a sync.
   */
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

export interface OpenedLog extends AsyncDisposable {
  readonly log: Log;
  /** Writes what was gathered for the file. */
  flush(): void;
  /** Why the file cannot be written; undefined where it can. */
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
    flush: () => file?.flush(),
    problem: () => file?.problem(),
    async [Symbol.asyncDispose]() {
      file?.flush();
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

// Below the five seconds by what a write on a slow card takes.
const GATHER_MS = 4000;
// An error is written at once, with what came before it; of a storm of them, a few times a second.
const ERRORS_APART_MS = 250;

function logFile(path: string, clock: Clock, onFailure: (error: unknown) => void): GatheredFile {
  return createGatheredFile({
    path,
    clock,
    gatherMs: GATHER_MS,
    gatherBytes: 64 * 1024,
    maxBytes: 5 * 1024 * 1024,
    kept: 5,
    mode: 0o640,
    sync: true,
    guests: false,
    onFailure,
  });
}

function fileSink(file: GatheredFile, clock: Clock): Sink {
  const format = formatter(false);
  let errorAt = Number.NEGATIVE_INFINITY;
  let isFirst = true;
  function writeRecord(record: LogRecord): void {
    file.append(format(record));
    if (isFirst) {
      // It shows at once whether the file can be written.
      isFirst = false;
      file.flush();
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
