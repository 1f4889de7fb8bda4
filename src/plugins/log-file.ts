// A plugin's log file. Not LogTape's sink: that one calls fsync for every record, which a chatty plugin would turn into
// a worn SD card and a hub that stands still. Here lines are gathered and appended once a second.
import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock, Timer } from "../core/clock.ts";
import { messageOf, systemCode } from "../core/errors.ts";
import type { Log } from "../core/log.ts";

const MAX_BYTES = 1024 * 1024;
const KEPT = 2;
const GATHER_MS = 1000;
const GATHER_BYTES = 64 * 1024;
const TAIL_BYTES = 512 * 1024;

export interface LogFile extends Disposable {
  append(line: string): void;
  flush(): void;
  /** The last lines written, oldest first. */
  tail(lines: number): string[];
}

/** Rotates at 1 MiB to `.1` and `.2`. A disk that is full or broken costs lines, nothing else. */
export function createLogFile(path: string, clock: Clock, log: Log): LogFile {
  let pending = "";
  let timer: Timer | undefined;
  let failing = false;

  function flush(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (pending === "") return;
    const text = pending;
    pending = "";
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (sizeOf(path) + text.length > MAX_BYTES) rotate(path);
      appendFileSync(path, text, { mode: 0o640 });
      failing = false;
    } catch (error) {
      if (!failing) log.warn("a plugin's log cannot be written", { path, error: messageOf(error) });
      failing = true;
    }
  }

  return {
    append(line) {
      pending += `${line}\n`;
      if (pending.length >= GATHER_BYTES) flush();
      else timer ??= clock.after("plugin log", GATHER_MS, flush);
    },
    flush,
    tail(lines) {
      flush();
      const newest = readEnd(path);
      const found = newest.length < lines ? [...readEnd(`${path}.1`), ...newest] : newest;
      return found.slice(-lines);
    },
    [Symbol.dispose]: flush,
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function rotate(path: string): void {
  for (let number = KEPT; number >= 1; number--) {
    try {
      renameSync(number === 1 ? path : `${path}.${number - 1}`, `${path}.${number}`);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
}

function readEnd(path: string): string[] {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(file);
    const from = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - from);
    const lines = bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, from)).split("\n");
    // The first is cut where reading began in the middle; the last is empty, behind the final newline.
    return lines.slice(from > 0 ? 1 : 0, -1);
  } finally {
    closeSync(file);
  }
}
