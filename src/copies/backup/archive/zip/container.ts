// Writes a zip entry by entry, chunk by chunk: each is hashed and deflated here, and fflate writes headers and directory
// around it. fflate writes no Zip64 and does not say where one would be needed: that is refused here; see wide-container.ts.
import { constants, crc32, deflateRawSync } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import { HubError } from "../../../../kit/schema/errors.ts";
import { DEFLATE, EARLIEST, FULL_32, REGULAR_FILE, UNIX } from "./format.ts";

/** Uncompressed files and their headers of this size surely fit: the limit is 4 GiB, and level 1 makes nine bits of eight at worst. */
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
  /** Returns what was written since the last call. */
  take(): Uint8Array[];
}

export interface PackedEntry {
  /** The caller may reuse the chunk when it returns. */
  add(chunk: Uint8Array): void;
  end(): { bytes: number; sha256: string };
}

const NOTHING = new Uint8Array(0);
const MAX_BYTES = FULL_32 - ENTRY_OVERHEAD_BYTES;
// Level 1: on the slow machines hubs run on, each step above costs more time than it saves space.
const DEFLATE_OPTIONS = { level: 1, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 64 * 1024 };
/** An empty last block, which ends the stream. */
const DEFLATE_END: Uint8Array = Uint8Array.of(3, 0);

/** Begins an entry, which must end before the next one begins. */
export function beginEntry(container: Container, head: EntryHead): PackedEntry {
  const hash = new Bun.CryptoHasher("sha256");
  let crc = 0;
  let bytes = 0;
  container.begin(head);
  return {
    add(chunk) {
      hash.update(chunk);
      crc = crc32(chunk, crc);
      bytes += chunk.length;
      // On this thread: zlib's streams run on threads with the hub's own priority. Each chunk ends on a whole byte and refers to
      // nothing before it, which costs one byte in a hundred.
      container.push(deflateRawSync(chunk, DEFLATE_OPTIONS));
    },
    end() {
      container.push(DEFLATE_END);
      container.end({ crc, bytes });
      return { bytes, sha256: hash.digest("hex") };
    },
  };
}

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
      // A file of the configuration may have grown since it was listed.
      if (Math.max(bytes, bytesOut) > MAX_BYTES)
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
