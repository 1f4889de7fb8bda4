// The last message on each topic of devices that wait for a person, so that they have values as soon as they are let in.
import type { DescribedDevice } from "./described.ts";
import type { Incoming } from "./source.ts";

const MAX_TOPICS = 1000;
const MAX_BYTES = 4096;

export class WaitingMessages {
  readonly #last = new Map<string, Incoming | undefined>();

  expect({ topics }: DescribedDevice): void {
    for (const topic of topics)
      if (this.#last.size < MAX_TOPICS && !this.#last.has(topic)) this.#last.set(topic, undefined);
  }

  receive(incoming: Incoming): void {
    if (this.#last.has(incoming.topic) && incoming.payload.length <= MAX_BYTES)
      this.#last.set(incoming.topic, incoming);
  }

  of(topic: string): Incoming[] {
    const incoming = this.#last.get(topic);
    return incoming ? [incoming] : [];
  }

  forget({ topics }: DescribedDevice): void {
    for (const topic of topics) this.#last.delete(topic);
  }
}
