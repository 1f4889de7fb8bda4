// What this machine notes of its copy (`data/standby-copy.json`): without it, the state database is not a copy, but that of a hub that
// ran here.
import { existsSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { syncFolder, writeFileAtomic } from "../../core/atomic-file.ts";
import { systemCode } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import type { Home } from "../../home/paths.ts";
import { stateHashOf } from "./state-pages.ts";

const CopyNote = Type.Object({
  version: Type.Literal(1),
  /** There was a whole answer since it was begun, and nothing was found wrong since. */
  isComplete: Type.Boolean(),
  /** A hub may have started from it; it did where the state has another hash now. */
  handedOver: Type.Optional(Type.String()),
});
type CopyNote = Static<typeof CopyNote>;

export interface CopyNotes {
  /** Undefined where the home holds no copy. */
  read(): { isComplete: boolean; copiedAt: number; isHandedOver: boolean } | undefined;
  /** On the disk when it returns. */
  write(note: Omit<CopyNote, "version">): void;
  /** The time of the copy is that of the file: a write each time would wear the disk. */
  touch(at: number): void;
  remove(): void;
}

export function openCopyNotes({ data, stateDb }: Pick<Home, "data" | "stateDb">): CopyNotes {
  const path = join(data, "standby-copy.json");
  return {
    read() {
      const note = readNote(path);
      if (!note || (note.handedOver !== undefined && hubRanOn(stateDb, note.handedOver))) return undefined;
      const isHandedOver = note.handedOver !== undefined;
      return { isComplete: note.isComplete, copiedAt: statSync(path).mtimeMs, isHandedOver };
    },
    write(note) {
      writeFileAtomic(path, `${JSON.stringify({ version: 1, ...note })}\n`, 0o600);
    },
    touch(at) {
      utimesSync(path, at / 1000, at / 1000);
    },
    remove() {
      rmSync(path, { force: true });
      syncFolder(data);
    },
  };
}

function readNote(path: string): CopyNote | undefined {
  try {
    const parsed = parseJson(readFileSync(path, "utf8"));
    return parsed.ok && Value.Check(CopyNote, parsed.value) ? parsed.value : undefined;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Each start of a hub writes to its state. */
function hubRanOn(stateDb: string, handedOver: string): boolean {
  const wal = `${stateDb}-wal`;
  return (existsSync(wal) && statSync(wal).size > 0) || stateHashOf(stateDb) !== handedOver;
}
