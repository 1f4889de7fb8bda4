// The directory of a zip, read as a stranger's: every number is checked before it is believed, and nothing is unpacked.
import { fstatSync, readSync } from "node:fs";
import { HubError } from "../../core/errors.ts";
import {
  CENTRAL,
  DEFLATE,
  END,
  END64,
  END64_BYTES,
  FULL_16,
  FULL_32,
  LOCATOR64,
  MOST_ENTRIES,
  REGULAR_FILE,
  UNIX,
  ZIP64_PART,
} from "./format.ts";

export interface ZipEntry {
  readonly name: string;
  readonly isFolder: boolean;
  /** Permission bits; undefined where the tool that made it does not say. */
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
  /** Where it begins: all entries end before. */
  readonly offset: number;
}

const END_BYTES = 22;
const LOCATOR_BYTES = 20;
const CENTRAL_BYTES = 46;
const LONGEST_COMMENT = 0xffff;
const DIRECTORY_MAX_BYTES = 64 * 1024 * 1024;
const ENCRYPTED = 1;
const STORED = 0;
const FILE_TYPE = 0o170000;
const FOLDER = 0o040000;

/** Throws HubError `invalid`, with all problems of names and kinds at once. */
export function readDirectory(file: number): ZipDirectory {
  const size = fstatSync(file).size;
  const end = findEnd(file, size);
  if (end.bytes > DIRECTORY_MAX_BYTES || end.entries > MOST_ENTRIES)
    throw refusal(`it lists ${end.entries} files, more than any home has`);
  if (end.offset + end.bytes > end.at) throw refusal("its directory lies outside of it: it is cut short or damaged");
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
    if (more === 0) throw refusal("it is cut short");
    got += more;
  }
  return buffer;
}

interface End {
  entries: number;
  bytes: number;
  offset: number;
  /** Where the record of the end itself begins. */
  at: number;
}

function findEnd(file: number, size: number): End {
  const tailBytes = Math.min(size, END_BYTES + LONGEST_COMMENT);
  const tail = readAt(file, size - tailBytes, tailBytes);
  for (let at = tailBytes - END_BYTES; at >= 0; at--) {
    // The comment behind it must reach to the end of the file: the signature may also occur within a comment.
    if (tail.readUInt32LE(at) !== END || at + END_BYTES + tail.readUInt16LE(at + 20) !== tailBytes) continue;
    return readEnd(file, tail.subarray(at), size - tailBytes + at);
  }
  throw refusal("it is no zip, or one that is cut short: its end is missing");
}

function readEnd(file: number, record: Buffer, at: number): End {
  const [disk, directoryDisk, here] = [record.readUInt16LE(4), record.readUInt16LE(6), record.readUInt16LE(8)];
  const end = { entries: record.readUInt16LE(10), bytes: record.readUInt32LE(12), offset: record.readUInt32LE(16), at };
  if (end.entries === FULL_16 || end.bytes === FULL_32 || end.offset === FULL_32) return readEnd64(file, at);
  if (disk !== 0 || directoryDisk !== 0 || here !== end.entries) throw refusal("it is one part of several");
  return end;
}

function readEnd64(file: number, at: number): End {
  if (at < LOCATOR_BYTES) throw refusal("its directory is damaged");
  const locator = readAt(file, at - LOCATOR_BYTES, LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== LOCATOR64 || locator.readUInt32LE(16) > 1) throw refusal("its directory is damaged");
  const where = wide(locator, 8);
  if (where + END64_BYTES > at) throw refusal("its directory is damaged");
  const record = readAt(file, where, END64_BYTES);
  if (record.readUInt32LE(0) !== END64) throw refusal("its directory is damaged");
  if (wide(record, 24) !== wide(record, 32)) throw refusal("it is one part of several");
  return { entries: wide(record, 32), bytes: wide(record, 40), offset: wide(record, 48), at: where };
}

function wide(buffer: Buffer, at: number): number {
  const value = buffer.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw refusal("it claims a size that no disk has");
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
  const told = JSON.stringify(name);
  if (flags & ENCRYPTED) return { problem: `${told} is encrypted by zip, which the hub does not read` };
  const extra = record.subarray(CENTRAL_BYTES + nameBytes, CENTRAL_BYTES + nameBytes + extraBytes);
  const unix = record.readUInt8(5) === UNIX ? record.readUInt32LE(38) >>> 16 : 0;
  const type = unix & FILE_TYPE;
  const isFolder = name.endsWith("/");
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR_FILE))
    return { problem: `${told} is a link or a device, not a file` };
  const compression = record.readUInt16LE(10);
  if (compression !== STORED && compression !== DEFLATE)
    return { problem: `${told} is compressed in a way (${compression}) the hub does not read: pack it with "deflate"` };
  const mode = type === 0 ? undefined : unix & 0o777;
  return { name, isFolder, mode, compression, crc: record.readUInt32LE(16), ...sizes(record, extra) };
}

// The flag says UTF-8, but many tools write it without saying so; and plain ASCII is UTF-8 in any case.
function decodeName(raw: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return undefined;
  }
}

/** Sizes and place, from the Zip64 part where they do not fit. */
function sizes(record: Buffer, extra: Buffer): Pick<ZipEntry, "bytes" | "compressedBytes" | "offset"> {
  const part = zip64Part(extra);
  let at = 0;
  const read = (field: number): number => {
    const short = record.readUInt32LE(field);
    if (short !== FULL_32 || part === undefined) return short;
    if (at + 8 > part.length) throw refusal("its directory is damaged");
    at += 8;
    return wide(part, at - 8);
  };
  const bytes = read(24);
  const compressedBytes = read(20);
  return { bytes, compressedBytes, offset: read(42) };
}

function zip64Part(extra: Buffer): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; ) {
    const bytes = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === ZIP64_PART) return extra.subarray(at + 4, at + 4 + bytes);
    at += 4 + bytes;
  }
  return undefined;
}
