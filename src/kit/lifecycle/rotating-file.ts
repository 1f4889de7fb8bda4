// A file that text is appended to. Writes are buffered, because every write wears an SD card. The file rotates, and a full
// or broken disk costs lines but nothing else.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { messageOf, systemCode } from "../schema/errors.ts";
import type { Clock, Timer } from "../time/clock.ts";

export interface RotatingFile extends Disposable {
  append(text: string): void;
  /** `unsynced`: what is written outlives the process, and a power cut only when something else was written after it. */
  flush(how?: "unsynced"): void;
  /** Flushes within `ms`, or sooner if that was due anyway. */
  flushWithin(ms: number): void;
  /** Why the last write failed; undefined if it succeeded. */
  problem(): string | undefined;
}

export interface RotatingFileOptions {
  path: string;
  clock: Clock;
  /** Flushed after this time at the latest, and as soon as so many characters are buffered. */
  bufferMs: number;
  bufferLength: number;
  /** Renamed to `.1` before it would grow larger; `kept` old files stay. */
  maxBytes: number;
  kept: number;
  mode: number;
  /** Whether each write is synced, so that it survives a power cut. */
  sync: boolean;
  /** Whether somebody with fewer rights than the hub may change its folder. */
  untrustedFolder: boolean;
  /** Called once, and again only after a write has succeeded in between. */
  onFailure: (error: unknown) => void;
}

export function createRotatingFile(options: RotatingFileOptions): RotatingFile {
  const { path, clock, bufferMs, bufferLength, onFailure } = options;
  let buffer = "";
  let timer: Timer | undefined;
  let dueMs = 0;
  let problem: string | undefined;

  function flush(how?: "unsynced"): void {
    const sync = options.sync && how !== "unsynced";
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (buffer === "") return;
    const text = buffer;
    buffer = "";
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (options.untrustedFolder) inUntrustedFolder(path, (file) => write(file, text, { ...options, sync }));
      else write(path, text, { ...options, sync });
      problem = undefined;
    } catch (error) {
      const wasFailing = problem !== undefined;
      problem = messageOf(error);
      if (!wasFailing) onFailure(error);
    }
  }

  function flushWithin(ms: number): void {
    const due = clock.mono() + ms;
    if (timer && dueMs <= due) return;
    timer?.[Symbol.dispose]();
    dueMs = due;
    timer = clock.after("log file", ms, () => flush());
  }

  return {
    append(text) {
      buffer += text;
      if (buffer.length >= bufferLength) flush();
      else flushWithin(bufferMs);
    },
    flush,
    flushWithin,
    problem: () => problem,
    [Symbol.dispose]: () => flush(),
  };
}

function write(path: string, text: string, options: RotatingFileOptions): void {
  const { maxBytes, kept, mode, sync, untrustedFolder } = options;
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size + text.length > maxBytes) rotate(path, kept);
  const file = untrustedFolder
    ? openUntrustedFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, mode)
    : openSync(path, "a", mode);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    if (sync) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function rotate(path: string, kept: number): void {
  for (let number = kept; number >= 1; number--) {
    try {
      renameSync(number === 1 ? path : `${path}.${number - 1}`, `${path}.${number}`);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
}

/**
 * For a folder that somebody with fewer rights may change: opens the folder once and passes the file's path below it, which
 * stays in that folder whatever is renamed meanwhile. Throws if the folder itself is a symbolic link.
 */
export function inUntrustedFolder<T>(path: string, work: (file: string) => T): T {
  if (process.platform !== "linux") return work(path);
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    return work(`/proc/self/fd/${folder}/${basename(path)}`);
  } finally {
    closeSync(folder);
  }
}

/** Opens a file without following a symbolic link or waiting at a pipe. Throws if it is not a regular file. */
export function openUntrustedFile(path: string, flags: number, mode = 0o640): number {
  const file = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Error(`${path} is not a file`);
}
