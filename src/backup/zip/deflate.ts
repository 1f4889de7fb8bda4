// Deflate chunk by chunk on the thread that calls: zlib's streams work on threads whose priority is the hub's own.
import { constants, deflateRawSync } from "node:zlib";

// Level 1: on the slow machines hubs live on, each step above costs more time than it spares space.
const LEVEL = 1;
const OPTIONS = { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 64 * 1024 };

/** One chunk's part of a stream, ending on a whole byte. It refers to nothing before it, which costs one byte in a hundred. */
export function deflateChunk(chunk: Uint8Array): Uint8Array {
  return deflateRawSync(chunk, OPTIONS);
}

/** What ends the stream: an empty last block. */
export const DEFLATE_END: Uint8Array = Uint8Array.of(3, 0);
