// Bytes in the buffers of connections: incomplete packets, bytes that slow readers have not read, and messages that wait for an
// acknowledgement. Limited for an account and for all: above that the connection with the largest buffers is closed.
import type { Duplex } from "node:stream";
import { createShares } from "../../../kit/lifecycle/shares.ts";
import { boundsOf, type QuotaOptions, reportFull } from "./memory/quota.ts";

interface Connection {
  readonly stream: Duplex;
  /** Buffered bytes outside the stream, without `waiting`. */
  bufferedBytes(): number;
  /** What waits for the client to read. */
  waiting(): readonly Buffer[];
  cut(): void;
}

export interface BufferQuotaOptions extends QuotaOptions {
  /** The largest packet that may arrive. */
  maxPacketBytes: number;
  connections: () => Iterable<{ account: string; connection: Connection }>;
}

export interface BufferQuota {
  /** Called for bytes that were received, or are to be sent; checks all buffers each time a certain amount has moved. */
  moved(bytes: number): void;
}

const CHECK_EVERY_BYTES = 1_048_576;
// One of the small writes that make up a packet, or of the chunks in which one arrives.
const CHUNK_BYTES = 150;
// The overhead of a message, so that many empty ones are checked too.
const MESSAGE_BYTES = 256;

export function createBufferQuota({ keys, limits, maxPacketBytes, connections }: BufferQuotaOptions): BufferQuota {
  const { each, all } = boundsOf(keys, "max_buffered_mb");
  // Some of the largest packets must fit, whatever is configured.
  const atLeast = 4 * maxPacketBytes;
  const bounds = { each: Math.max(each, atLeast), all: Math.max(all, atLeast) };
  let sinceCheck = 0;

  function check(): void {
    const open = [...connections()].map((one) => ({ ...one, waiting: one.connection.waiting() }));
    const sizeOf = sharedSizes(open.map(({ waiting }) => waiting));
    const buffers = open.map(({ waiting, ...one }) => ({
      ...one,
      bytes: waiting.reduce((sum, buffer) => sum + sizeOf(buffer), bufferedBy(one.connection)),
    }));
    const shares = createShares(bounds);
    buffers.sort((a, b) => a.bytes - b.bytes);
    for (const { account, bytes } of buffers) shares.add(account, bytes);
    for (let largest = buffers.pop(); largest; largest = buffers.pop()) {
      const { account, connection, bytes } = largest;
      const full = shares.of(account) > bounds.each ? "each" : shares.total > bounds.all ? "all" : undefined;
      if (!full || (full === "all" && shares.greatest() !== account)) continue;
      const message = `a connection of ${account} is closed: it reads or sends too slowly and has ${Math.round(bytes)} bytes in its buffers`;
      reportFull(limits, "max_buffered_mb", full, account, message);
      shares.add(account, -bytes);
      connection.cut();
    }
  }

  return {
    moved(bytes) {
      sinceCheck += bytes + MESSAGE_BYTES;
      if (sinceCheck < CHECK_EVERY_BYTES) return;
      sinceCheck = 0;
      check();
    },
  };
}

/** One message to many readers is in memory once: each connection has a part of its bytes. */
function sharedSizes(connections: readonly (readonly Buffer[])[]): (buffer: Buffer) => number {
  const holders = new Map<ArrayBufferLike, number>();
  for (const waiting of connections)
    for (const bytes of new Set(waiting.map(({ buffer }) => buffer))) holders.set(bytes, (holders.get(bytes) ?? 0) + 1);
  return ({ buffer, length }) => MESSAGE_BYTES + length / (holders.get(buffer) ?? 1);
}

/** aedes keeps the parser of a connection, with the received bytes of an incomplete packet, on the stream. */
interface Internals {
  client?: {
    _parser?: { _list?: { length: number; _bufs?: readonly unknown[] } };
    will?: { payload?: { length: number } } | null;
  };
  _writableState?: { bufferedRequestCount?: number };
}

function bufferedBy(connection: Connection): number {
  const { stream } = connection;
  const { client, _writableState } = stream as Duplex & Internals;
  const received = client?._parser?._list;
  const chunks = (received?._bufs?.length ?? 0) + (_writableState?.bufferedRequestCount ?? 0);
  const whole =
    stream.writableLength + stream.readableLength + (received?.length ?? 0) + (client?.will?.payload?.length ?? 0);
  return whole + chunks * CHUNK_BYTES + connection.bufferedBytes();
}
