// One connection between its socket and the broker: takes what comes in piece by piece, puts the MQTT 5 gateway in between
// where the client speaks 5, and gathers the broker's many small writes into few.
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { Clock, Timer } from "../core/clock.ts";
import type { RandomBytes } from "../core/ids.ts";
import { sniffLevel } from "./frames.ts";
import { createInbox } from "./inbox.ts";
import type { Turns } from "./turns.ts";
import { createV5Gateway, type V5Gateway } from "./v5.ts";

/** How fast an account may send. */
export interface Pace {
  /** How long until the next piece may be taken; 0 where it may be now. */
  waitMs(): number;
  spend(requests: number, bytes: number): void;
  /** What was sent goes to one more subscription. */
  delivered(): void;
}

export interface Link {
  readonly stream: Duplex;
  readonly address: string;
  /** Somebody known is there: from now on packets may be as large as configured, and as many as the account may send. */
  opened(pace: Pace): void;
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
  turns: Turns;
  maxPacketBytes: number;
  /** Called with the size of what came. */
  received: (bytes: number) => void;
  /** Called once, when the link closes the connection for what the client sent. */
  refused: (address: string, reason: string) => void;
}

// A CONNECT carries names and a small will. Nobody may make the hub hold more before saying who they are.
const MAX_CONNECT_BYTES = 65_536;
// While more than this waits for its turn, the socket is not read.
const MOST_WAITING_BYTES = 16_384;
// What may wait for a slow reader before its publishers are slowed as well.
const WRITE_BUFFER_BYTES = 1_048_576;
// After the last word the peer gets this long to read it.
const LINGER_MS = 1000;
const CONNACK_UNKNOWN_LEVEL = Buffer.from([0x20, 2, 0, 1]);

export function createLink(socket: Socket, options: LinkOptions): Link {
  const { clock, random, turns, maxPacketBytes, received, refused } = options;
  const address = socket.remoteAddress ?? "unknown";
  const inbox = createInbox(MAX_CONNECT_BYTES);
  const outgoing: Buffer[] = [];
  let head: Buffer | undefined = Buffer.alloc(0);
  let gateway: V5Gateway | undefined;
  let connectSent = false;
  let pace: Pace | undefined;
  let pause: Timer | undefined;
  let inTurn = false;
  /** Nothing more will be received; with the error, if that is why. */
  let over: { error?: Error } | undefined;
  let hungUp = false;
  let closing = false;
  let drained: (() => void) | undefined;

  const stream = new Duplex({
    writableHighWaterMark: WRITE_BUFFER_BYTES,
    // What is there to read is pushed when its turn comes.
    read() {},
    write: (chunk: Buffer, _encoding, done) => toSocket([chunk], done),
    writev: (chunks, done) =>
      toSocket(
        chunks.map(({ chunk }) => chunk as Buffer),
        done,
      ),
    destroy(error, done) {
      closing = true;
      pause?.[Symbol.dispose]();
      inbox.clear();
      if (error || socket.destroyed) socket.destroy();
      else {
        socket.end();
        // What the peer still sends is not wanted, but its end must be seen.
        socket.resume();
        const linger = clock.after("mqtt linger", LINGER_MS, () => socket.destroy());
        socket.once("close", () => linger[Symbol.dispose]());
      }
      done(error);
    },
  });
  const read = stream.read.bind(stream);
  stream.read = function readAndGoOn(size) {
    const chunk: unknown = read(size);
    if (chunk !== null) wake();
    return chunk;
  };

  function toSocket(chunks: Buffer[], done: (error?: Error | null) => void): void {
    const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    // Its last packets are still worked on, but who sent them no longer reads.
    if (!socket.writable) done();
    else if (gateway ? gateway.fromBroker(bytes) : socket.write(bytes)) done();
    else drained = done;
  }

  function goOnWriting(): void {
    const done = drained;
    drained = undefined;
    done?.();
  }

  function refuse(reason: string, v5Code: number): void {
    if (closing) return;
    closing = true;
    refused(address, reason);
    gateway?.farewell(v5Code);
    stream.destroy();
  }

  function toBroker(bytes: Buffer): void {
    if (hungUp) return;
    outgoing.push(bytes);
    wake();
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
        hangUp() {
          hungUp = true;
          inbox.clear();
          ended();
        },
      });
    }
    return true;
  }

  function receive(chunk: Buffer): void {
    if (closing) return;
    received(chunk.length);
    if (head) {
      head = Buffer.concat([head, chunk]);
      if (!levelKnown(head)) return;
      inbox.add(head);
      head = undefined;
    } else inbox.add(chunk);
    if (inbox.size > MOST_WAITING_BYTES) socket.pause();
    wake();
  }

  function ended(error?: Error): void {
    over ??= {};
    if (error) over.error ??= error;
    wake();
  }

  /** What follows a CONNECT waits until that is answered: nothing is done in the name of somebody who is not known yet. */
  const mayTake = (): boolean => inbox.size > 0 && (pace !== undefined || !connectSent);

  /** Asks for a turn if there is anything to do in one. */
  function wake(): void {
    if (closing || inTurn || pause || stream.readableLength > 0) return;
    if (outgoing.length === 0 && !mayTake() && !(over && inbox.size === 0)) return;
    inTurn = true;
    turns.take(turn);
  }

  // The broker parses what it reads, and reads on while it parses as soon as a handler has completed; its parser loses its
  // place when it is given bytes then. So there is never a second piece to read: bytes are pushed here alone, once in a turn
  // that nothing of the broker's is under way in, and only when those before have been read.
  function turn(): void {
    inTurn = false;
    if (closing || stream.readableLength > 0) return;
    if (mayTake() && takeNext() === "wait") return;
    if (closing) return;
    if (inbox.size <= MOST_WAITING_BYTES && socket.isPaused()) socket.resume();
    if (outgoing.length > 0) stream.push(outgoing.length === 1 ? outgoing.pop() : Buffer.concat(outgoing.splice(0)));
    else if (over && inbox.size === 0) {
      closing = true;
      if (socket.destroyed) stream.destroy(over.error);
      else stream.push(null);
    } else wake();
  }

  function takeNext(): "wait" | undefined {
    const ms = pace?.waitMs() ?? 0;
    if (ms > 0) {
      pause = clock.after("mqtt pace", ms, () => {
        pause = undefined;
        wake();
      });
      return outgoing.length > 0 ? undefined : "wait";
    }
    const { bytes, packets, requests, wrong } = inbox.take(pace ? turns.piece : { ...turns.piece, packets: 1 });
    if (wrong) return void refuse(wrong.reason, wrong.code);
    pace?.spend(requests, bytes.length);
    if (!pace && packets > 0) connectSent = true;
    if (gateway) gateway.fromClient(bytes);
    else outgoing.push(bytes);
    return undefined;
  }

  socket.setNoDelay(true);
  socket.on("data", receive);
  socket.on("drain", goOnWriting);
  socket.on("end", () => ended());
  socket.on("error", (error) => ended(error));
  socket.on("close", () => {
    goOnWriting();
    ended();
  });

  return {
    stream,
    address,
    opened(allowed) {
      inbox.allow(maxPacketBytes);
      pace = allowed;
      wake();
    },
    refusesOwn: (topic) => gateway?.refusesOwn(topic) ?? false,
    waitingBytes: () => (head?.length ?? 0) + inbox.size + socket.writableLength + (gateway?.waitingBytes() ?? 0),
    cut() {
      stream.destroy();
      socket.destroy();
    },
  };
}
