// What a connection has received and nobody has taken yet, handed out in pieces of whole packets.
import { createFrameCutter, type Piece } from "./frames.ts";

export type Taken = Omit<Piece, "end"> & { readonly bytes: Buffer };

export interface Inbox {
  add(chunk: Buffer): void;
  take(most: { packets: number; bytes: number }): Taken;
  clear(): void;
  /** Bytes that wait. */
  readonly size: number;
  /** From the next packet on they may be so long. */
  allow(longest: number): void;
}

export function createInbox(limit: number): Inbox {
  const cutter = createFrameCutter(limit);
  const chunks: Buffer[] = [];
  let at = 0;
  let size = 0;

  return {
    add(chunk) {
      if (chunk.length === 0) return;
      chunks.push(chunk);
      size += chunk.length;
    },
    take(most) {
      const [chunk] = chunks;
      if (!chunk) return { bytes: Buffer.alloc(0), packets: 0, requests: 0 };
      const { end, ...piece } = cutter.cut(chunk, at, most);
      const bytes = chunk.subarray(at, end);
      size -= bytes.length;
      at = end;
      if (at === chunk.length) {
        chunks.shift();
        at = 0;
      }
      return { ...piece, bytes };
    },
    clear() {
      chunks.length = 0;
      at = 0;
      size = 0;
    },
    get size() {
      return size;
    },
    allow(longest) {
      cutter.limit = longest;
    },
  };
}
