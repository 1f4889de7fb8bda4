// Pages of a database in its file, without SQLite.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { isStorageFault } from "../../../kit/files/storage-fault.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { PAGE_HASH_BYTES, pageHashes, pageSizeOf } from "../hashes.ts";
import type { PagesHead } from "../protocol.ts";

const APPLICATION_ID_AT = 68;
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const CHUNK_BYTES = 1_048_576;
const MAX_PAGE = 65_536;

/** Throws HubError `invalid` where they do not fit the file as it is. */
export function checkPages({ pageSize, count, numbers }: PagesHead, content: Uint8Array, stateDb: string): void {
  const isSize = pageSize >= 512 && pageSize <= MAX_PAGE && (pageSize & (pageSize - 1)) === 0;
  const inOrder = numbers.every((page, at) => Number.isInteger(page) && page > (numbers[at - 1] ?? -1) && page < count);
  if (!isSize || !inOrder || content.length !== numbers.length * pageSize) throw unfit();
  const isFirst = numbers[0] === 0;
  if (isFirst && Buffer.from(content.buffer, content.byteOffset, MAGIC.length).toString("latin1") !== MAGIC)
    throw unfit();
  if (numbers.length === count) return;
  // Of what goes beyond its present end, no page may be missing.
  const header = readHeader(stateDb);
  if (!header || pageSizeOf(header) !== pageSize) throw unfit();
  const present = pagesOf(stateDb, pageSize);
  if (numbers.filter((page) => page >= present).length !== Math.max(0, count - present)) throw unfit();
}

function unfit(): HubError {
  return new HubError("invalid", "the other hub sent pages that do not fit the state database");
}

interface Synced {
  /** On the disk when it returns; unless said, it is. */
  synced?: boolean;
}

/** Writes the pages behind the present end: where there is no room for them, the file is as it was. */
export function extend(path: string, head: PagesHead, content: Uint8Array, { synced = true }: Synced = {}): void {
  const file = openSync(path, "r+");
  try {
    const { size } = fstatSync(file);
    try {
      writePages(file, head, content, (page) => page * head.pageSize >= size);
      if (synced) fsyncSync(file);
    } catch (error) {
      if (isStorageFault(error)) ftruncateSync(file, size);
      throw error;
    }
  } finally {
    closeSync(file);
  }
}

/** All of them, and the file then has as many as there are. */
export function overwrite(path: string, head: PagesHead, content: Uint8Array, { synced = true }: Synced = {}): void {
  const file = openSync(path, "r+");
  try {
    writePages(file, head, content, () => true);
    ftruncateSync(file, head.count * head.pageSize);
    if (synced) fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function writePages(
  file: number,
  { numbers, pageSize }: PagesHead,
  content: Uint8Array,
  isDue: (page: number) => boolean,
): void {
  for (const [index, page] of numbers.entries()) {
    if (!isDue(page)) continue;
    const bytes = content.subarray(index * pageSize, (index + 1) * pageSize);
    for (let done = 0; done < pageSize; ) done += writeSync(file, bytes, done, pageSize - done, page * pageSize + done);
  }
}

/** Everything that was written to it is on the disk when it returns. */
export function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The hashes of all pages; empty where there is no database. */
export function hashFile(path: string): Uint8Array {
  const header = readHeader(path);
  if (!header) return new Uint8Array(0);
  const pageSize = pageSizeOf(header);
  const hashes = new Uint8Array(pagesOf(path, pageSize) * PAGE_HASH_BYTES);
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const file = openSync(path, "r");
  try {
    for (let at = 0, page = 0; page * PAGE_HASH_BYTES < hashes.length; ) {
      const read = readFully(file, chunk, at);
      const some = pageHashes(chunk.subarray(0, read - (read % pageSize)), pageSize);
      if (some.length === 0) break;
      hashes.set(some, page * PAGE_HASH_BYTES);
      page += some.length / PAGE_HASH_BYTES;
      at = page * pageSize;
    }
  } finally {
    closeSync(file);
  }
  return hashes;
}

function readFully(file: number, into: Buffer, at: number): number {
  let done = 0;
  for (;;) {
    const read = readSync(file, into, done, into.length - done, at + done);
    done += read;
    if (read === 0 || done === into.length) return done;
  }
}

/** Undefined where the file is no database. */
function readHeader(path: string): Buffer | undefined {
  if (!existsSync(path)) return undefined;
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readFully(file, header, 0);
    return header.toString("latin1", 0, MAGIC.length) === MAGIC ? header : undefined;
  } finally {
    closeSync(file);
  }
}

/** `application_id`; 0 where there is no database. */
export function applicationIdOf(path: string): number {
  return readHeader(path)?.readUInt32BE(APPLICATION_ID_AT) ?? 0;
}

function pagesOf(path: string, pageSize: number): number {
  return Math.floor(statSync(path).size / pageSize);
}
