// What a standby lacks of the journal's segments. Only their whole texts are copied: a file may go on behind them with what an
// earlier segment left there.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { HEADER_BYTES, wholeFrames } from "../../../../kit/files/journal-frame.ts";
import { HubError, messageOf, systemCode } from "../../../../kit/schema/errors.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import { contentHash } from "../../hashes.ts";
import type { JournalHead, KeepHead, SyncRequest } from "../../protocol.ts";
import { stampOf } from "./stamp.ts";

export interface SegmentAnswer {
  records: { head: JournalHead | KeepHead; content?: Uint8Array }[];
  /** The standby has segments that are no longer there: they have been checkpointed. */
  someGone: boolean;
}

export interface Segments {
  /** Throws HubError `storage`. */
  read(have: SyncRequest["have"]["journals"]): SegmentAnswer;
}

interface Known {
  stamp: string | undefined;
  bytes: number;
  hash: string;
}

const PREFIX = "data/readings/";
const NAME = /^[^./]+\.\d+\.journal$/;

export function openSegments(folder: string, clock: Pick<Clock, "now">): Segments {
  /** Those that were read last, by their names. */
  let known = new Map<string, Known>();

  /** Undefined where there is nothing in it that can be read. */
  function compare(name: string, had: { bytes: number; hash: string } | undefined): Compared | undefined {
    const path = join(folder, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    const stamp = stat && stampOf(stat, clock.now());
    const before = known.get(name);
    if (stamp !== undefined && before?.stamp === stamp && had?.bytes === before.bytes && had.hash === before.hash)
      return { known: before, from: before.bytes, content: undefined };
    const content = textsIn(path, name);
    if (!content) return undefined;
    const from = sharedBytes(content, had);
    return { known: { stamp, bytes: content.length, hash: contentHash(content) }, from, content };
  }

  return {
    read(have) {
      const names = namesIn(folder);
      const next = new Map<string, Known>();
      const records: SegmentAnswer["records"] = [];
      const keep: string[] = [];
      for (const name of names) {
        const path = PREFIX + name;
        const compared = compare(name, have[path]);
        if (!compared) continue;
        const { from, content } = compared;
        next.set(name, compared.known);
        if (!content || from === content.length) keep.push(path);
        else
          records.push({
            head: { kind: "journal", path, from, bytes: content.length - from },
            content: content.subarray(from),
          });
      }
      known = next;
      if (keep.length > 0) records.push({ head: { kind: "keep", paths: keep } });
      const someGone = Object.keys(have).some((path) => !next.has(path.slice(PREFIX.length)));
      return { records, someGone };
    },
  };
}

interface Compared {
  known: Known;
  from: number;
  /** Undefined where the file was not read: the standby has it. */
  content: Uint8Array | undefined;
}

/** Oldest first. */
function namesIn(folder: string): string[] {
  try {
    const number = (name: string): number => Number(name.split(".")[1]);
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .sort((a, b) => number(a) - number(b));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw unreadable(folder, error);
  }
}

/**
 * All whole texts, with the empty header that ends a segment. Undefined where there are none, and where the file is gone: then it was
 * checkpointed just now.
 */
function textsIn(path: string, name: string): Uint8Array | undefined {
  const content = contentOf(path);
  if (!content) return undefined;
  const { end } = wholeFrames(content, name);
  return end === 0 ? undefined : withEnd(content, end);
}

/** How many of these bytes the standby has: all, those before the header at its end, or none. */
function sharedBytes(content: Uint8Array, had: { bytes: number; hash: string } | undefined): number {
  if (!had || had.bytes > content.length || had.bytes <= HEADER_BYTES) return 0;
  if (had.bytes === content.length) return contentHash(content) === had.hash ? content.length : 0;
  const end = had.bytes - HEADER_BYTES;
  return contentHash(withEnd(content, end)) === had.hash ? end : 0;
}

function withEnd(content: Uint8Array, end: number): Uint8Array {
  const whole = new Uint8Array(end + HEADER_BYTES);
  whole.set(content.subarray(0, end));
  return whole;
}

function contentOf(path: string): Buffer<ArrayBuffer> | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): HubError {
  return new HubError("storage", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
}
