// The zip around compressed entries: fflate's headers and directory, fed with what was deflated elsewhere. It writes no
// Zip64, and says nothing where one would be needed: that is refused here, and wide-container.ts is for it.
import { Zip, type ZipInputFile } from "fflate";
import { HubError } from "../../core/errors.ts";
import { DEFLATE, EARLIEST, FULL_32, REGULAR_FILE, UNIX } from "./format.ts";

/** What surely fits, of uncompressed files and their heads: the limit is 4 GiB, and level 1 makes nine bits of eight at worst. */
export const PLAIN_MAX_BYTES = 3_750_000_000;
export const PLAIN_MAX_ENTRIES = 60_000;
/** Headers and directory of one entry with a long name, at most. */
export const ENTRY_OVERHEAD_BYTES = 4096;

export interface EntryHead {
  path: string;
  /** Permission bits. */
  mode: number;
  /** Epoch ms. */
  mtime: number;
}

export interface EntrySum {
  crc: number;
  bytes: number;
}

export interface Container {
  begin(head: EntryHead): void;
  push(compressed: Uint8Array): void;
  end(sum: EntrySum): void;
  /** Writes the directory. */
  finish(): void;
  /** What is there to be sent on; empties it. */
  take(): Uint8Array[];
}

const NOTHING = new Uint8Array(0);
const LARGEST_BYTES = FULL_32 - ENTRY_OVERHEAD_BYTES;

export function createContainer(): Container {
  let out: Uint8Array[] = [];
  let bytesOut = 0;
  let current: ZipInputFile | undefined;
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    bytesOut += chunk.length;
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
    push: (compressed) => entry().ondata?.(null, compressed as Uint8Array<ArrayBuffer>, false),
    end({ crc, bytes }) {
      const ended = entry();
      // A file of the configuration that grew under our hands.
      if (Math.max(bytes, bytesOut) > LARGEST_BYTES)
        throw new HubError("too_large", "a file grew while it was read: try again");
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
