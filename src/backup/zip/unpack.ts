// One entry of a zip into one file: never more bytes than it claims, and its sums told.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { crc32, createInflateRaw } from "node:zlib";
import { HubError, messageOf } from "../../core/errors.ts";
import { shown } from "../names.ts";
import { readAt, refusal, type ZipDirectory, type ZipEntry } from "./directory.ts";
import { FULL_32, LOCAL } from "./format.ts";
import { through } from "./through.ts";

const LOCAL_BYTES = 30;
const SUMS_FOLLOW = 0x0008;
const STORED = 0;
// Deflate cannot do better; what claims more is made to fill disks.
const BEST_RATIO = 1032;
const READ_BYTES = 256 * 1024;

/** Throws HubError `invalid` where entries share bytes, lie elsewhere than told, or claim what deflate cannot do. */
export function checkPlaces(file: number, { entries, offset: directoryAt }: ZipDirectory): void {
  let free = 0;
  for (const entry of [...entries].sort((a, b) => a.offset - b.offset)) {
    const { name, offset, bytes, compressedBytes, compression } = entry;
    if (offset < free) throw refusal(`${shown(name)} lies over another file, as in a zip bomb`);
    const begin = dataOffset(file, entry);
    free = begin + compressedBytes;
    if (free > directoryAt) throw refusal(`${shown(name)} reaches beyond its end: it is damaged`);
    const possible = compression === STORED ? compressedBytes : (compressedBytes + 1) * BEST_RATIO;
    if (bytes > possible) throw refusal(`${shown(name)} claims to hold more than it can, as in a zip bomb`);
  }
}

/** Where the entry's data begin; what its own header says of it must be what the directory says. */
function dataOffset(file: number, entry: ZipEntry): number {
  const { name, rawName, offset, compression, crc } = entry;
  const header = readAt(file, offset, LOCAL_BYTES);
  const nameBytes = header.readUInt16LE(26);
  const isThere = header.readUInt32LE(0) === LOCAL && nameBytes === rawName.length;
  if (!isThere || !readAt(file, offset + LOCAL_BYTES, nameBytes).equals(rawName))
    throw refusal(`${shown(name)} is not where the directory says: it is damaged`);
  // With that flag they stand behind the data, where only who reads the archive from its beginning looks.
  const sums =
    header.readUInt16LE(6) & SUMS_FOLLOW ? true : header.readUInt32LE(14) === crc && sizesAgree(header, entry);
  if (header.readUInt16LE(8) !== compression || !sums)
    throw refusal(`${shown(name)} is described in two ways, which differ: it is damaged`);
  return offset + LOCAL_BYTES + nameBytes + header.readUInt16LE(28);
}

/** Those that do not fit are in the Zip64 part. */
function sizesAgree(header: Buffer, { compressedBytes, bytes }: ZipEntry): boolean {
  const agree = (at: number, told: number): boolean => [FULL_32, told].includes(header.readUInt32LE(at));
  return agree(18, compressedBytes) && agree(22, bytes);
}

/**
 * Writes the entry to `target`, which must not be there yet, and answers the SHA-256 of its content. Throws HubError
 * `invalid` where it is damaged; the system's errors where it cannot be written.
 */
export async function unpackEntry(file: number, entry: ZipEntry, target: string): Promise<string> {
  const out = openSync(target, "wx", 0o600);
  try {
    const sha256 = await pour(file, entry, (chunk) => writeAll(out, chunk));
    fsyncSync(out);
    return sha256;
  } finally {
    closeSync(out);
  }
}

/** A small entry's content. Throws HubError `invalid`. */
export async function readEntry(file: number, entry: ZipEntry, maxBytes: number): Promise<Buffer> {
  if (entry.bytes > maxBytes) throw refusal(`${shown(entry.name)} is too large`);
  const chunks: Uint8Array[] = [];
  await pour(file, entry, (chunk) => void chunks.push(Uint8Array.from(chunk)));
  return Buffer.concat(chunks);
}

async function pour(file: number, entry: ZipEntry, take: (chunk: Uint8Array) => void): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  let crc = 0;
  let bytes = 0;
  for await (const chunk of contentOf(file, entry)) {
    bytes += chunk.length;
    if (bytes > entry.bytes) throw refusal(`${shown(entry.name)} holds more than it claims`);
    hash.update(chunk);
    crc = crc32(chunk, crc);
    take(chunk);
  }
  if (bytes !== entry.bytes || crc !== entry.crc)
    throw refusal(`${shown(entry.name)} is damaged: its content does not match its checksum`);
  return hash.digest("hex");
}

async function* contentOf(file: number, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const raw = rawOf(file, entry);
  if (entry.compression === STORED) {
    yield* raw;
    return;
  }
  try {
    yield* through(raw, createInflateRaw({ chunkSize: 64 * 1024 }));
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw refusal(`${shown(entry.name)} is damaged: ${messageOf(error)}`);
  }
}

function* rawOf(file: number, entry: ZipEntry): Generator<Uint8Array> {
  const start = dataOffset(file, entry);
  const end = start + entry.compressedBytes;
  for (let at = start; at < end; at += READ_BYTES) yield readAt(file, at, Math.min(READ_BYTES, end - at));
}

function writeAll(file: number, chunk: Uint8Array): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
}
