// A zip for entries of any size, which fflate cannot write: every record is in its Zip64 form, whether its numbers need it or
// not, so that tests with a small archive cover a large one.
import type { Container, EntrySum } from "./container.ts";
import {
  CENTRAL,
  DEFLATE,
  DESCRIPTOR,
  EARLIEST,
  END,
  END64,
  END64_BYTES,
  FULL_16,
  FULL_32,
  LOCAL,
  LOCATOR64,
  REGULAR_FILE,
  UNIX,
  ZIP64_FIELD,
} from "./format.ts";

/** Version 4.5 of the format has Zip64. */
const VERSION = 45;
const MADE_BY = (UNIX << 8) | VERSION;
// Checksum and sizes follow the data; names are UTF-8.
const FLAGS = 0x0008 | 0x0800;

interface Begun {
  name: Buffer;
  attributes: number;
  time: number;
  /** Of its local header. */
  offset: number;
  compressedBytes: number;
}

export function createWideContainer(): Container {
  let out: Uint8Array[] = [];
  let bytesOut = 0;
  let current: Begun | undefined;
  const directory: Buffer[] = [];

  function write(...pieces: Uint8Array[]): void {
    for (const piece of pieces) {
      out.push(piece);
      bytesOut += piece.length;
    }
  }
  function entry(): Begun {
    if (!current) throw new Error("no entry of the archive has begun");
    return current;
  }

  return {
    begin({ path, mode, mtime }) {
      const name = Buffer.from(path);
      current = {
        name,
        attributes: (REGULAR_FILE | mode) * 0x1_0000,
        time: dosTime(new Date(Math.max(mtime, EARLIEST))),
        offset: bytesOut,
        compressedBytes: 0,
      };
      write(localHeader(current), name, LOCAL_FIELD);
    },
    push(compressed) {
      entry().compressedBytes += compressed.length;
      write(compressed);
    },
    end(sum) {
      const ended = entry();
      write(record([4, DESCRIPTOR], [4, sum.crc], [8, ended.compressedBytes], [8, sum.bytes]));
      directory.push(centralEntry(ended, sum));
      current = undefined;
    },
    finish() {
      const offset = bytesOut;
      const records = Buffer.concat(directory);
      write(records, endOf({ entries: directory.length, offset, bytes: records.length }));
    },
    take() {
      const taken = out;
      out = [];
      return taken;
    },
  };
}

type Field = readonly [bytes: 2 | 4 | 8, value: number];

/** Little-endian numbers of the given sizes. Throws where one does not fit. */
function record(...fields: readonly Field[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [length]) => sum + length, 0));
  let at = 0;
  for (const [length, value] of fields) {
    if (length === 8) bytes.writeBigUInt64LE(BigInt(value), at);
    else bytes.writeUIntLE(value, at, length);
    at += length;
  }
  return bytes;
}

// Its presence says that the descriptor after the data has sizes of 8 bytes. They are not known yet.
const LOCAL_FIELD = record([2, ZIP64_FIELD], [2, 16], [8, 0], [8, 0]);

/** The fields that the local and the central header share; sizes are in the Zip64 fields. */
function sharedFields({ time }: Begun, crc: number): Field[] {
  return [
    [2, VERSION],
    [2, FLAGS],
    [2, DEFLATE],
    [4, time],
    [4, crc],
    [4, FULL_32],
    [4, FULL_32],
  ];
}

function localHeader(begun: Begun): Buffer {
  return record([4, LOCAL], ...sharedFields(begun, 0), [2, begun.name.length], [2, LOCAL_FIELD.length]);
}

function centralEntry(begun: Begun, { crc, bytes }: EntrySum): Buffer {
  const { name, attributes, compressedBytes, offset } = begun;
  const wideField = record([2, ZIP64_FIELD], [2, 24], [8, bytes], [8, compressedBytes], [8, offset]);
  const head = record(
    [4, CENTRAL],
    [2, MADE_BY],
    ...sharedFields(begun, crc),
    [2, name.length],
    [2, wideField.length],
    // No comment, the first disk, no internal attributes.
    [2, 0],
    [2, 0],
    [2, 0],
    [4, attributes],
    [4, FULL_32],
  );
  return Buffer.concat([head, name, wideField]);
}

interface Directory {
  entries: number;
  offset: number;
  bytes: number;
}

/** The 64-bit end record, its locator, and the classic end record, which only refers to them. */
function endOf({ entries, offset, bytes }: Directory): Buffer {
  const end64 = record(
    [4, END64],
    [8, END64_BYTES - 12],
    [2, MADE_BY],
    [2, VERSION],
    [4, 0],
    [4, 0],
    [8, entries],
    [8, entries],
    [8, bytes],
    [8, offset],
  );
  const locator = record([4, LOCATOR64], [4, 0], [8, offset + bytes], [4, 1]);
  const end = record([4, END], [2, 0], [2, 0], [2, FULL_16], [2, FULL_16], [4, FULL_32], [4, FULL_32], [2, 0]);
  return Buffer.concat([end64, locator, end]);
}

/** MS-DOS date and time, as in all zips: local time in steps of two seconds. */
function dosTime(time: Date): number {
  const date = ((time.getFullYear() - 1980) << 9) | ((time.getMonth() + 1) << 5) | time.getDate();
  const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1);
  return date * 0x1_0000 + clock;
}
