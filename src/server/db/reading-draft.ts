// Readings that wait to be written to the journal, in a file that is kept in memory (tmpfs): it outlives the process, though not the
// machine, and wears no disk. Whoever opens the journal next makes a segment of it.
import { Database } from "bun:sqlite";
import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { frameOf } from "../../kit/files/journal-frame.ts";
import { readJournal, segmentPath } from "../../kit/files/journal-reader.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf, systemCode } from "../../kit/schema/errors.ts";
import { isObject, parseJson } from "../../kit/schema/json.ts";
import type { Clock, Timer } from "../../kit/time/clock.ts";
import { journalIdIn, readingsFolder } from "./readings.ts";

/** How far the journal is: then the draft goes on from there. */
export interface JournalPosition {
  /** The segment that is written. */
  segment: number;
  /** Of the texts in it. */
  bytes: number;
}

export interface ReadingDraft extends Disposable {
  /** In the file when it returns, as its sender may be answered next; in a flood within a millisecond. */
  add(reading: string, position: JournalPosition): void;
  /** What was added is in the journal, or not needed any more. */
  clear(): void;
}

export interface DraftOptions {
  /** The journal's folder, and its id. */
  folder: string;
  id: string;
  clock: Pick<Clock, "mono" | "after">;
  log: Pick<Log, "debug">;
}

const MEMORY = "/dev/shm";
/** So many writes in a row are made at once, and one more each millisecond. */
const MAX_AT_ONCE = 50;

/** One for each home of this machine; undefined where there is no such memory. */
export function draftPath(folder: string): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  const home = dirname(folder);
  const real = existsSync(home) ? join(realpathSync(home), basename(folder)) : folder;
  return join(MEMORY, `hub-readings-${Bun.hash(real).toString(16)}`);
}

/** Where there is no memory for it, it does nothing: then a killed process loses the readings of its last seconds. */
export function openDraft({ folder, id, clock, log }: DraftOptions): ReadingDraft {
  const path = draftPath(folder);
  let isOff = path === undefined;
  let handle: number | undefined;
  let size = 0;
  let lines: string[] = [];
  let position: JournalPosition | undefined;
  let isDue = false;
  let allowance = MAX_AT_ONCE;
  let allowedAt = clock.mono();
  let timer: Timer | undefined;

  function attempt(work: () => void): void {
    if (isOff) return;
    try {
      work();
    } catch (error) {
      isOff = true;
      log.debug("readings cannot be kept in memory for the case of a kill", { file: path, error: messageOf(error) });
    }
  }

  function opened(): number {
    if (handle !== undefined) return handle;
    rmSync(path ?? "", { force: true });
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
    handle = openSync(path ?? "", O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
    return handle;
  }

  function write(): void {
    isDue = false;
    if (lines.length === 0) return;
    allowance--;
    const { segment, bytes } = position ?? {};
    const head = size === 0 ? `${JSON.stringify({ id, segment, bytes })}\n` : "";
    const text = `${head}${lines.join("\n")}\n`;
    lines = [];
    attempt(() => {
      size += writeSync(opened(), text, size);
    });
  }

  return {
    add(reading, at) {
      if (isOff) return;
      position ??= at;
      lines.push(reading);
      if (isDue) return;
      isDue = true;
      const now = clock.mono();
      allowance = Math.min(MAX_AT_ONCE, allowance + now - allowedAt);
      allowedAt = now;
      if (allowance >= 1) write();
      else timer = clock.after("reading-draft", 1, write);
    },
    clear() {
      lines = [];
      position = undefined;
      if (size === 0) return;
      size = 0;
      attempt(() => ftruncateSync(opened()));
    },
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      isOff = true;
      if (handle === undefined) return;
      closeSync(handle);
      handle = undefined;
      rmSync(path ?? "", { force: true });
    },
  };
}

/** Makes a segment of what a process that was killed had in memory, and forgets it. Returns how many readings. Throws the system's error. */
export function recoverDraft(folder: string, id: string): number {
  const path = draftPath(folder);
  const text = path && ownText(path);
  if (!path || text === undefined) return 0;
  const [head = "", ...readings] = text.split("\n").slice(0, -1);
  const segment = segmentAfter(head, folder, id);
  if (segment !== undefined && readings.length > 0) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const content = Buffer.from(`[${readings.join(",")}]`);
    writeFileAtomic(segmentPath(folder, id, segment), frameOf(content, segmentPath("", id, segment)), 0o600);
  }
  rmSync(path, { force: true });
  return segment === undefined ? 0 : readings.length;
}

/** Of a hub that was killed, and does not start again from its database. */
export function recoverDraftBeside(stateDb: string): void {
  using db = new Database(stateDb, { readonly: true });
  recoverDraft(readingsFolder(stateDb), journalIdIn(db));
}

/** Others may write to that folder too. */
function ownText(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.uid !== process.getuid?.()) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Undefined where the journal went on after the draft was begun: then it has what was in it. */
function segmentAfter(head: string, folder: string, id: string): number | undefined {
  const parsed = parseJson(head);
  if (!parsed.ok || !isObject(parsed.value) || parsed.value.id !== id) return undefined;
  const { segment, bytes } = parsed.value;
  if (typeof segment !== "number" || typeof bytes !== "number") return undefined;
  const last = readJournal(folder, id).at(-1);
  if (!last || last.number < segment) return bytes === 0 ? segment : undefined;
  const written = last.texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  return last.number === segment && written === bytes ? segment + 1 : undefined;
}
