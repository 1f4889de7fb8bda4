// The messages of one channel that are being sent: one, and beside it an emergency where that one takes long.
import { within } from "../../../kit/lifecycle/lifecycle.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { QueuedMessage } from "./queued-message.ts";

interface Sending {
  /** Monotonic ms. */
  readonly begun: number;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

/** A message that takes longer lets an emergency go beside it. */
const SLOW_MS = 1000;
const STOP_MS = 3000;

export class UnderWay {
  readonly #clock: Clock;
  readonly #sending = new Map<QueuedMessage, Sending>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#sending.size === 0;
  }

  /** `send` does not reject; when it is done, `ended` has to be called. */
  begin(message: QueuedMessage, send: (signal: AbortSignal) => Promise<void>): void {
    const abort = new AbortController();
    message.state = "sending";
    this.#sending.set(message, { begun: this.#clock.mono(), abort, done: send(abort.signal) });
  }

  ended(message: QueuedMessage): void {
    this.#sending.delete(message);
  }

  abort(message: QueuedMessage): void {
    this.#sending.get(message)?.abort.abort();
  }

  /** Milliseconds until another message may be sent beside the one that is being sent; infinite where there is one already. */
  waitMs(): number {
    const [one, ...more] = this.#sending.values();
    if (more.length > 0) return Number.POSITIVE_INFINITY;
    return one ? Math.max(0, one.begun + SLOW_MS - this.#clock.mono()) : 0;
  }

  /** Gives what is being sent three seconds to end by itself. */
  async stop(): Promise<void> {
    const sending = [...this.#sending.values()];
    const ended = Promise.all(sending.map(({ done }) => done));
    if (sending.length === 0 || (await within(this.#clock, STOP_MS, "outbox-stop", ended))) return;
    for (const { abort } of sending) abort.abort();
    await within(this.#clock, STOP_MS, "outbox-stop", ended);
  }
}
