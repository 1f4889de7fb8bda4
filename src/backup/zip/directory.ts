// The directory of a zip, read as a stranger's: every number is checked before it is believed, and nothing is unpacked. It
// alone decides what the archive holds. Whatever else says something of it (a second end, the record in 64 bits, the local
// headers, a name in Unicode beside the name) says the same, or the archive is refused: no other program sees another one.
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
  /** As the archive has it. */
  readonly rawName: Buffer;
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
// Also by stronger means, patched, or with its headers masked.
const NOT_PLAIN = 0x0001 | 0x0020 | 0x0040 | 0x2000;
const UNICODE_NAME = 0x7075;
const STORED = 0;
const FILE_TYPE = 0o170000;
const FOLDER = 0o040000;

/** Throws HubError `invalid`, with all problems of names and kinds at once. */
export function readDirectory(file: number): ZipDirectory {
  const size = fstatSync(file).size;
  const end = findEnd(file, size);
  if (end.bytes > DIRECTORY_MAX_BYTES || end.entries > MOST_ENTRIES)
    throw refusal(`it lists ${end.entries} files, more than any home has`);
  // Some find the directory by where it is said to be, others count back from its end.
  if (end.offset + end.bytes !== end.at)
    throw refusal("its directory is not where it ends, or lies outside of it: it is cut short or damaged");
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
  const found: number[] = [];
  for (let at = tailBytes - END_BYTES; at >= 0; at--) {
    // The comment behind it must reach to the end of the file: the signature may also occur within a comment.
    if (tail.readUInt32LE(at) === END && at + END_BYTES + tail.readUInt16LE(at + 20) === tailBytes) found.push(at);
  }
  const [at, another] = found;
  if (at === undefined) throw refusal("it is no zip, or one that is cut short: its end is missing");
  if (another !== undefined) throw refusal("it has two ends, and programs differ in which one counts");
  return readEnd(file, tail.subarray(at), size - tailBytes + at);
}

function readEnd(file: number, record: Buffer, at: number): End {
  const [disk, directoryDisk, here] = [record.readUInt16LE(4), record.readUInt16LE(6), record.readUInt16LE(8)];
  const end = { entries: record.readUInt16LE(10), bytes: record.readUInt32LE(12), offset: record.readUInt32LE(16), at };
  const wider = readEnd64(file, at);
  if (wider) {
    // What fits into both stands in both.
    const differs =
      (end.entries !== FULL_16 && end.entries !== wider.entries) ||
      (end.bytes !== FULL_32 && end.bytes !== wider.bytes) ||
      (end.offset !== FULL_32 && end.offset !== wider.offset);
    if (differs) throw refusal("its two ends differ: it is damaged");
    return wider;
  }
  if (end.entries === FULL_16 || end.bytes === FULL_32 || end.offset === FULL_32)
    throw refusal("its directory is damaged");
  if (disk !== 0 || directoryDisk !== 0 || here !== end.entries) throw refusal("it is one part of several");
  return end;
}

/** The end in 64 bits, where there is one before the other. */
function readEnd64(file: number, at: number): End | undefined {
  if (at < LOCATOR_BYTES) return undefined;
  const locator = readAt(file, at - LOCATOR_BYTES, LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== LOCATOR64) return undefined;
  if (locator.readUInt32LE(16) > 1) throw refusal("its directory is damaged");
  const where = wide(locator, 8);
  if (where + END64_BYTES + LOCATOR_BYTES > at) throw refusal("its directory is damaged");
  const record = readAt(file, where, END64_BYTES);
  if (record.readUInt32LE(0) !== END64 || where + 12 + wide(record, 4) + LOCATOR_BYTES !== at)
    throw refusal("its directory is damaged");
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
  if (flags & NOT_PLAIN) return { problem: `${told} is encrypted by zip, which the hub does not read` };
  const extra = record.subarray(CENTRAL_BYTES + nameBytes, CENTRAL_BYTES + nameBytes + extraBytes);
  const second = extraPart(extra, UNICODE_NAME);
  if (second && !second.subarray(5).equals(rawName)) return { problem: `${told} has another name beside it` };
  if (record.readUInt16LE(34) !== 0) return { problem: `${told} lies in another part of the archive` };
  const unix = record.readUInt8(5) === UNIX ? record.readUInt32LE(38) >>> 16 : 0;
  const type = unix & FILE_TYPE;
  const isFolder = name.endsWith("/");
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR_FILE))
    return { problem: `${told} is a link or a device, not a file` };
  const compression = record.readUInt16LE(10);
  if (compression !== STORED && compression !== DEFLATE)
    return { problem: `${told} is compressed in a way (${compression}) the hub does not read: pack it with "deflate"` };
  const mode = type === 0 ? undefined : unix & 0o777;
  const crc = record.readUInt32LE(16);
  return { name, rawName: Buffer.from(rawName), isFolder, mode, compression, crc, ...sizes(record, extra) };
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
  const part = extraPart(extra, ZIP64_PART);
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

/** What one of the fields holds that stand behind the name; the first of its kind. */
function extraPart(extra: Buffer, kind: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length; ) {
    const bytes = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === kind) return extra.subarray(at + 4, at + 4 + bytes);
    at += 4 + bytes;
  }
  return undefined;
}
