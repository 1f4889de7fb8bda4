// Reads a journal (journal.ts): whole texts up to the first one that is torn, altered or of another file. Whether the journal
// is being written meanwhile does not matter.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesIn } from "./atomic-file.ts";
import { wholeFrames } from "./journal-frame.ts";

export interface Segment {
  number: number;
  path: string;
}

export interface SegmentContent extends Segment {
  texts: string[];
  /** The byte from which on it cannot be read; undefined where it ends as it should. */
  cutAt: number | undefined;
}

export function segmentPath(folder: string, id: string, number: number): string {
  return join(folder, `${id}.${number}.journal`);
}

/** Oldest first. */
export function listSegments(folder: string, id: string): Segment[] {
  return filesIn(folder)
    .flatMap((name) => {
      const [, of, number] = NAME.exec(name) ?? [];
      return of === id ? [{ number: Number(number), path: join(folder, name) }] : [];
    })
    .sort((a, b) => a.number - b.number);
}

/** Segments of other journals, by their path. */
export function foreignSegments(folder: string, id: string): string[] {
  return filesIn(folder)
    .filter((name) => {
      const of = NAME.exec(name)?.[1];
      return of !== undefined && of !== id;
    })
    .map((name) => join(folder, name));
}

/** Oldest first. A segment that cannot be read at all is one that is cut at its beginning. */
export function readJournal(folder: string, id: string): SegmentContent[] {
  return listSegments(folder, id).map((segment) => ({ ...segment, ...readSegment(segment.path, id, segment.number) }));
}

const NAME = /^([^.]+)\.(\d+)\.journal$/;

function readSegment(path: string, id: string, number: number): Pick<SegmentContent, "texts" | "cutAt"> {
  const content = contentOf(path);
  if (!content) return { texts: [], cutAt: 0 };
  const { texts, end, isEnded } = wholeFrames(content, segmentPath("", id, number));
  return { texts: texts.map(({ text }) => text), cutAt: isEnded ? undefined : end };
}

function contentOf(path: string): Buffer<ArrayBuffer> | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
