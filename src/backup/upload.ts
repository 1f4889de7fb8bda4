// An archive on its way in: to the disk as it comes, as far as there is room, and not for ever.
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../core/clock.ts";
import { HubError, messageOf } from "../core/errors.ts";
import { isStorageFault } from "../core/storage-fault.ts";
import { freeBytes, megabytes, RESERVE_BYTES } from "./space.ts";

export interface UploadOptions {
  /** Where it goes; must not be there yet. */
  file: string;
  /** As the client says. */
  bytes: number | undefined;
  clock: Clock;
}

/** So long a client may send nothing: then it is gone, though nobody said so, and others wait for the turn. */
const STALLED_MS = 10 * 60_000;
const LOOK_EVERY_BYTES = 16 * 1024 * 1024;

/** Throws HubError: `storage` with the numbers, `invalid` where it does not arrive whole. */
export async function takeIn(body: ReadableStream<Uint8Array>, options: UploadOptions): Promise<void> {
  const { file, bytes: told = 0, clock } = options;
  const room = (): number => freeBytes(dirname(file)) - RESERVE_BYTES;
  if (told > room()) throw noRoom(told, room());
  const out = await open(file, "wx", 0o600);
  let got = 0;
  let looked = 0;
  try {
    for await (const chunk of chunksOf(body, clock)) {
      for (let at = 0; at < chunk.length; ) at += (await out.write(chunk, at)).bytesWritten;
      got += chunk.length;
      if (got - looked < LOOK_EVERY_BYTES) continue;
      looked = got;
      if (room() < 0) throw noRoom(got, room());
    }
  } catch (error) {
    if (error instanceof HubError) throw error;
    if (isStorageFault(error)) throw noRoom(got, 0);
    throw notWhole(messageOf(error));
  } finally {
    await out.close();
  }
  if (got < told) throw notWhole(`${got} of ${told} bytes`);
}

async function* chunksOf(body: ReadableStream<Uint8Array>, clock: Clock): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const leave = (): Promise<void> => reader.cancel().catch(() => {});
  let stalled = false;
  try {
    for (;;) {
      const timer = clock.after("upload-stalled", STALLED_MS, () => {
        stalled = true;
        void leave();
      });
      const { done, value } = await reader.read().finally(() => timer[Symbol.dispose]());
      if (stalled) throw notWhole("nothing came for ten minutes");
      if (done) return;
      yield value;
    }
  } finally {
    await leave();
  }
}

function notWhole(why: string): HubError {
  return new HubError("invalid", `the archive did not arrive whole: ${why}; send it again`);
}

function noRoom(bytes: number, available: number): HubError {
  const free = Math.max(0, available);
  return new HubError(
    "storage",
    `the archive has ${megabytes(bytes)} or more, and there is room for ${megabytes(free)}: free some space`,
    { details: { needed_bytes: bytes, available_bytes: free } },
  );
}
