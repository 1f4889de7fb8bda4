// One client's connection, between its socket and the broker: reads published messages itself, in batches, and passes the rest on,
// through the MQTT 5 gateway for clients that use version 5.
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { RandomBytes } from "../../../../kit/schema/ids.ts";
import type { Timer } from "../../../../kit/time/clock.ts";
import type { FairScheduler } from "../fair-scheduler.ts";
import type { RateLimit } from "../rate-limits.ts";
import type { ReceiveTurn, ReceiveTurns } from "../receive-turns.ts";
import { createBrokerStream } from "./broker-stream.ts";
import { createKeepAlive, type KeepAlive } from "./keep-alive.ts";
import { createPacketQueue, type PacketError } from "./packet-queue.ts";
import { type PublishHandler, PublishIntake } from "./publish-intake.ts";
import { createSocketWriter, type SocketWriter, type SocketWriterOptions } from "./socket-writer.ts";
import { V5Gateway } from "./v5-gateway.ts";

export interface ConnectionOptions extends Pick<SocketWriterOptions, "clock" | "fence"> {
  random: RandomBytes;
  scheduler: FairScheduler;
  receiveTurns: ReceiveTurns;
  onReceived: (bytes: number) => void;
  /** Called once, when the connection is closed because of what the client sent. */
  onRefused: (connection: ClientConnection, error: Omit<PacketError, "code">) => void;
}

/** What a client may send once it has logged in. */
export interface Allowance {
  /** Its key: the connections of one share their turns. */
  account: string;
  rateLimit: RateLimit;
  maxPacketBytes: number;
  onPublish: PublishHandler;
}

// A CONNECT has names and a small will. Before the login no client may make the hub buffer more.
const MAX_CONNECT_BYTES = 65_536;
// Above this many received bytes in the queue, the socket is paused.
const MAX_QUEUED_BYTES = 16_384;
// Time for the client to read the last packet before the socket is destroyed.
const LINGER_MS = 1000;

/** Of the client at the other end. */
export const addressOf = (socket: Socket): string => socket.remoteAddress ?? "unknown";

