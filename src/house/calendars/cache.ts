// The last downloaded calendars on disk, so that they work without a network and after a restart.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { filesIn, removeIfPossible, writeFileAtomic } from "../../kit/files/atomic-file.ts";
import type { Validators } from "./download.ts";

/** Beside each calendar. */
const Note = Type.Object({
  /** Of the address: a calendar of another one does not count. */
  address: Type.String(),
  /** Epoch ms of the last answer. */
  refreshed_at: Type.Number(),
  etag: Type.Optional(Type.String()),
  last_modified: Type.Optional(Type.String()),
});
type Note = Static<typeof Note>;

export interface Cached extends Validators {
  path: string;
  /** Epoch ms. */
  refreshedAt: number;
}

export interface CalendarCache {
  /** Undefined where there is none from this address. */
  find(id: string, address: string): Cached | undefined;
  /** Lays a download beside the present one, and returns its path. */
  stage(id: string, bytes: Uint8Array): string;
  /** The staged one is the calendar from now on. */
  accept(id: string, address: string, validators: Validators, at: number): Cached;
  /** It is still as it was. */
  confirm(id: string, address: string, known: Validators, at: number): Cached;
  discard(id: string): void;
  /** Removes those of other calendars. */
  keepOnly(ids: readonly string[]): void;
}

export function createCache(folder: string): CalendarCache {
  const calendarOf = (id: string): string => join(folder, `${id}.ics`);
  const stagedOf = (id: string): string => join(folder, `${id}.ics.new`);
  const noteOf = (id: string): string => join(folder, `${id}.json`);

  function save(id: string, address: string, { etag, lastModified }: Validators, at: number): Cached {
    const note: Note = {
      address: digestOf(address),
      refreshed_at: at,
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { last_modified: lastModified }),
    };
    writeFileAtomic(noteOf(id), JSON.stringify(note), 0o600);
    return { path: calendarOf(id), refreshedAt: at, ...validatorsIn(note) };
  }

  return {
    find(id, address) {
      const note = readNote(noteOf(id));
      if (note?.address !== digestOf(address)) return undefined;
      return { path: calendarOf(id), refreshedAt: note.refreshed_at, ...validatorsIn(note) };
    },
    stage(id, bytes) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileAtomic(stagedOf(id), bytes, 0o600);
      return stagedOf(id);
    },
    accept(id, address, validators, at) {
      // The note last: without it, the calendar is downloaded again.
      rmSync(noteOf(id), { force: true });
      renameSync(stagedOf(id), calendarOf(id));
      return save(id, address, validators, at);
    },
    confirm: save,
    discard: (id) => removeIfPossible(stagedOf(id)),
    keepOnly(ids) {
      const kept = new Set(ids.flatMap((id) => [`${id}.ics`, `${id}.json`]));
      for (const name of filesIn(folder)) if (!kept.has(name)) removeIfPossible(join(folder, name));
    },
  };
}

function validatorsIn({ etag, last_modified }: Note): Validators {
  return { ...(etag !== undefined && { etag }), ...(last_modified !== undefined && { lastModified: last_modified }) };
}

function digestOf(address: string): string {
  return createHash("sha256").update(address).digest("base64url");
}

function readNote(path: string): Note | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Value.Check(Note, note) ? note : undefined;
  } catch {
    // There is none, or it was cut off: the calendar is downloaded again.
    return undefined;
  }
}
