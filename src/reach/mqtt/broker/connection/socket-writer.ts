// Writes to a client's socket in pieces, so that a large message to a slow reader is seen to move: a client that takes no piece for
// some seconds is stalled, one that needs a minute for eight megabytes is not.
import type { Socket } from "node:net";
import type { Fence } from "../../../../kit/lifecycle/fence.ts";
import type { Clock, Timer } from "../../../../kit/time/clock.ts";

export interface SocketWriter {
  /** False where the socket is full; `onDrain` is called once everything is with the socket. */
  write(bytes: Buffer): boolean;
  /** What the socket has not got yet. */
  readonly waiting: readonly Buffer[];
  /** What waits is written as soon as it can be, then the socket is ended. */
  end(): void;
}

export interface SocketWriterOptions {
  clock: Clock;
  onDrain: () => void;
  onStalled: () => void;
  /** Once it is closed, nothing is written, and the socket is destroyed. */
  fence?: Fence | undefined;
}

const PIECE_BYTES = 65_536;
// Below this, a chunk is joined with those beside it.
const JOINED_BYTES = 16_384;
const STALLED_MS = 5000;

export function createSocketWriter(
  socket: Socket,
  { clock, onDrain, onStalled, fence }: SocketWriterOptions,
): SocketWriter {
  let waiting: Buffer[] = [];
  let full = false;
  let ending = false;
  let stall: Timer | undefined;

  function watch(): void {
    stall?.[Symbol.dispose]();
    stall = full ? clock.after("mqtt stalled reader", STALLED_MS, onStalled) : undefined;
  }

  function isShut(): boolean {
    if (fence?.closed === undefined) return false;
    waiting = [];
    socket.destroy();
    return true;
  }

  function writeWaiting(): void {
    if (isShut()) return;
    let at = 0;
    for (; at < waiting.length && !full; at++) {
      const bytes = waiting[at] as Buffer;
      const piece = bytes.length > PIECE_BYTES ? bytes.subarray(0, PIECE_BYTES) : bytes;
      full = !socket.write(piece);
      if (piece !== bytes) waiting[at--] = bytes.subarray(PIECE_BYTES);
    }
    waiting = waiting.slice(at);
    watch();
    if (ending && waiting.length === 0) socket.end();
  }

  socket.on("drain", () => {
    full = false;
    writeWaiting();
    if (!full) onDrain();
  });
  socket.on("close", () => {
    full = false;
    watch();
  });

  return {
    write(bytes) {
      if (isShut()) return true;
      if (!full && bytes.length <= PIECE_BYTES) full = !socket.write(bytes);
      else {
        waiting.push(bytes);
        if (!full) writeWaiting();
      }
      if (full && !stall) watch();
      return !full;
    },
    get waiting() {
      return waiting;
    },
    end() {
      ending = true;
      if (waiting.length === 0) socket.end();
    },
  };
}

/** Chunks of a few bytes as one; large ones are not copied. */
export function joined(chunks: readonly Buffer[]): Buffer[] {
  const parts: Buffer[] = [];
  let from = 0;
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.length < JOINED_BYTES) continue;
    if (index > from) parts.push(Buffer.concat(chunks.slice(from, index)));
    parts.push(chunk);
    from = index + 1;
  }
  if (from < chunks.length) parts.push(Buffer.concat(chunks.slice(from)));
  return parts;
}
