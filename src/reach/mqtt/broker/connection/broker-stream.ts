// The stream that aedes reads a connection from, and writes it to. It reports when aedes has read, and joins what it writes at once.
import { Duplex } from "node:stream";
import { joined } from "./socket-writer.ts";

export interface BrokerStreamOptions {
  /** The broker has read something. */
  onRead: () => void;
  /** `done` is called when more may be written. */
  write: (chunks: readonly Buffer[], done: () => void) => void;
  close: (error: Error | null) => void;
}

// Bytes that may be buffered for a slow reader before its publishers are slowed down too.
const WRITE_BUFFER_BYTES = 1_048_576;

export function createBrokerStream({ onRead, write, close }: BrokerStreamOptions): Duplex {
  const stream = new Duplex({
    writableHighWaterMark: WRITE_BUFFER_BYTES,
    // The connection pushes.
    read() {},
    write: (chunk: Buffer, _encoding, done) => write([chunk], done),
    writev: (chunks, done) => write(joined(chunks.map(({ chunk }) => chunk as Buffer)), done),
    destroy(error, done) {
      close(error);
      done(error);
    },
  });
  const read = stream.read.bind(stream);
  stream.read = (size) => {
    const chunk: unknown = read(size);
    if (chunk !== null) onRead();
    return chunk;
  };
  return stream;
}
