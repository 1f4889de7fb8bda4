// Reads the directory of a zip without trusting it: every number is checked, and nothing is unpacked. The directory alone
// decides what the archive holds. Whatever repeats it (a second end record, the 64-bit record, local headers, a Unicode name
// beside the name) must agree, or the archive is refused: so every program sees the same files in it.
import { fstatSync, readSync } from "node:fs";
import { HubError } from "../../../../kit/schema/errors.ts";
import {
  CENTRAL,
  DEFLATE,
  END,
  END64,
  END64_BYTES,
  FULL_16,
  FULL_32,
  LOCATOR64,
  MAX_ENTRIES,
  REGULAR_FILE,
  STORED,
  UNIX,
  ZIP64_FIELD,
} from "./format.ts";

export interface ZipEntry {
  readonly name: string;
  /** As its bytes are in the archive. */
  readonly rawName: Buffer;
  readonly isFolder: boolean;
  /** Permission bits; undefined where the tool that made it does not store them. */
  readonly mode: number | undefined;
  readonly compression: number;
  readonly crc: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Of its local header. */
  readonly offset: number;
}

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  /** Where it begins: all entries end before it. */
  readonly offset: number;
}

const END_BYTES = 22;
const LOCATOR_BYTES = 20;
const CENTRAL_BYTES = 46;
const MAX_COMMENT = 0xffff;
const DIRECTORY_MAX_BYTES = 64 * 1024 * 1024;
// Encrypted, strongly encrypted, patched data, or masked headers.
const NOT_PLAIN = 0x0001 | 0x0020 | 0x0040 | 0x2000;
const UNICODE_NAME = 0x7075;
const FILE_TYPE = 0o170000;
const FOLDER = 0o040000;

/** Throws HubError `invalid`, with the problems of all entries at once. */
export function readDirectory(file: number): ZipDirectory {
  const size = fstatSync(file).size;
  const end = findEnd(file, size);
  if (end.bytes > DIRECTORY_MAX_BYTES || end.entries > MAX_ENTRIES)
    throw refusal(`it lists ${end.entries} files, more than any home has`);
  // Some programs use the stated offset, others count back from the end: both must lead to the same directory.
  if (end.offset + end.bytes !== end.at)
    throw refusal("its directory is not where it ends, or lies outside of it: it is truncated or damaged");
  return { entries: readEntries(readAt(file, end.offset, end.bytes), end.entries), offset: end.offset };
}

export function refusal(why: string): HubError {
  return new HubError("invalid", `the archive is refused: ${why}`);
}

export function readAt(file: number, offset: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  let got = 0;
  while (got < bytes) {
    const more = readSync(file, buffer, got, bytes - got, offset + got);
    if (more === 0) throw refusal("it is truncated");
    got += more;
  }
  return buffer;
}

interface End {
  entries: number;
  bytes: number;
  offset: number;
  /** Where the end record itself begins. */
  at: number;
}

function findEnd(file: number, size: number): End {
  const tailBytes = Math.min(size, END_BYTES + MAX_COMMENT);
  const tail = readAt(file, size - tailBytes, tailBytes);
  const found: number[] = [];
  for (let at = tailBytes - END_BYTES; at >= 0; at--) {
    // Its comment must reach to the end of the file: the signature may also occur within a comment.
    if (tail.readUInt32LE(at) === END && at + END_BYTES + tail.readUInt16LE(at + 20) === tailBytes) found.push(at);
  }
  const [at, another] = found;
  if (at === undefined) throw refusal("it is not a zip, or a truncated one: its end is missing");
  if (another !== undefined) throw refusal("it has two end records, and programs differ in which one they read");
  return readEnd(file, tail.subarray(at), size - tailBytes + at);
}

function readEnd(file: number, record: Buffer, at: number): End {
  const [disk, directoryDisk, here] = [record.readUInt16LE(4), record.readUInt16LE(6), record.readUInt16LE(8)];
  const end = { entries: record.readUInt16LE(10), bytes: record.readUInt32LE(12), offset: record.readUInt32LE(16), at };
  const wider = readEnd64(file, at);
  if (wider) {
    // What fits into both records must be in both.
    const differs =
      (end.entries !== FULL_16 && end.entries !== wider.entries) ||
      (end.bytes !== FULL_32 && end.bytes !== wider.bytes) ||
      (end.offset !== FULL_32 && end.offset !== wider.offset);
    if (differs) throw refusal("its two end records differ: it is damaged");
    return wider;
  }
  if (end.entries === FULL_16 || end.bytes === FULL_32 || end.offset === FULL_32)
    throw refusal("its directory is damaged");
  if (disk !== 0 || directoryDisk !== 0 || here !== end.entries) throw refusal("it is one volume of several");
  return end;
}

