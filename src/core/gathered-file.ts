// A file that lines are added to, gathered first: every write wears an SD card. It rotates, and a disk that is full or
// broken costs lines, nothing else.
import { closeSync, constants, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock, Timer } from "./clock.ts";
import { messageOf, systemCode } from "./errors.ts";
import { inGuestsFolder, openGuestsFile } from "./guests-file.ts";

export interface GatheredFile extends Disposable {
  append(text: string): void;
  flush(): void;
  /** Writes within so long; sooner than it would be, never later. */
  flushWithin(ms: number): void;
  /** Why the last write failed; undefined where it did not. */
  problem(): string | undefined;
}

export interface GatheredFileOptions {
  path: string;
  clock: Clock;
  /** Written after so long at the latest, and once so much is waiting. */
  gatherMs: number;
  gatherBytes: number;
  /** Moved to `.1` when it would be larger; so many are kept beside it. */
  maxBytes: number;
  kept: number;
  mode: number;
  /** Whether what was written outlasts a power cut. */
  sync: boolean;
  /** Whether somebody with fewer rights may change its folder. */
  guests: boolean;
  /** Once until a write succeeds again. */
  onFailure: (error: unknown) => void;
}

export function createGatheredFile(options: GatheredFileOptions): GatheredFile {
  const { path, clock, gatherMs, gatherBytes, maxBytes, onFailure } = options;
  let pending = "";
  let timer: Timer | undefined;
  let dueMs = 0;
  let problem: string | undefined;

  function flush(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (pending === "") return;
    const text = pending;
    pending = "";
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (options.guests) inGuestsFolder(path, (file) => add(file, text));
      else add(path, text);
      problem = undefined;
    } catch (error) {
      const wasFailing = problem !== undefined;
      problem = messageOf(error);
      if (!wasFailing) onFailure(error);
    }
  }

  function add(file: string, text: string): void {
    const size = lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size + text.length > maxBytes) rotate(file, options.kept);
    write(file, text, options);
  }

  function flushWithin(ms: number): void {
    const due = clock.mono() + ms;
    if (timer && dueMs <= due) return;
    timer?.[Symbol.dispose]();
    dueMs = due;
    timer = clock.after("log file", ms, flush);
  }

  return {
    append(text) {
      pending += text;
      if (pending.length >= gatherBytes) flush();
      else flushWithin(gatherMs);
    },
    flush,
    flushWithin,
    problem: () => problem,
    [Symbol.dispose]: flush,
  };
}

function write(path: string, text: string, { mode, sync, guests }: GatheredFileOptions): void {
  const file = guests
    ? openGuestsFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, mode)
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
