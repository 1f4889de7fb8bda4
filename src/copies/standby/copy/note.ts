// What this machine notes of its copy (`data/standby-copy.json`): without it, the state database is not a copy, but that of a hub that
// ran here.
import { existsSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { syncFolder, writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { systemCode } from "../../../kit/schema/errors.ts";
import { parseJson } from "../../../kit/schema/json.ts";
import type { Home } from "../../../server/home/paths.ts";
import { stateHashOf } from "./state-pages.ts";

/** A hub with databases of a layout that the version which copied it did not know. */
const NewerHub = Type.Object({
  version: Type.String(),
  /** Its layouts. */
  schemas: Type.Object({ state: Type.Integer(), history: Type.Integer() }),
});
export type NewerHub = Static<typeof NewerHub>;

const CopyNote = Type.Object({
  version: Type.Literal(1),
  /** There was a whole answer since it was begun, and nothing was found wrong since. */
  isComplete: Type.Boolean(),
  /** Epoch ms of the copy, where the file was written for something else; else the time of the file is that of the copy. */
  copiedAt: Type.Optional(Type.Number()),
  /** What the hub has become since that copy: until there is one of it, this machine's version decides whether it may be the hub. */
  newerHub: Type.Optional(NewerHub),
  /** A hub may have started from it; it did where the state has another hash now. */
  handedOver: Type.Optional(Type.String()),
});
type CopyNote = Static<typeof CopyNote>;

export type Noted = Omit<CopyNote, "version">;

export interface CopyNotes {
  /** Undefined where the home holds no copy. `touchedAt`: epoch ms, the time of the file. */
  read(): { note: Noted; touchedAt: number } | undefined;
  /** On the disk when it returns. */
  write(note: Noted): void;
  /** Where the note has no `copiedAt`, the time of the copy is that of the file: a write each time would wear the disk. */
  touch(at: number): void;
  remove(): void;
}

export function openCopyNotes({ data, stateDb }: Pick<Home, "data" | "stateDb">): CopyNotes {
  const path = join(data, "standby-copy.json");
  return {
    read() {
      const note = readNote(path);
      if (!note || (note.handedOver !== undefined && hubRanOn(stateDb, note.handedOver))) return undefined;
      return { note, touchedAt: statSync(path).mtimeMs };
    },
    write(note) {
      const whole: CopyNote = { ...note, version: 1 };
      writeFileAtomic(path, `${JSON.stringify(whole)}\n`, 0o600);
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

function readNote(path: string): Noted | undefined {
  try {
    const parsed = parseJson(readFileSync(path, "utf8"));
    if (!parsed.ok || !Value.Check(CopyNote, parsed.value)) return undefined;
    const { version: _, ...note } = parsed.value;
    return note;
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