export class ClientConnection {
  readonly stream: Duplex;
  readonly address: string;
  readonly #socket: Socket;
  readonly #writer: SocketWriter;
  readonly #options: ConnectionOptions;
  readonly #received = createPacketQueue(MAX_CONNECT_BYTES);
  readonly #publishes: PublishIntake;
  readonly #keepAlive: KeepAlive;
  /** For the broker to read. */
  readonly #outgoing: Buffer[] = [];
  /** Until the protocol level is known. */
  #opening: Opening | undefined = new Opening();
  #gateway: V5Gateway | undefined;
  #connectSent = false;
  /** Undefined until the login. */
  #allowance: Allowance | undefined;
  #receiveTurn: ReceiveTurn | undefined;
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
    this.address = addressOf(socket);
    this.stream = createBrokerStream({
      onRead: () => this.#wake(),
      write: (chunks, done) => this.#write(chunks, done),
      close: (error) => this.#close(error),
    });
    this.#writer = createSocketWriter(socket, {
      ...options,
      onDrain: () => this.#continueWriting(),
      onStalled: () => this.stream.destroy(new Error("it takes nothing of what is sent to it")),
    });
    this.#publishes = new PublishIntake({
      protocolLevel: () => (this.#gateway ? 5 : 4),
      // The client may read no longer, while its last messages are still taken.
      write: (bytes) => !socket.writable || this.#writer.write(bytes),
      onReady: () => this.#wake(),
    });
    this.#keepAlive = createKeepAlive(options.clock, {
      isHeldUp: () => this.#received.size > 0 || this.#socket.isPaused(),
      onSilent: () => this.stream.destroy(new Error("keep alive timeout")),
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

  /** The client promises to send something at least as often. */
  expect(keepAliveSecs: number): void {
    this.#keepAlive.watch(keepAliveSecs);
  }

  /** The client has logged in. */
  accept(allowance: Allowance): void {
    this.#received.allow(allowance.maxPacketBytes);
    this.#allowance = allowance;
    this.#receiveTurn = this.#options.receiveTurns.join(allowance.account);
  }

  /** The client has its CONNACK: what follows is taken from now on. */
  open(): void {
    if (!this.#allowance) return;
    this.#publishes.open(this.#allowance.onPublish);
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
    const received = (this.#opening?.size ?? 0) + this.#received.heldBytes + this.#socket.readableLength;
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

  #close(error: Error | null): void {
    const socket = this.#socket;
    this.#closing = true;
    this.#pause?.[Symbol.dispose]();
    this.#keepAlive[Symbol.dispose]();
    this.#received.clear();
    this.#receiveTurn?.[Symbol.dispose]();
    if (error || socket.destroyed) socket.destroy();
    else {
      this.#writer.end();
      // Discards further bytes, so that the end of the socket is seen.
      socket.resume();
      const linger = this.#options.clock.after("mqtt linger", LINGER_MS, () => socket.destroy());
      socket.once("close", () => linger[Symbol.dispose]());
    }
  }

  #write(chunks: readonly Buffer[], done: () => void): void {
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
    this.#publishes.drained();
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
    this.#keepAlive.markSeen();
    if (!this.#opening) this.#received.add(chunk);
    else if (!this.#begin(this.#opening.read(chunk))) return;
    if (this.#received.size > MAX_QUEUED_BYTES) this.#socket.pause();
    this.#wake();
  }

  #begin(opened: Opened | undefined): boolean {
    if (!opened) return false;
    this.#opening = undefined;
    if ("refusal" in opened) {
      if (opened.answer) this.#socket.write(opened.answer);
      this.refuse(opened.refusal);
      return false;
    }
    if (opened.level === 5) this.#gateway = this.#createGateway();
    this.#received.add(opened.bytes);
    return true;
  }

  #createGateway(): V5Gateway {
    return new V5Gateway({
      ...this.#options,
      maxPacketBytes: () => this.#allowance?.maxPacketBytes ?? MAX_CONNECT_BYTES,
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
    if (this.#received.size === 0 || this.#publishes.isBusy) return false;
    return this.#publishes.isOpen || !this.#connectSent;
  }

  /** Schedules a turn if there is anything to do in one. */
  #wake(): void {
    if (this.#closing || this.#scheduled || this.#pause || this.stream.readableLength > 0) return;
    if (this.#outgoing.length === 0 && !this.#mayTake() && !(this.#ended && this.#received.size === 0)) return;
    this.#scheduled = true;
    this.#options.scheduler.schedule(this.#takeTurn, this.#allowance?.account);
  }

  // The broker reads on while it parses, as soon as a handler has completed: bytes that it gets then confuse its parser. So they are
  // pushed only here, in a turn in which it does nothing else, and only when it has read the ones before.
  readonly #takeTurn = (): void => {
    this.#scheduled = false;
    if (this.#closing || this.stream.readableLength > 0) return;
    if ((this.#mayTake() && this.#takeBatch() === "wait") || this.#closing) return;
    this.#readOn();
    const outgoing = this.#outgoing;
    if (outgoing.length > 0)
      this.stream.push(outgoing.length === 1 ? outgoing.pop() : Buffer.concat(outgoing.splice(0)));
    else if (this.#ended && this.#received.size === 0) {
      this.#closing = true;
      if (this.#socket.destroyed) this.stream.destroy(this.#ended.error);
      else this.stream.push(null);
    } else this.#wake();
  };

  /** Where it was paused, and most of what it received is taken. */
  #readOn(): void {
    const { size, heldBytes, begunBytes } = this.#received;
    this.#receiveTurn?.holds(heldBytes + begunBytes + this.#socket.readableLength);
    if (size > MAX_QUEUED_BYTES || !this.#socket.isPaused()) return;
    if (this.#receiveTurn) this.#receiveTurn.ask(this.#resume);
    else this.#resume();
  }

  readonly #resume = (): void => void this.#socket.resume();

  #takeBatch(): "wait" | undefined {
    const { clock, scheduler } = this.#options;
    const rateLimit = this.#allowance?.rateLimit;
    const ms = rateLimit?.waitMs() ?? 0;
    if (ms > 0) {
      this.#pause = clock.after("mqtt rate limit", ms, () => {
        this.#pause = undefined;
        this.#wake();
      });
      return this.#outgoing.length > 0 ? undefined : "wait";
    }
    const most = rateLimit ? scheduler.batch : { ...scheduler.batch, packets: 1 };
    const { publishes, bytes, taken, packets, requests, error } = this.#received.take(most);
    rateLimit?.spend(requests, taken);
    if (!rateLimit && packets > 0) this.#connectSent = true;
    // Messages that came before the error count.
    const wrong = this.#publishes.take(publishes) ?? error;
    if (wrong) return void this.refuse(wrong);
    if (this.#closing || bytes.length === 0) return undefined;
    if (this.#gateway) this.#gateway.fromClient(bytes);
    else this.#outgoing.push(bytes);
    return undefined;
  }
}

/** `answer`: what the client is answered before its connection is closed. */
type Opened = { bytes: Buffer; level: 4 | 5 } | { refusal: PacketError; answer?: Buffer };

const CONNACK_UNKNOWN_LEVEL = Buffer.from([0x20, 2, 0, 1]);

/** The first bytes of a connection, until they say which version of MQTT the client speaks. */
class Opening {
  #bytes: Buffer = Buffer.alloc(0);

  /** Bytes that wait for the rest. */
  get size(): number {
    return this.#bytes.length;
  }

  /** Undefined until enough has arrived. 3.1 counts as 3.1.1. */
  read(chunk: Buffer): Opened | undefined {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const level = protocolLevel(this.#bytes);
    if (level === undefined) return undefined;
    if (level === "not_mqtt") return { refusal: { reason: "not MQTT", code: 0x81 } };
    if (level >= 3 && level <= 5) return { bytes: this.#bytes, level: level === 5 ? 5 : 4 };
    const reason = `protocol level ${level} is not supported`;
    return { refusal: { reason, code: 0x84 }, answer: CONNACK_UNKNOWN_LEVEL };
  }
}

/** The protocol level in the CONNECT that opens a connection; undefined until enough has arrived. */
function protocolLevel(bytes: Uint8Array): number | "not_mqtt" | undefined {
  if (bytes[0] !== 0x10) return bytes.length === 0 ? undefined : "not_mqtt";
  let at = 1;
  while ((bytes[at] ?? 0) & 0x80) if (++at > 4) return "not_mqtt";
  at++;
  const length = bytes[at + 1];
  if (length === undefined) return undefined;
  // "MQTT", or "MQIsdp" for 3.1.
  if (bytes[at] !== 0 || (length !== 4 && length !== 6)) return "not_mqtt";
  const level = bytes[at + 2 + length];
  if (level === undefined) return undefined;
  const name = Buffer.from(bytes.subarray(at + 2, at + 2 + length)).toString("latin1");
  return name === "MQTT" || name === "MQIsdp" ? level & 0x7f : "not_mqtt";
}
