// Between the connection to the external broker and the MQTT library: messages are taken out of what comes, many in a turn, and
// acknowledged in one write; the library, which takes its time for each packet, gets all the others.
import type { Duplex } from "node:stream";
import type { Clock } from "../../../kit/time/clock.ts";
import { createBrokerStream } from "../broker/connection/broker-stream.ts";
import { createPacketQueue, type PacketError } from "../broker/connection/packet-queue.ts";
import { PublishIntake } from "../broker/connection/publish-intake.ts";
import { type ReceivedPublish, readForwarded } from "../broker/connection/publish-packet.ts";
import { createFairScheduler } from "../broker/fair-scheduler.ts";

/** Of QoS 0 and 1. `messageId` is 0 with QoS 0. */
export type Received = Omit<ReceivedPublish, "cmd" | "properties">;

export interface IntakeOptions {
  clock: Clock;
  protocolLevel: 4 | 5;
  maxPacketBytes: number;
  onMessage: (message: Received) => void;
}

// Above this many received bytes that wait for their turn, the connection is paused.
const MAX_QUEUED_BYTES = 262_144;

export class MessageIntake {
  /** For the library. */
  readonly stream: Duplex;
  readonly #broker: Duplex;
  readonly #onMessage: (message: Received) => void;
  readonly #received;
  readonly #publishes: PublishIntake;
  readonly #scheduler;
  /** The library has a first packet, and has not said yet what it makes of it. */
  #isAnswered = false;
  #isLeaving = false;
  #isScheduled = false;
  /** Nothing more will come; with the error, if that is the reason. */
  #ended: { error?: Error } | undefined;
  #onDrain: (() => void) | undefined;

  /** `broker`: its bytes. */
  constructor(broker: Duplex, { clock, protocolLevel, maxPacketBytes, onMessage }: IntakeOptions) {
    this.#broker = broker;
    this.#onMessage = onMessage;
    this.#received = createPacketQueue(maxPacketBytes);
    this.#scheduler = createFairScheduler(clock);
    this.#publishes = new PublishIntake({
      protocolLevel: () => protocolLevel,
      read: readForwarded,
      write: (bytes) => !broker.writable || broker.write(bytes),
      onReady: () => this.#wake(),
    });
    this.stream = createBrokerStream({
      onRead: () => this.#wake(),
      write: (chunks, done) => this.#write(chunks, done),
      close: () => {
        this.#received.clear();
        broker.destroy();
      },
    });
    this.stream.once("finish", () => {
      broker.end();
      // What still comes is discarded, so that its end is seen.
      broker.resume();
    });
    broker.on("data", (chunk: Buffer) => this.#receive(chunk));
    broker.on("drain", () => this.#drained());
    broker.on("error", (error) => this.#end(error));
    broker.on("close", () => {
      this.#drained();
      this.#end();
    });
  }

  /** The library is connected: from now on messages are taken. */
  open(): void {
    this.#publishes.open((message) => {
      this.#onMessage(message);
      return "done";
    });
    this.#wake();
  }

  /** What comes from now on is neither taken nor acknowledged: the broker keeps it for the session's next connection. */
  leave(): void {
    this.#isLeaving = true;
  }

  get #isClosing(): boolean {
    return this.stream.destroyed || this.stream.writableEnded;
  }

  #receive(chunk: Buffer): void {
    if (this.#isClosing) return;
    this.#received.add(chunk);
    if (this.#received.size > MAX_QUEUED_BYTES) this.#broker.pause();
    this.#wake();
  }

  #write(chunks: readonly Buffer[], done: () => void): void {
    let isFull = false;
    for (const bytes of chunks) isFull = !this.#broker.write(bytes);
    if (isFull) this.#onDrain = done;
    else done();
  }

  #drained(): void {
    const done = this.#onDrain;
    this.#onDrain = undefined;
    done?.();
    this.#publishes.drained();
  }

  #end(error?: Error): void {
    this.#ended ??= {};
    if (error) this.#ended.error ??= error;
    this.#wake();
  }

  #mayTake(): boolean {
    if (this.#received.size === 0 || this.#publishes.isBusy) return false;
    return this.#publishes.isOpen || !this.#isAnswered;
  }

  #wake(): void {
    // The library still has packets to read: what came after them waits, so that all is received in the order in which it was sent.
    if (this.#isScheduled || this.stream.destroyed || this.stream.readableLength > 0) return;
    if (!this.#mayTake() && !this.#ended) return;
    this.#isScheduled = true;
    this.#scheduler.schedule(this.#takeTurn);
  }

  readonly #takeTurn = (): void => {
    this.#isScheduled = false;
    if (this.stream.destroyed || this.stream.readableLength > 0) return;
    if (this.#mayTake() && !this.#isClosing) this.#takeBatch();
    else if (this.#ended && this.#broker.destroyed) this.stream.destroy(this.#ended.error);
    if (this.#received.size <= MAX_QUEUED_BYTES && this.#broker.isPaused()) this.#broker.resume();
    this.#wake();
  };

  #takeBatch(): void {
    const { batch } = this.#scheduler;
    const { publishes, bytes, packets, error } = this.#received.take(
      this.#publishes.isOpen ? batch : { ...batch, packets: 1 },
    );
    if (packets > 0) this.#isAnswered = true;
    // Messages that came before the error count.
    const wrong = (this.#isLeaving ? undefined : this.#publishes.take(publishes)) ?? error;
    if (wrong) this.#refuse(wrong);
    else if (bytes.length > 0) this.stream.push(bytes);
  }

  #refuse({ reason }: PacketError): void {
    // The library passes on errors that have a code.
    this.stream.destroy(Object.assign(new Error(`it sent ${reason}`), { code: "ERR_MQTT_PACKET" }));
  }
}
