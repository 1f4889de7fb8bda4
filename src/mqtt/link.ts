// One connection between its socket and the broker: bounds what comes in, puts the MQTT 5 gateway in between where the
// client speaks 5, and gathers the broker's many small writes into few.
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { Clock } from "../core/clock.ts";
import type { RandomBytes } from "../core/ids.ts";
import { createFrameGuard, sniffLevel } from "./frames.ts";
import { createV5Gateway, type V5Gateway } from "./v5.ts";

export interface Link {
  readonly stream: Duplex;
  readonly address: string;
  /** From now on packets may be as large as configured. */
  opened(): void;
  /** Whether the client asked not to get its own messages on this topic. */
  refusesOwn(topic: string): boolean;
  /** What waits in its socket and in its gateway. */
  waitingBytes(): number;
  /** Ends the connection now, whatever is still on its way. */
  cut(): void;
}

export interface LinkOptions {
  clock: Clock;
  random: RandomBytes;
  maxPacketBytes: number;
  /** Told of what came. */
  received: (bytes: number) => void;
  /** Told once, when the link closes the connection for what the client sent. */
  refused: (address: string, reason: string) => void;
}

// A CONNECT carries names and a small will. Nobody may make the hub hold more before saying who they are.
const MAX_CONNECT_BYTES = 65_536;
// What may wait for a slow reader before its publishers are slowed as well.
const WRITE_BUFFER_BYTES = 1_048_576;
// After the last word the peer gets this long to read it.
const LINGER_MS = 1000;
const CONNACK_UNKNOWN_LEVEL = Buffer.from([0x20, 2, 0, 1]);

export function createLink(socket: Socket, { clock, random, maxPacketBytes, received, refused }: LinkOptions): Link {
  const address = socket.remoteAddress ?? "unknown";
  const guard = createFrameGuard(MAX_CONNECT_BYTES);
  let held: Buffer | undefined = Buffer.alloc(0);
  let gateway: V5Gateway | undefined;
  let closing = false;

  const stream = new Duplex({
    writableHighWaterMark: WRITE_BUFFER_BYTES,
    read: () => socket.resume(),
    write: (chunk: Buffer, _encoding, done) => toSocket([chunk], done),
    writev: (chunks, done) =>
      toSocket(
        chunks.map(({ chunk }) => chunk as Buffer),
        done,
      ),
    destroy(error, done) {
      closing = true;
      if (error || socket.destroyed) socket.destroy();
      else {
        socket.end();
        const linger = clock.after("mqtt linger", LINGER_MS, () => socket.destroy());
        socket.once("close", () => linger[Symbol.dispose]());
      }
      done(error);
    },
  });

  function toSocket(chunks: Buffer[], done: (error?: Error | null) => void): void {
    const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    const roomLeft = gateway ? gateway.fromBroker(bytes) : socket.write(bytes);
    if (roomLeft) done();
    else socket.once("drain", () => done());
  }

  function refuse(reason: string, v5Code: number): void {
    if (closing) return;
    closing = true;
    refused(address, reason);
    gateway?.farewell(v5Code);
    stream.destroy();
  }

  function toBroker(bytes: Buffer): void {
    if (!closing && !stream.push(bytes)) socket.pause();
  }

  /** True when the level is known and the gateway, where one is needed, is in place. */
  function levelKnown(bytes: Buffer): boolean {
    const level = sniffLevel(bytes);
    if (level === undefined) return false;
    if (level === "not_mqtt") refuse("not MQTT", 0x81);
    else if (level < 3 || level > 5) {
      socket.write(CONNACK_UNKNOWN_LEVEL);
      refuse(`protocol level ${level} is not spoken here`, 0x84);
    } else if (level === 5) {
      gateway = createV5Gateway({
        random,
        maxPacketBytes,
        toBroker,
        toClient: (bytes) => socket.write(bytes),
        fail: (reason, code) => refuse(reason, code),
        hangUp: () => stream.push(null),
      });
    }
    return true;
  }

  function receive(chunk: Buffer): void {
    if (closing) return;
    received(chunk.length);
    let bytes = chunk;
    if (held) {
      held = Buffer.concat([held, chunk]);
      if (!levelKnown(held)) return;
      bytes = held;
      held = undefined;
    }
    const wrong = closing ? undefined : guard.check(bytes);
    if (wrong === "too_large") refuse(`a packet of more than ${guard.limit} bytes`, 0x95);
    else if (wrong === "malformed") refuse("a malformed packet length", 0x81);
    else if (gateway) gateway.fromClient(bytes);
    else toBroker(bytes);
  }

  socket.setNoDelay(true);
  socket.on("data", receive);
  socket.on("end", () => closing || stream.push(null));
  socket.on("error", (error) => stream.destroy(error));
  socket.on("close", () => stream.destroy());

  return {
    stream,
    address,
    opened() {
      guard.limit = maxPacketBytes;
    },
    refusesOwn: (topic) => gateway?.refusesOwn(topic) ?? false,
    waitingBytes: () => (held?.length ?? 0) + socket.writableLength + (gateway?.waitingBytes() ?? 0),
    cut() {
      stream.destroy();
      socket.destroy();
    },
  };
}
