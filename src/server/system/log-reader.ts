// Reads the hub's log file: its last lines, and what was written since. Old files are named log.1, log.2, …, as they rotate.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { systemCode } from "../../kit/schema/errors.ts";

export const LogLine = Type.Object({
  at: Type.String({ description: "Local time of the hub, with its offset" }),
  level: Type.String({ description: "debug, info, warning or error" }),
  part: Type.String({ description: "Of the hub, such as hub·mqtt" }),
  message: Type.String(),
});
export type LogLine = Static<typeof LogLine>;

export interface LogPart {
  lines: LogLine[];
  /** For `linesAfter`. */
  next: string;
}

const KEPT = 5;
const CHUNK_BYTES = 256 * 1024;
const LINE = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [+-]\d\d:\d\d) \[(\w{3})\] ([^:]*): (.*)$/;
const LEVELS: Readonly<Record<string, string>> = { DBG: "debug", INF: "info", WRN: "warning", ERR: "error" };

interface Chunk {
  file: number;
  text: string;
  /** Behind the last whole line. */
  end: number;
}

/** The newest lines, oldest first; none where there is no log. */
export function lastLines(path: string, most: number): LogPart {
  const newest = readChunk(path, (size) => Math.max(0, size - CHUNK_BYTES));
  if (!newest) return { lines: [], next: "" };
  let lines = parse(newest.text);
  if (lines.length < most && newest.end <= CHUNK_BYTES) {
    const older = readChunk(`${path}.1`, (size) => Math.max(0, size - CHUNK_BYTES));
    lines = [...parse(older?.text ?? ""), ...lines];
  }
  return { lines: lines.slice(-most), next: cursor(newest) };
}

/** What came after a `next`, 256 KiB at most; from the beginning of the present file where that was removed since. */
export function linesAfter(path: string, after: string): LogPart {
  const [file = 0, offset = 0] = after.split("-").map(Number);
  const paths = [path, ...Array.from({ length: KEPT }, (_, index) => `${path}.${index + 1}`)];
  const found = paths.findIndex((one) => fileNumber(one) === file);
  for (let index = found; index >= 0; index--) {
    const chunk = readChunk(paths[index] ?? path, () => (index === found ? offset : 0));
    if (chunk && (chunk.text !== "" || index === 0)) return { lines: parse(chunk.text), next: cursor(chunk) };
  }
  const begun = readChunk(path, () => 0);
  return begun ? { lines: parse(begun.text), next: cursor(begun) } : { lines: [], next: after };
}

const cursor = ({ file, end }: Chunk): string => `${file}-${end}`;

/** A line that is none of the log's own continues the one before it, such as a stack. */
function parse(text: string): LogLine[] {
  const lines: LogLine[] = [];
  for (const line of text.split("\n").slice(0, -1)) {
    const [, at, short = "", part, message] = LINE.exec(line) ?? [];
    const last = lines.at(-1);
    if (at !== undefined && part !== undefined && message !== undefined)
      lines.push({ at, level: LEVELS[short] ?? "info", part, message });
    else if (last) last.message += `\n${line}`;
  }
  return lines;
}

function fileNumber(path: string): number | undefined {
  return withFile(path, (file) => fstatSync(file).ino);
}

/** Whole lines, from where `begin` says; a begun line at its front is none of the log's and is dropped by `parse`. */
function readChunk(path: string, begin: (size: number) => number): Chunk | undefined {
  return withFile(path, (file) => {
    const { size, ino } = fstatSync(file);
    const from = Math.min(begin(size), size);
    const bytes = Buffer.alloc(Math.min(CHUNK_BYTES, size - from));
    const read = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
    const end = read.lastIndexOf(10) + 1;
    // A line without an end is passed over, or nobody would get beyond it.
    const whole = read.subarray(0, end === 0 && read.length === CHUNK_BYTES ? read.length : end);
    return { file: ino, text: whole.toString("utf8"), end: from + whole.length };
  });
}

function withFile<T>(path: string, work: (file: number) => T): T | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}
