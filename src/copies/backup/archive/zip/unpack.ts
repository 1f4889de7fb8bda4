// Unpacks one entry of a zip: never more bytes than it claims, with its checksum verified and its SHA-256 returned.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import type { Transform } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { HubError, messageOf } from "../../../../kit/schema/errors.ts";
import { readAt, refusal, type ZipDirectory, type ZipEntry } from "./directory.ts";
import { FULL_32, LOCAL, quoted, STORED } from "./format.ts";

const LOCAL_BYTES = 30;
const SUMS_FOLLOW = 0x0008;
// Deflate cannot do better: an entry that claims more is made to fill disks.
const BEST_RATIO = 1032;
const READ_BYTES = 256 * 1024;

/** Throws HubError `invalid` where entries overlap, are not where the directory says, or claim what deflate cannot do. */
export function checkPlaces(file: number, { entries, offset: directoryAt }: ZipDirectory): void {
  let free = 0;
  for (const entry of [...entries].sort((a, b) => a.offset - b.offset)) {
    const { name, offset, bytes, compressedBytes, compression } = entry;
    if (offset < free) throw refusal(`${quoted(name)} overlaps another file, as in a zip bomb`);
    const begin = dataOffset(file, entry);
    free = begin + compressedBytes;
    if (free > directoryAt) throw refusal(`${quoted(name)} reaches beyond its end: it is damaged`);
    const possible = compression === STORED ? compressedBytes : (compressedBytes + 1) * BEST_RATIO;
    if (bytes > possible) throw refusal(`${quoted(name)} claims to hold more than it can, as in a zip bomb`);
  }
}

/** Where the entry's data begin. Its local header must agree with the directory. */
function dataOffset(file: number, entry: ZipEntry): number {
  const { name, rawName, offset, compression, crc } = entry;
  const header = readAt(file, offset, LOCAL_BYTES);
  const nameBytes = header.readUInt16LE(26);
  const isLocal = header.readUInt32LE(0) === LOCAL && nameBytes === rawName.length;
  if (!isLocal || !readAt(file, offset + LOCAL_BYTES, nameBytes).equals(rawName))
    throw refusal(`${quoted(name)} is not where the directory says: it is damaged`);
  // With this flag, checksum and sizes follow the data, where only programs that read from the beginning look.
  const sumsAgree =
    (header.readUInt16LE(6) & SUMS_FOLLOW) !== 0 || (header.readUInt32LE(14) === crc && sizesAgree(header, entry));
  if (header.readUInt16LE(8) !== compression || !sumsAgree)
    throw refusal(`${quoted(name)} is described in two ways, which differ: it is damaged`);
  return offset + LOCAL_BYTES + nameBytes + header.readUInt16LE(28);
}

/** Sizes that need more than 32 bits are in the Zip64 field. */
function sizesAgree(header: Buffer, { compressedBytes, bytes }: ZipEntry): boolean {
  const agrees = (at: number, expected: number): boolean => [FULL_32, expected].includes(header.readUInt32LE(at));
  return agrees(18, compressedBytes) && agrees(22, bytes);
}

/**
 * Writes the entry to `target`, which must not exist yet, and returns the SHA-256 of its content. Throws HubError `invalid`
 * where it is damaged, and the system's errors where it cannot be written.
 */
export async function unpackEntry(file: number, entry: ZipEntry, target: string): Promise<string> {
  const out = openSync(target, "wx", 0o600);
  try {
    const sha256 = await extract(file, entry, (chunk) => writeAll(out, chunk));
    fsyncSync(out);
    return sha256;
  } finally {
    closeSync(out);
  }
}

/** The content of a small entry. Throws HubError `invalid`. */
export async function readEntry(file: number, entry: ZipEntry, maxBytes: number): Promise<Buffer> {
  if (entry.bytes > maxBytes) throw refusal(`${quoted(entry.name)} is too large`);
  const chunks: Uint8Array[] = [];
  await extract(file, entry, (chunk) => void chunks.push(Uint8Array.from(chunk)));
  return Buffer.concat(chunks);
}

async function extract(file: number, entry: ZipEntry, onChunk: (chunk: Uint8Array) => void): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  let crc = 0;
  let bytes = 0;
  for await (const chunk of contentOf(file, entry)) {
    bytes += chunk.length;
    if (bytes > entry.bytes) throw refusal(`${quoted(entry.name)} holds more than it claims`);
    hash.update(chunk);
    crc = crc32(chunk, crc);
    onChunk(chunk);
  }
  if (bytes !== entry.bytes || crc !== entry.crc)
    throw refusal(`${quoted(entry.name)} is damaged: its content does not match its checksum`);
  return hash.digest("hex");
}

async function* contentOf(file: number, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const raw = rawContentOf(file, entry);
  if (entry.compression === STORED) {
    yield* raw;
    return;
  }
  try {
    yield* through(raw, createInflateRaw({ chunkSize: 64 * 1024 }));
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw refusal(`${quoted(entry.name)} is damaged: ${messageOf(error)}`);
  }
}

function* rawContentOf(file: number, entry: ZipEntry): Generator<Uint8Array> {
  const start = dataOffset(file, entry);
  const end = start + entry.compressedBytes;
  for (let at = start; at < end; at += READ_BYTES) yield readAt(file, at, Math.min(READ_BYTES, end - at));
}

/** Passes chunks through a stream of node:zlib, with backpressure. Nothing is left open however it ends. */
async function* through(chunks: Iterable<Uint8Array>, stream: Transform): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const feeding = feed(chunks, stream).catch((error: unknown) => void stream.destroy(error as Error));
  try {
    for await (const chunk of stream) yield chunk as Uint8Array<ArrayBuffer>;
  } finally {
    stream.destroy();
    await feeding;
  }
}

async function feed(chunks: Iterable<Uint8Array>, stream: Transform): Promise<void> {
  for (const chunk of chunks) {
    if (stream.destroyed) return;
    if (!stream.write(chunk)) await drained(stream);
  }
  stream.end();
}

function drained(stream: Transform): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.on("drain", done);
    stream.on("close", done);
    if (stream.destroyed) done();
  });
}

function writeAll(file: number, chunk: Uint8Array): void {
  for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
}
