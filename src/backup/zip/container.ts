// The zip around compressed entries: fflate's headers and directory, fed with what node:zlib has deflated. It writes no
// Zip64, and says nothing where one would be needed: whoever uses it keeps everything under the limits.
import { Zip, type ZipInputFile } from "fflate";

/** One byte less than a 32-bit size can say; a full one would mean "look into the Zip64 part". */
export const ZIP_MAX_BYTES = 0xffff_fffe;
export const ZIP_MAX_ENTRIES = 0xffff - 1;
/** Headers and directory of one entry with a long name, at most. */
export const ENTRY_OVERHEAD_BYTES = 4096;

export interface EntryHead {
  path: string;
  /** Permission bits. */
  mode: number;
  /** Epoch ms; a zip begins in 1980. */
  mtime: number;
}

export interface EntrySum {
  crc: number;
  bytes: number;
}

export interface Container {
  begin(head: EntryHead): void;
  push(compressed: Uint8Array<ArrayBuffer>): void;
  end(sum: EntrySum): void;
  /** Writes the directory. */
  finish(): void;
  /** What is there to be sent on; empties it. */
  take(): Uint8Array[];
}

const DEFLATE = 8;
const UNIX = 3;
const REGULAR_FILE = 0o100000;
const EARLIEST = Date.UTC(1980, 0, 2);
const NOTHING = new Uint8Array(0);

export function createContainer(): Container {
  let out: Uint8Array[] = [];
  let current: ZipInputFile | undefined;
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    if (chunk.length > 0) out.push(chunk);
  });

  function entry(): ZipInputFile {
    if (!current) throw new Error("no entry of the archive has begun");
    return current;
  }

  return {
    begin({ path, mode, mtime }) {
      current = {
        filename: path,
        size: 0,
        crc: 0,
        compression: DEFLATE,
        os: UNIX,
        attrs: (REGULAR_FILE | mode) * 0x1_0000,
        mtime: Math.max(mtime, EARLIEST),
        terminate() {},
      };
      zip.add(current);
    },
    push: (compressed) => entry().ondata?.(null, compressed, false),
    end({ crc, bytes }) {
      const ended = entry();
      ended.crc = crc;
      ended.size = bytes;
      ended.ondata?.(null, NOTHING, true);
      current = undefined;
    },
    finish: () => zip.end(),
    take() {
      const taken = out;
      out = [];
      return taken;
    },
  };
}
