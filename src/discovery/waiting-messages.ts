// The last message on each topic of devices that wait for a person, so that they have values as soon as they are let in.
import type { DescribedDevice } from "./described.ts";
import type { Heard } from "./source.ts";

const MAX_TOPICS = 1000;
const MAX_BYTES = 4096;

export class WaitingMessages {
  readonly #last = new Map<string, Heard | undefined>();

  expect({ topics }: DescribedDevice): void {
    for (const topic of topics)
      if (this.#last.size < MAX_TOPICS && !this.#last.has(topic)) this.#last.set(topic, undefined);
  }

  hear(heard: Heard): void {
    if (this.#last.has(heard.topic) && heard.payload.length <= MAX_BYTES) this.#last.set(heard.topic, heard);
  }

  of(topic: string): Heard[] {
    const heard = this.#last.get(topic);
    return heard ? [heard] : [];
  }

  forget({ topics }: DescribedDevice): void {
    for (const topic of topics) this.#last.delete(topic);
  }
}
