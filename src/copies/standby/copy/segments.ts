// The copy of the journal: whole texts, and the empty header that ends a segment (kit/files/journal-reader.ts). New texts are written behind
// those that are there, so that a kill leaves a journal that can be read up to the torn text.
import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { HEADER_BYTES, type WholeFrames, wholeFrames } from "../../../kit/files/journal-frame.ts";
import { HubError, systemCode } from "../../../kit/schema/errors.ts";
import { readingsFolder, readingsIn } from "../../../server/db/readings.ts";
import type { Home } from "../../../server/home/paths.ts";
import { contentHash } from "../hashes.ts";
import type { JournalHead, SyncRequest } from "../protocol.ts";

export interface SegmentName {
  /** The journal's. */
  id: string;
  number: number;
}

export interface CopiedSegment extends SegmentName {
  /** Of its oldest and its newest reading, in epoch ms of the other hub's clock; undefined where there is none. */
  from: number | undefined;
  to: number | undefined;
}

export interface CopiedSegments {
  have(): SyncRequest["have"]["journals"];
  /**
   * Does nothing where the texts do not follow those that are there, and returns false: then `have` says what is. `synced`: on the
   * disk when it returns. Throws HubError `invalid`, or the system's error.
   */
  write(head: JournalHead, content: Uint8Array, options?: { synced?: boolean }): boolean;
  /** Removes the segments that are not named and not needed. */
  keep(named: ReadonlySet<string>, isNeeded: (segment: SegmentName) => boolean): void;
  /** Ends each segment as a journal does, whatever a kill left behind its last whole text. */
  mend(): void;
  /** Those of one journal, oldest first. */
  list(id: string): CopiedSegment[];
  bytes(): number;
}

const PREFIX = "data/readings/";
const NAME = /^([^./]+)\.(\d+)\.journal$/;

interface Known extends Pick<CopiedSegment, "from" | "to"> {
  stamp: string;
  bytes: number;
  hash: string;
}

export function openCopiedSegments({ stateDb }: Pick<Home, "stateDb">): CopiedSegments {
  const folder = readingsFolder(stateDb);
  const known = new Map<string, Known>();

  /** `before`: what is known of the texts at its beginning, which have not changed. */
  function contentOf(name: string, before?: Known): Known | undefined {
    const stamp = stampOf(join(folder, name));
    if (stamp === undefined) return undefined;
    const present = known.get(name);
    if (present?.stamp === stamp) return present;
    const segment = { stamp, ...measure(readFileSync(join(folder, name)), name, before) };
    known.set(name, segment);
    return segment;
  }

  function all(): [string, Known][] {
    return namesIn(folder).flatMap((name) => {
      const segment = contentOf(name);
      return segment ? [[name, segment]] : [];
    });
  }

  return {
    have: () => Object.fromEntries(all().map(([name, { bytes, hash }]) => [PREFIX + name, { bytes, hash }])),
    write({ path, from }, content, { synced = false } = {}) {
      const name = nameIn(path);
      const file = join(folder, name);
      const before = from === 0 ? undefined : contentOf(name);
      if (from === 0) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileAtomic(file, content, 0o600);
      } else if (!before || from + HEADER_BYTES > before.bytes) return false;
      else append(file, from, { content, synced });
      known.delete(name);
      // Its texts are not read again each time that some are added.
      if (before && from + HEADER_BYTES === before.bytes) contentOf(name, before);
      return true;
    },
    keep(named, isNeeded) {
      for (const name of namesIn(folder)) {
        if (named.has(PREFIX + name) || isNeeded(nameOf(name))) continue;
        rmSync(join(folder, name), { force: true });
        known.delete(name);
      }
    },
    mend() {
      for (const name of namesIn(folder)) {
        const file = join(folder, name);
        const content = readFileSync(file);
        const texts = wholeTexts(content, name).content;
        known.delete(name);
        if (texts.length <= HEADER_BYTES) rmSync(file);
        else if (!texts.equals(content)) writeFileAtomic(file, texts, 0o600);
      }
    },
    list: (id) =>
      all()
        .map(([name, { from, to }]) => ({ ...nameOf(name), from, to }))
        .filter((segment) => segment.id === id)
        .sort((a, b) => a.number - b.number),
    bytes: () => all().reduce((sum, [, { bytes }]) => sum + bytes, 0),
  };
}

function nameIn(path: string): string {
  const name = path.slice(PREFIX.length);
  if (path.startsWith(PREFIX) && NAME.test(name)) return name;
  throw new HubError("invalid", `the other hub sent a journal that is none: ${path}`);
}

function nameOf(name: string): SegmentName {
  const [, id = "", number] = NAME.exec(name) ?? [];
  return { id, number: Number(number) };
}

function append(path: string, from: number, { content, synced }: { content: Uint8Array; synced: boolean }): void {
  const file = openSync(path, "r+");
  try {
    for (let done = 0; done < content.length; )
      done += writeSync(file, content, done, content.length - done, from + done);
    ftruncateSync(file, from + content.length);
    if (synced) fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

function measure(content: Buffer<ArrayBuffer>, name: string, before?: Known): Omit<Known, "stamp"> {
  const whole = wholeTexts(content, name);
  const isNew = ({ at }: { at: number }): boolean => before === undefined || at + HEADER_BYTES >= before.bytes;
  const readings = whole.texts.filter(isNew).flatMap(({ text }) => readingsIn(text));
  let [from, to] = [before?.from, before?.to];
  for (const { at } of readings) {
    from = Math.min(from ?? at, at);
    to = Math.max(to ?? at, at);
  }
  return { bytes: whole.content.length, hash: contentHash(whole.content), from, to };
}

/** `content`: with the empty header that ends them. */
function wholeTexts(content: Buffer<ArrayBuffer>, name: string): { content: Buffer; texts: WholeFrames["texts"] } {
  const { texts, end } = wholeFrames(content, name);
  const whole = Buffer.alloc(end + HEADER_BYTES);
  content.copy(whole, 0, 0, end);
  return { content: whole, texts };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => NAME.test(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** This process alone writes here, and forgets what it knew when it does. */
function stampOf(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : undefined;
}
