// The messages with QoS 0 and 1 that one client publishes: read, handed to the hub and acknowledged, many at once. The broker gets
// only those that have subscribers.
import type { PacketError } from "./packet-queue.ts";
import { acknowledgements, type ReadPublish, type ReceivedPublish, readPublish } from "./publish-packet.ts";

/**
 * What becomes of a message. `done`: nobody waits for it any more; `passing`: it goes to subscribers, and `passed` is called once
 * they have it; `refused`: the connection is closed because of it.
 */
export type Admission = "done" | "passing" | "refused";
export type PublishHandler = (publish: ReceivedPublish, passed: () => void) => Admission;

export interface PublishIntakeOptions {
  protocolLevel: () => 4 | 5;
  /** Of a client, unless it is said. */
  read?: (packet: Buffer, protocolLevel: 4 | 5) => ReadPublish;
  /** False when the client's socket is full; then `drained` follows. */
  write: (bytes: Buffer) => boolean;
  /** More may be taken. */
  onReady: () => void;
}

export class PublishIntake {
  readonly #options: PublishIntakeOptions;
  #handler: PublishHandler | undefined;
  #passing = 0;
  #isFull = false;

  constructor(options: PublishIntakeOptions) {
    this.#options = options;
  }

  /** The client has its CONNACK. */
  open(handler: PublishHandler): void {
    this.#handler = handler;
  }

  get isOpen(): boolean {
    return this.#handler !== undefined;
  }

  /** Whether messages are on their way to slow subscribers, or the client does not read its acknowledgements. */
  get isBusy(): boolean {
    return this.#passing > 0 || this.#isFull;
  }

  /** An error where a packet is wrong: those before it are taken. */
  take(packets: readonly Buffer[]): PacketError | undefined {
    const { protocolLevel, read: readOne = readPublish } = this.#options;
    const messageIds: number[] = [];
    let error: PacketError | undefined;
    for (const packet of packets) {
      const read = readOne(packet, protocolLevel());
      if ("error" in read) {
        error = read.error;
        break;
      }
      const admission = this.#handler?.(read.publish, this.#passed);
      if (admission === "refused") return undefined;
      if (admission === "passing") this.#passing++;
      if (read.publish.qos === 1) messageIds.push(read.publish.messageId);
    }
    if (messageIds.length > 0) this.#isFull = !this.#options.write(acknowledgements(messageIds));
    return error;
  }

  drained(): void {
    if (!this.#isFull) return;
    this.#isFull = false;
    this.#options.onReady();
  }

  readonly #passed = (): void => {
    this.#passing--;
    if (!this.isBusy) this.#options.onReady();
  };
}
