// The last message of each topic whose device has not been described yet: states may come before `bridge/devices`.
import type { Message } from "../../described.ts";
import type { Incoming, Sender } from "../../source.ts";

const MAX_MESSAGES = 2000;
const MAX_BYTES = 1_048_576;
const MAX_MESSAGE_BYTES = 16_384;

export class EarlyMessages {
  readonly #kept = new Map<string, { message: Message; bytes: number }>();
  #bytes = 0;

  /** In place of the last one of its topic. The oldest make room. */
  keep({ sender, topic, payload, message }: Incoming): void {
    const key = keyOf(sender, topic);
    this.#drop(key);
    if (payload.length === 0 || payload.length > MAX_MESSAGE_BYTES) return;
    this.#kept.set(key, { message: message(), bytes: payload.length });
    this.#bytes += payload.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_MESSAGES && this.#bytes <= MAX_BYTES) break;
      this.#drop(oldest);
    }
  }

  take(sender: Sender, topic: string): Message | undefined {
    const key = keyOf(sender, topic);
    const message = this.#kept.get(key)?.message;
    this.#drop(key);
    return message;
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}

function keyOf({ name }: Sender, topic: string): string {
  return `${name}\n${topic}`;
}
