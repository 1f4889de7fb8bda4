// One entry into a zip that is being written: summed, deflated and handed to the container, chunk by chunk.
import { crc32 } from "node:zlib";
import type { Container, EntryHead } from "./container.ts";
import { DEFLATE_END, deflateChunk } from "./deflate.ts";

export interface PackedEntry {
  /** The chunk is free again when it returns. */
  add(chunk: Uint8Array): void;
  end(): { bytes: number; sha256: string };
}

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
      container.push(deflateChunk(chunk));
    },
    end() {
      container.push(DEFLATE_END);
      container.end({ crc, bytes });
      return { bytes, sha256: hash.digest("hex") };
    },
  };
}
