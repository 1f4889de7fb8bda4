// What the header of an SQLite file says, read without SQLite: which would apply the log beside it.
import { closeSync, openSync, readSync, statSync } from "node:fs";

export interface FileHeader {
  /** `application_id`: the mark of this database, see copies/backup/restore/stale-wal.ts. */
  mark: number;
  schema: number;
  /** Both 2 where the database keeps a log. */
  journalMode: number;
  pageSize: number;
  pages: number;
}

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
export const MARK_AT = 68;

/** Of the file itself, without its log; undefined where the file is missing or no database. */
export function readHeader(path: string): FileHeader | undefined {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < HEADER_BYTES) return undefined;
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(HEADER_BYTES);
    readSync(file, head, 0, head.length, 0);
    if (head.toString("latin1", 0, MAGIC.length) !== MAGIC) return undefined;
    const pageSize = head.readUInt16BE(16);
    return {
      mark: head.readUInt32BE(MARK_AT),
      schema: head.readUInt32BE(60),
      journalMode: head.readUInt16BE(18),
      // 65536 does not fit.
      pageSize: pageSize === 1 ? 65_536 : pageSize,
      pages: head.readUInt32BE(28),
    };
  } finally {
    closeSync(file);
  }
}

/** Whether all pages are there that the header speaks of: a file that is being copied has fewer. */
export function isComplete(path: string): boolean {
  const header = readHeader(path);
  return header !== undefined && statSync(path).size >= header.pages * header.pageSize;
}
