// One client's connection, between its socket and the broker: passes received bytes on in batches, inserts the MQTT 5 gateway for
// clients that use version 5, and joins the broker's many small writes.
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { Clock, Timer } from "../core/clock.ts";
import type { RandomBytes } from "../core/ids.ts";
import type { FairScheduler } from "./fair-scheduler.ts";
import { createPacketQueue, type PacketError, protocolLevel } from "./packet-queue.ts";
import type { RateLimit } from "./rate-limits.ts";
import { createSocketWriter, joined, type SocketWriter } from "./socket-writer.ts";
import { V5Gateway } from "./v5-gateway.ts";

export interface ConnectionOptions {
  clock: Clock;
  random: RandomBytes;
  scheduler: FairScheduler;
  /** Called with the number of bytes received. */
  onReceived: (bytes: number) => void;
  /** Called once, when the connection is closed because of what the client sent. */
  onRefused: (connection: ClientConnection, error: Omit<PacketError, "code">) => void;
}

/** What a client may send once it has logged in. */
export interface Allowance {
  rateLimit: RateLimit;
  maxPacketBytes: number;
}

// A CONNECT has names and a small will. Before the login no client may make the hub buffer more.
const MAX_CONNECT_BYTES = 65_536;
// Above this many received bytes in the queue, the socket is paused.
const MAX_QUEUED_BYTES = 16_384;
// Bytes that may be buffered for a slow reader before its publishers are slowed down too.
const WRITE_BUFFER_BYTES = 1_048_576;
// Time for the client to read the last packet before the socket is destroyed.
const LINGER_MS = 1000;
const CONNACK_UNKNOWN_LEVEL = Buffer.from([0x20, 2, 0, 1]);

