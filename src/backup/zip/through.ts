// Chunks through one of node:zlib's streams, as chunks: with backpressure, and with nothing left open however it ends.
import type { Transform } from "node:stream";

/** zlib works on threads of its own: whoever makes the chunks goes on meanwhile. */
export async function* through(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  stream: Transform,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const feeding = feed(chunks, stream).catch((error: unknown) => void stream.destroy(error as Error));
  try {
    for await (const chunk of stream) yield chunk as Uint8Array<ArrayBuffer>;
  } finally {
    stream.destroy();
    await feeding;
  }
}

async function feed(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, stream: Transform): Promise<void> {
  for await (const chunk of chunks) {
    if (stream.destroyed) return;
    if (!stream.write(chunk)) await drained(stream);
  }
  stream.end();
}

function drained(stream: Transform): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off("drain", done);
      stream.off("close", done);
      resolve();
    };
    stream.on("drain", done);
    stream.on("close", done);
    if (stream.destroyed) done();
  });
}