/** The 64-bit end record, where there is one. */
function readEnd64(file: number, at: number): End | undefined {
  if (at < LOCATOR_BYTES) return undefined;
  const locator = readAt(file, at - LOCATOR_BYTES, LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== LOCATOR64) return undefined;
  if (locator.readUInt32LE(16) > 1) throw refusal("its directory is damaged");
  const where = readUInt64(locator, 8);
  if (where + END64_BYTES + LOCATOR_BYTES > at) throw refusal("its directory is damaged");
  const record = readAt(file, where, END64_BYTES);
  if (record.readUInt32LE(0) !== END64 || where + 12 + readUInt64(record, 4) + LOCATOR_BYTES !== at)
    throw refusal("its directory is damaged");
  if (readUInt64(record, 24) !== readUInt64(record, 32)) throw refusal("it is one volume of several");
  return { entries: readUInt64(record, 32), bytes: readUInt64(record, 40), offset: readUInt64(record, 48), at: where };
}

function readUInt64(buffer: Buffer, at: number): number {
  const value = buffer.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw refusal("it claims a size that no disk can have");
  return Number(value);
}

function readEntries(directory: Buffer, count: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  const problems: string[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + CENTRAL_BYTES > directory.length || directory.readUInt32LE(at) !== CENTRAL)
      throw refusal("its directory is damaged");
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const next = at + CENTRAL_BYTES + nameBytes + extraBytes + commentBytes;
    if (next > directory.length) throw refusal("its directory is damaged");
    const read = readEntry(directory.subarray(at, next), nameBytes, extraBytes);
    if ("problem" in read) problems.push(read.problem);
    else entries.push(read);
    at = next;
  }
  if (at !== directory.length) throw refusal("its directory is damaged");
  if (problems.length > 0) throw refusal(problems.slice(0, 10).join("; "));
  return entries;
}

function readEntry(record: Buffer, nameBytes: number, extraBytes: number): ZipEntry | { problem: string } {
  const flags = record.readUInt16LE(8);
  const rawName = record.subarray(CENTRAL_BYTES, CENTRAL_BYTES + nameBytes);
  const name = decodeName(rawName);
  if (name === undefined)
    return {
      problem: `the name ${JSON.stringify(rawName.toString("latin1"))} is not in UTF-8: pack it again with a tool that writes UTF-8`,
    };
  const shown = JSON.stringify(name);
  if (flags & NOT_PLAIN) return { problem: `${shown} is encrypted by zip, which the hub does not read` };
  const extra = record.subarray(CENTRAL_BYTES + nameBytes, CENTRAL_BYTES + nameBytes + extraBytes);
  const second = extraField(extra, UNICODE_NAME);
  if (second && !second.subarray(5).equals(rawName)) return { problem: `${shown} has a second name that differs` };
  if (record.readUInt16LE(34) !== 0) return { problem: `${shown} lies in another volume of the archive` };
  const unix = record.readUInt8(5) === UNIX ? record.readUInt32LE(38) >>> 16 : 0;
  const type = unix & FILE_TYPE;
  const isFolder = name.endsWith("/");
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR_FILE))
    return { problem: `${shown} is a link or a device, not a file` };
  const compression = record.readUInt16LE(10);
  if (compression !== STORED && compression !== DEFLATE)
    return {
      problem: `${shown} is compressed in a way (${compression}) the hub does not read: pack it with "deflate"`,
    };
  const mode = type === 0 ? undefined : unix & 0o777;
  const crc = record.readUInt32LE(16);
  return { name, rawName: Buffer.from(rawName), isFolder, mode, compression, crc, ...sizes(record, extra) };
}

// Not by the flag for UTF-8: many tools write UTF-8 without setting it.
function decodeName(raw: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return undefined;
  }
}

/** Sizes and offset, from the Zip64 field where they need more than 32 bits. */
function sizes(record: Buffer, extra: Buffer): Pick<ZipEntry, "bytes" | "compressedBytes" | "offset"> {
  const wideField = extraField(extra, ZIP64_FIELD);
  let at = 0;
  const read = (field: number): number => {
    const short = record.readUInt32LE(field);
    if (short !== FULL_32 || wideField === undefined) return short;
    if (at + 8 > wideField.length) throw refusal("its directory is damaged");
    at += 8;
    return readUInt64(wideField, at - 8);
  };
  const bytes = read(24);
  const compressedBytes = read(20);
  return { bytes, compressedBytes, offset: read(42) };
}

/** The content of the first extra field of a kind. */
function extraField(extra: Buffer, kind: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; ) {
    const bytes = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === kind) return extra.subarray(at + 4, at + 4 + bytes);
    at += 4 + bytes;
  }
  return undefined;
}
