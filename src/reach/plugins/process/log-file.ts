// A plugin's log file. Lines are gathered for a second and written without a sync: a plugin that prints much would wear out the SD
// card and block the hub. The plugin can change the folder, so the file is opened without following its links.
import { closeSync, constants, fstatSync, readSync } from "node:fs";
import type { StorageTrouble } from "../../../kit/files/storage-fault.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { createRotatingFile, inUntrustedFolder, openUntrustedFile } from "../../../kit/lifecycle/rotating-file.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";

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

export interface LogFileOptions {
  path: string;
  clock: Clock;
  log: Log;
  trouble?: Pick<StorageTrouble, "note"> | undefined;
}

/** Rotates at 1 MiB to `.1` and `.2`. On a full or broken disk only lines are lost. */
export function createLogFile({ path, clock, log, trouble }: LogFileOptions): LogFile {
  const file = createRotatingFile({
    path,
    clock,
    bufferMs: GATHER_MS,
    bufferLength: GATHER_BYTES,
    maxBytes: MAX_BYTES,
    kept: KEPT,
    mode: 0o640,
    sync: false,
    untrustedFolder: true,
    onFailure(error) {
      trouble?.note(error);
      log.warn("a plugin's log cannot be written", { path, error: messageOf(error) });
    },
  });
  return {
    append: (line) => file.append(`${line}\n`),
    flush: file.flush,
    tail(lines) {
      file.flush();
      const newest = readEnd(path);
      const found = newest.length < lines ? [...readEnd(`${path}.1`), ...newest] : newest;
      return found.slice(-lines);
    },
    [Symbol.dispose]: file.flush,
  };
}

/** Empty when it cannot be read. */
function readEnd(path: string): string[] {
  try {
    return inUntrustedFolder(path, linesAtEnd);
  } catch {
    return [];
  }
}

function linesAtEnd(path: string): string[] {
  const file = openUntrustedFile(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(file);
    const from = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - from);
    const lines = bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, from)).split("\n");
    // The first line is incomplete when reading began inside it; the last is empty, behind the final newline.
    return lines.slice(from > 0 ? 1 : 0, -1);
  } finally {
    closeSync(file);
  }
}
