// A large body of a request, written to a file as it comes.
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { HubError, messageOf } from "../schema/errors.ts";
import type { Clock } from "../time/clock.ts";
import { freeBytes, megabytes, RESERVE_BYTES } from "./free-space.ts";
import { isStorageFault } from "./storage-fault.ts";

/** A client that sends nothing for so long is gone, even if the connection is still open, and others wait for the lock. */
const STALLED_MS = 10 * 60_000;
const CHECK_SPACE_EVERY_BYTES = 16 * 1024 * 1024;

export interface Receiving {
  /** In messages, such as `the archive`. */
  what: string;
  /** Must not exist yet. */
  file: string;
  /** As the client declares. */
  bytes: number | undefined;
  /** No more are taken. */
  most?: number;
  clock: Clock;
}

/**
 * Writes the body to `file`. Throws HubError: `storage` with the numbers, `too_large`, `invalid` where it does not arrive
 * completely. What was written until then stays.
 */
export async function receiveFile(body: ReadableStream<Uint8Array>, receiving: Receiving): Promise<void> {
  const { what, file, bytes: declared = 0, most = Number.POSITIVE_INFINITY, clock } = receiving;
  const available = (): number => freeBytes(dirname(file)) - RESERVE_BYTES;
  refuseTooLarge(what, declared, most);
  if (declared > available()) throw noSpace(what, declared, available());
  const out = await open(file, "wx", 0o600);
  let received = 0;
  let checkedAt = 0;
  try {
    for await (const chunk of chunksOf(body, clock, what)) {
      received += chunk.length;
      refuseTooLarge(what, received, most);
      for (let at = 0; at < chunk.length; ) at += (await out.write(chunk, at)).bytesWritten;
      if (received - checkedAt < CHECK_SPACE_EVERY_BYTES) continue;
      checkedAt = received;
      if (available() < 0) throw noSpace(what, received, available());
    }
  } catch (error) {
    if (error instanceof HubError) throw error;
    if (isStorageFault(error)) throw noSpace(what, received, 0);
    throw incomplete(what, messageOf(error));
  } finally {
    await out.close();
  }
  if (received < declared) throw incomplete(what, `${received} of ${declared} bytes`);
}

/** Throws HubError `too_large`. */
export function refuseTooLarge(what: string, bytes: number, most: number): void {
  if (bytes > most) throw new HubError("too_large", `${what} has more than ${megabytes(most)}`);
}

async function* chunksOf(body: ReadableStream<Uint8Array>, clock: Clock, what: string): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const cancel = (): Promise<void> => reader.cancel().catch(() => {});
  let stalled = false;
  try {
    for (;;) {
      const timer = clock.after("upload-stalled", STALLED_MS, () => {
        stalled = true;
        void cancel();
      });
      const { done, value } = await reader.read().finally(() => timer[Symbol.dispose]());
      if (stalled) throw incomplete(what, "nothing came for ten minutes");
      if (done) return;
      yield value;
    }
  } finally {
    await cancel();
  }
}

function incomplete(what: string, why: string): HubError {
  return new HubError("invalid", `${what} did not arrive completely: ${why}; send it again`);
}

function noSpace(what: string, bytes: number, available: number): HubError {
  const free = Math.max(0, available);
  return new HubError(
    "storage",
    `${what} has ${megabytes(bytes)} or more, and there is space for ${megabytes(free)}: free some space`,
    { details: { needed_bytes: bytes, available_bytes: free } },
  );
}
