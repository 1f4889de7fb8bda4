// What the hub sends to the external broker: in order, never twice. While there is no connection a message waits a few seconds,
// then it fails with the reason; what was under way when the connection ended fails too, as nobody knows whether it arrived.
import type { Fence } from "../../../kit/lifecycle/fence.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { Connection, Outgoing as Message } from "./connection.ts";
import { PublishError } from "./failure.ts";

export interface OutgoingOptions {
  clock: Clock;
  /** Why there is no connection now. */
  reason: () => string;
  /** Just before it is written. */
  onSending: (message: Message) => void;
  /** The broker refused it. */
  onDenied: () => void;
  fence?: Fence | undefined;
}

interface Waiting {
  message: Message;
  bytes: number;
  done: PromiseWithResolvers<void>;
}

/** How long a message waits for a connection, from the beginning of an outage. */
const GRACE_MS = 5000;
const ACKNOWLEDGE_MS = 10_000;
const MAX_MESSAGES = 5000;
const MAX_BYTES = 16 * 1_048_576;
/** Unacknowledged at once; a broker of MQTT 5 may want fewer. */
const MAX_IN_FLIGHT = 200;

export class Outgoing implements Disposable {
  readonly #options: OutgoingOptions;
  readonly #queue: Waiting[] = [];
  #bytes = 0;
  #connection: Connection | undefined;
  #inFlight = 0;
  #maxInFlight = MAX_IN_FLIGHT;
  #patience: Timer | undefined;
  #isImpatient = false;

  constructor(options: OutgoingOptions) {
    this.#options = options;
    this.#wait();
  }

  /** Whether a message is sent, or waits for a connection that may come soon. */
  get takes(): boolean {
    return this.#connection !== undefined || !this.#isImpatient;
  }

  /** Throws HubError `unavailable`, whose message says whether it was not sent, or may or may not have arrived. */
  publish(message: Message): Promise<void> {
    const bytes = message.topic.length + message.payload.length;
    if (!this.takes) return Promise.reject(this.#unavailable());
    if (this.#queue.length >= MAX_MESSAGES || this.#bytes + bytes > MAX_BYTES) {
      const busy = "too many messages wait for the MQTT broker: it takes them more slowly than they come";
      return Promise.reject(new HubError("unavailable", busy));
    }
    const done = Promise.withResolvers<void>();
    this.#queue.push({ message, bytes, done });
    this.#bytes += bytes;
    this.#pump();
    return done.promise;
  }

  /**
   * The broker is there again: what rules send now, on messages that it kept for the hub and hands out before all is subscribed,
   * waits once more.
   */
  expect(): void {
    this.#patience?.[Symbol.dispose]();
    this.#isImpatient = false;
    this.#wait();
  }

  connected(connection: Connection): void {
    this.#patience?.[Symbol.dispose]();
    this.#patience = undefined;
    this.#isImpatient = false;
    this.#connection = connection;
    this.#inFlight = 0;
    // One less: the session publishes to itself now and then.
    const most = (connection.properties.receiveMaximum ?? MAX_IN_FLIGHT) - 1;
    this.#maxInFlight = Math.max(1, Math.min(MAX_IN_FLIGHT, most));
    this.#pump();
  }

  disconnected(): void {
    this.#connection = undefined;
    if (!this.#patience && !this.#isImpatient) this.#wait();
  }

  /** Nothing waits any longer: there will be no connection soon. */
  giveUp(): void {
    this.#isImpatient = true;
    this.#bytes = 0;
    for (const { done } of this.#queue.splice(0)) done.reject(this.#unavailable());
  }

  [Symbol.dispose](): void {
    this.#patience?.[Symbol.dispose]();
    this.#connection = undefined;
    this.giveUp();
  }

  #wait(): void {
    this.#patience = this.#options.clock.after("mqtt broker outage", GRACE_MS, () => {
      this.#patience = undefined;
      this.giveUp();
    });
  }

  #unavailable(): HubError {
    const { fence, reason } = this.#options;
    return new HubError("unavailable", fence?.closed ?? `nothing can be sent over MQTT: ${reason()}`);
  }

  #pump(): void {
    while (this.#connection?.open && this.#inFlight < this.#maxInFlight) {
      if (this.#options.fence?.closed !== undefined) {
        this.giveUp();
        return;
      }
      const next = this.#queue.shift();
      if (!next) return;
      this.#bytes -= next.bytes;
      void this.#send(this.#connection, next);
    }
  }

  async #send(connection: Connection, { message, done }: Waiting): Promise<void> {
    const { clock, onSending, onDenied } = this.#options;
    this.#inFlight++;
    const late = clock.after("mqtt acknowledgement", ACKNOWLEDGE_MS, () =>
      connection.cut("the broker no longer answers"),
    );
    try {
      onSending(message);
      await connection.publish(message);
      done.resolve();
    } catch (error) {
      if (error instanceof PublishError && error.outcome === "refused") onDenied();
      done.reject(asHubError(error, message.topic));
    } finally {
      late[Symbol.dispose]();
      if (connection === this.#connection) {
        this.#inFlight--;
        this.#pump();
      }
    }
  }
}

function asHubError(error: unknown, topic: string): HubError {
  const text = messageOf(error);
  if (error instanceof PublishError && error.outcome === "refused")
    return new HubError("unavailable", `the MQTT broker did not take the message to ${topic}: ${text}`);
  return new HubError(
    "unavailable",
    `the connection to the MQTT broker ended before it acknowledged the message to ${topic}, which may or may not have arrived: ${text}`,
  );
}