export class ClientConnection {
  /** For aedes. */
  readonly stream: Duplex;
  readonly address: string;
  readonly #socket: Socket;
  readonly #writer: SocketWriter;
  readonly #options: ConnectionOptions;
  readonly #received = createPacketQueue(MAX_CONNECT_BYTES);
  /** For the broker to read. */
  readonly #outgoing: Buffer[] = [];
  /** The first bytes, until the protocol level is known. */
  #head: Buffer | undefined = Buffer.alloc(0);
  #gateway: V5Gateway | undefined;
  #connectSent = false;
  /** Undefined until the login. */
  #rateLimit: RateLimit | undefined;
  #maxPacketBytes = MAX_CONNECT_BYTES;
  #pause: Timer | undefined;
  #scheduled = false;
  /** Nothing more will be received; with the error, if that is the reason. */
  #ended: { error?: Error } | undefined;
  #hungUp = false;
  #closing = false;
  #onDrain: (() => void) | undefined;
  /** That the stream handed over, until `#onDrain` is called. */
  #inFlightBytes = 0;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.address = socket.remoteAddress ?? "unknown";
    this.stream = this.#createStream();
    this.#writer = createSocketWriter(socket, {
      clock: options.clock,
      onDrain: () => this.#continueWriting(),
      onStalled: () => this.stream.destroy(new Error("it takes nothing of what is sent to it")),
    });
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("end", () => this.#end());
    socket.on("error", (error) => this.#end(error));
    socket.on("close", () => {
      this.#continueWriting();
      this.#end();
    });
  }

  /** The client has logged in. */
  accept({ rateLimit, maxPacketBytes }: Allowance): void {
    this.#received.allow(maxPacketBytes);
    this.#maxPacketBytes = maxPacketBytes;
    this.#rateLimit = rateLimit;
    this.#wake();
  }

  /** Undefined for a client that speaks 3.1.1. */
  get v5(): Pick<V5Gateway, "propertiesOf" | "ticketFor" | "keepSecs"> | undefined {
    return this.#gateway;
  }

  /** Whether the client does not want its own messages on this topic. */
  refusesOwn(topic: string): boolean {
    return this.#gateway?.refusesOwn(topic) ?? false;
  }

  /** Bytes in its queue, its socket and its gateway, without `waiting`. What the stream counts as well is taken off. */
  bufferedBytes(): number {
    const received = (this.#head?.length ?? 0) + this.#received.size;
    const countedTwice = this.#gateway ? 0 : this.#inFlightBytes;
    return received + this.#socket.writableLength + (this.#gateway?.bufferedBytes() ?? 0) - countedTwice;
  }

  /** What waits for the client to read; of a message, other connections may wait with the same bytes. */
  waiting(): Buffer[] {
    return [...this.#writer.waiting, ...(this.#gateway?.waiting() ?? [])];
  }

  /** Closes the connection at once and discards its buffers. */
  cut(): void {
    this.stream.destroy();
    this.#socket.destroy();
  }

  #createStream(): Duplex {
    const stream = new Duplex({
      writableHighWaterMark: WRITE_BUFFER_BYTES,
      // `#takeTurn` pushes.
      read() {},
      write: (chunk: Buffer, _encoding, done) => this.#write([chunk], done),
      writev: (chunks, done) => this.#write(joined(chunks.map(({ chunk }) => chunk as Buffer)), done),
      destroy: (error, done) => {
        this.#close(error);
        done(error);
      },
    });
    const read = stream.read.bind(stream);
    stream.read = (size) => {
      const chunk: unknown = read(size);
      if (chunk !== null) this.#wake();
      return chunk;
    };
    return stream;
  }

  #close(error: Error | null): void {
    const socket = this.#socket;
    this.#closing = true;
    this.#pause?.[Symbol.dispose]();
    this.#received.clear();
    if (error || socket.destroyed) socket.destroy();
    else {
      this.#writer.end();
      // Discards further bytes, so that the end of the socket is seen.
      socket.resume();
      const linger = this.#options.clock.after("mqtt linger", LINGER_MS, () => socket.destroy());
      socket.once("close", () => linger[Symbol.dispose]());
    }
  }

  #write(chunks: readonly Buffer[], done: (error?: Error | null) => void): void {
    // The client no longer reads, while the broker still works on its last packets.
    if (!this.#socket.writable) {
      done();
      return;
    }
    let drained = true;
    for (const bytes of chunks)
      drained = (this.#gateway ? this.#gateway.fromBroker(bytes) : this.#writer.write(bytes)) && drained;
    if (drained) {
      done();
      return;
    }
    this.#onDrain = done;
    this.#inFlightBytes = chunks.reduce((sum, { length }) => sum + length, 0);
  }

  #continueWriting(): void {
    const done = this.#onDrain;
    this.#onDrain = undefined;
    this.#inFlightBytes = 0;
    done?.();
  }

  /** Closes the connection because of what the client sent. */
  refuse({ code, ...error }: PacketError): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#options.onRefused(this, error);
    this.#gateway?.disconnect(code);
    this.stream.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#closing) return;
    this.#options.onReceived(chunk.length);
    if (this.#head) {
      this.#head = Buffer.concat([this.#head, chunk]);
      if (!this.#readLevel(this.#head)) return;
      this.#received.add(this.#head);
      this.#head = undefined;
    } else this.#received.add(chunk);
    if (this.#received.size > MAX_QUEUED_BYTES) this.#socket.pause();
    this.#wake();
  }

  /** True once the level is known and the gateway exists where one is needed. */
  #readLevel(bytes: Buffer): boolean {
    const level = protocolLevel(bytes);
    if (level === undefined) return false;
    if (level === "not_mqtt") this.refuse({ reason: "not MQTT", code: 0x81 });
    else if (level < 3 || level > 5) {
      this.#socket.write(CONNACK_UNKNOWN_LEVEL);
      this.refuse({ reason: `protocol level ${level} is not supported`, code: 0x84 });
    } else if (level === 5) this.#gateway = this.#createGateway();
    return true;
  }

  #createGateway(): V5Gateway {
    const { clock, random } = this.#options;
    return new V5Gateway({
      clock,
      random,
      maxPacketBytes: () => this.#maxPacketBytes,
      toBroker: (bytes) => {
        if (this.#hungUp) return;
        this.#outgoing.push(bytes);
        this.#wake();
      },
      toClient: (bytes) => this.#writer.write(bytes),
      fail: (reason, code) => this.refuse({ reason, code }),
      hangUp: () => {
        this.#hungUp = true;
        this.#received.clear();
        this.#end();
      },
    });
  }

  #end(error?: Error): void {
    this.#ended ??= {};
    if (error) this.#ended.error ??= error;
    this.#wake();
  }

  /** After the CONNECT nothing is taken until it is answered: no packet is handled for an unknown client. */
  #mayTake(): boolean {
    return this.#received.size > 0 && (this.#rateLimit !== undefined || !this.#connectSent);
  }

  /** Schedules a turn if there is anything to do in one. */
  #wake(): void {
    if (this.#closing || this.#scheduled || this.#pause || this.stream.readableLength > 0) return;
    if (this.#outgoing.length === 0 && !this.#mayTake() && !(this.#ended && this.#received.size === 0)) return;
    this.#scheduled = true;
    this.#options.scheduler.schedule(this.#takeTurn);
  }

  // The broker parses what it reads, and reads more while it parses as soon as a handler has completed. Bytes that it gets then
  // confuse its parser. So bytes are pushed only here, once in a turn in which the broker does nothing else, and only when it
  // has read the ones before.
  readonly #takeTurn = (): void => {
    this.#scheduled = false;
    if (this.#closing || this.stream.readableLength > 0) return;
    if (this.#mayTake() && this.#takeBatch() === "wait") return;
    if (this.#closing) return;
    if (this.#received.size <= MAX_QUEUED_BYTES && this.#socket.isPaused()) this.#socket.resume();
    const outgoing = this.#outgoing;
    if (outgoing.length > 0)
      this.stream.push(outgoing.length === 1 ? outgoing.pop() : Buffer.concat(outgoing.splice(0)));
    else if (this.#ended && this.#received.size === 0) {
      this.#closing = true;
      if (this.#socket.destroyed) this.stream.destroy(this.#ended.error);
      else this.stream.push(null);
    } else this.#wake();
  };

  #takeBatch(): "wait" | undefined {
    const { clock, scheduler } = this.#options;
    const rateLimit = this.#rateLimit;
    const ms = rateLimit?.waitMs() ?? 0;
    if (ms > 0) {
      this.#pause = clock.after("mqtt rate limit", ms, () => {
        this.#pause = undefined;
        this.#wake();
      });
      return this.#outgoing.length > 0 ? undefined : "wait";
    }
    const most = rateLimit ? scheduler.batch : { ...scheduler.batch, packets: 1 };
    const { bytes, packets, requests, error } = this.#received.take(most);
    if (error) return void this.refuse(error);
    rateLimit?.spend(requests, bytes.length);
    if (!rateLimit && packets > 0) this.#connectSent = true;
    if (this.#gateway) this.#gateway.fromClient(bytes);
    else this.#outgoing.push(bytes);
    return undefined;
  }
}
