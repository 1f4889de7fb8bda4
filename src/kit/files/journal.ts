// An append-only journal of texts, in numbered segments (files): bytes are written in the order they come, so a page of the
// disk is written once, where a row in a database costs a page or two each time. A text that was appended outlives the process;
// once it is synced, a power cut too. What a text says is left to the caller; reading is in journal-reader.ts.
import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { syncFolder, syncFolderSoon } from "./atomic-file.ts";
import { frameOf, HEADER_BYTES } from "./journal-frame.ts";
import { listSegments, segmentPath } from "./journal-reader.ts";

export interface Journal extends Disposable {
  /** The segment that is written, from 1; it has no file before the first text. */
  readonly segment: number;
  /** Of the texts in that segment, as they were given. */
  readonly bytes: number;
  /** Texts that a power cut would lose: how many bytes. */
  readonly unsynced: number;
  /** Written when it returns. Throws where the disk refuses; then the next text takes its place. */
  append(text: string): void;
  /** Synced when it returns. Throws where the disk refuses. */
  sync(): void;
  /** Begins to sync, and returns at once. */
  syncSoon(): void;
  /** Ends the segment that is written, and returns its number. */
  finish(): number;
  /** Segments up to this one are not needed any more. */
  release(through: number): void;
}

export interface JournalOptions {
  /** Made when the first text comes. */
  folder: string;
  /** Part of the files' names: segments of another id are never mixed in. */
  id: string;
  /** The first segment's number. */
  first: number;
  /** Synced, in the background or not. */
  onSynced?: () => void;
  /** A sync in the background failed. */
  onFault: (error: unknown) => void;
}

export function openJournal({ folder, id, first, onSynced, onFault }: JournalOptions): Journal {
  let segment = first;
  let file: SyncedFile | undefined;
  let end = 0;
  let bytes = 0;
  let unsynced = 0;
  // A released segment becomes the file of a later one: writing over blocks that are there spares the file system its own
  // journal at each sync.
  let spare: string | undefined;

  function begin(): SyncedFile {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = segmentPath(folder, id, segment);
    const reused = spare;
    spare = undefined;
    if (reused) renameSync(reused, path);
    const handle = openSync(path, reused ? "r+" : "w", 0o600);
    file = createSyncedFile(handle, { folders: [folder, dirname(folder)], onSynced, onFault });
    return file;
  }

  return {
    get segment() {
      return segment;
    },
    get bytes() {
      return bytes;
    },
    get unsynced() {
      return unsynced;
    },
    append(text) {
      const given = Buffer.from(text);
      const frame = frameOf(given, segmentPath("", id, segment));
      const { handle } = file ?? begin();
      for (let done = 0; done < frame.length; ) done += writeSync(handle, frame, done, frame.length - done, end + done);
      // The zeros behind the text, which say that it is the last one, are written over by the next.
      end += frame.length - HEADER_BYTES;
      bytes += given.length;
      unsynced += given.length;
    },
    sync() {
      if (unsynced > 0) file?.sync();
      unsynced = 0;
    },
    syncSoon() {
      if (unsynced > 0) file?.syncSoon();
      unsynced = 0;
    },
    finish() {
      if (unsynced > 0) file?.syncSoon();
      file?.close();
      file = undefined;
      end = 0;
      bytes = 0;
      unsynced = 0;
      return segment++;
    },
    release(through) {
      for (const { number, path } of listSegments(folder, id)) {
        if (number > through || (number === segment && file !== undefined)) continue;
        if (spare === undefined) spare = path;
        else if (spare !== path) rmSync(path, { force: true });
      }
    },
    [Symbol.dispose]() {
      file?.close();
      file = undefined;
      if (spare) rmSync(spare, { force: true });
      removeIfEmpty(folder);
    },
  };
}

interface SyncedFile {
  readonly handle: number;
  /** Throws. */
  sync(): void;
  syncSoon(): void;
  /** Once nothing syncs any more. */
  close(): void;
}

function syncData(handle: number): Promise<void> {
  return new Promise((resolve, reject) => fdatasync(handle, (error) => (error ? reject(error) : resolve())));
}

/** Syncing a file need not sync its name, and under another name its texts are nobody's: `folders` are synced with it, once. */
function createSyncedFile(
  handle: number,
  { folders, onSynced, onFault }: { folders: readonly string[] } & Pick<JournalOptions, "onSynced" | "onFault">,
): SyncedFile {
  let users = 1;
  let isNamed = false;
  const leave = (): void => {
    if (--users === 0) closeSync(handle);
  };

  async function syncAll(): Promise<void> {
    try {
      if (!isNamed) await Promise.all(folders.map(syncFolderSoon));
      isNamed = true;
      await syncData(handle);
      onSynced?.();
    } catch (error) {
      onFault(error);
    } finally {
      leave();
    }
  }

  return {
    handle,
    sync() {
      if (!isNamed) for (const folder of folders) syncFolder(folder);
      isNamed = true;
      fdatasyncSync(handle);
      onSynced?.();
    },
    syncSoon() {
      users++;
      void syncAll();
    },
    close: leave,
  };
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // There are segments in it, or it was never made.
  }
}
