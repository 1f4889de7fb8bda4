// The plugin's log: sent to the hub while connected, otherwise written to stderr, which the hub keeps.
import { type LooseJson, withoutUndefined } from "./json.ts";

export const LEVELS = ["debug", "info", "warning", "error"] as const;
export type Level = (typeof LEVELS)[number];

export interface Log {
  debug(message: string, fields?: LooseJson): void;
  info(message: string, fields?: LooseJson): void;
  warn(message: string, fields?: LooseJson): void;
  error(message: string, fields?: LooseJson): void;
}

export interface PluginLog extends Log {
  level: Level;
}

export interface LogOptions {
  /** The plugin's id. */
  target: string;
  /** Redacted wherever it occurs. */
  secret: string | undefined;
  /** False when there is no connection. */
  send(line: string): boolean;
  printError(line: string): void;
}

export function createLog({ target, secret, send, printError }: LogOptions): PluginLog {
  function hide(text: string): string {
    return secret ? text.replaceAll(secret, "[redacted]") : text;
  }

  function write(level: Level, message: string, fields: LooseJson = {}): void {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(log.level)) return;
    const record = { timestamp: new Date().toISOString(), level, target, message, fields: withoutUndefined(fields) };
    if (send(hide(JSON.stringify(record)))) return;
    const suffix = Object.keys(record.fields).length > 0 ? ` ${JSON.stringify(record.fields)}` : "";
    printError(hide(`${level}: ${message}${suffix}`));
  }

  const log: PluginLog = {
    level: "info",
    debug: (message, fields) => write("debug", message, fields),
    info: (message, fields) => write("info", message, fields),
    warn: (message, fields) => write("warning", message, fields),
    error: (message, fields) => write("error", message, fields),
  };
  return log;
}

/** Accepts the names of other logging libraries as well; undefined for anything else. */
export function parseLevel(word: unknown): Level | undefined {
  const name = typeof word === "string" ? word.toLowerCase() : "";
  return LEVELS.find((level) => level === ({ warn: "warning", trace: "debug" }[name] ?? name));
}
