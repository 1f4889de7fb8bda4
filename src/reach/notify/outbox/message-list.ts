// The messages of one channel in the order in which they are sent, searchable by their texts: emergencies first, then what is
// important, then the others, each in the order of posting.
import { keyOf, type MessageOptions, type Rank, rankOf } from "../message-options.ts";
import { hashOf, type QueuedMessage, type TextHash, type Texts } from "./queued-message.ts";

const RANKS = [2, 1, 0] as const satisfies readonly Rank[];

export class MessageList {
  readonly messages: QueuedMessage[] = [];
  readonly #byHash = new Map<TextHash, QueuedMessage>();
  readonly #ofRank: Record<Rank, number> = { 0: 0, 1: 0, 2: 0 };
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Behind all of its rank. */
  add(message: QueuedMessage): void {
    const { from, length } = this.#rangeOf(rankOf(message.options));
    this.#put(message, from + length);
    this.#byHash.set(message.hash, message);
  }

  /** In its place by `id` among those of its rank. */
  insert(message: QueuedMessage): void {
    const { from, length } = this.#rangeOf(rankOf(message.options));
    let [low, high] = [from, from + length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.messages[middle]?.id ?? 0) < message.id) low = middle + 1;
      else high = middle;
    }
    this.#put(message, low);
    if ((this.#byHash.get(message.hash)?.id ?? 0) < message.id) this.#byHash.set(message.hash, message);
  }

  remove(message: QueuedMessage): void {
    const index = this.messages.indexOf(message);
    if (index < 0) return;
    this.messages.splice(index, 1);
    this.#ofRank[rankOf(message.options)]--;
    if (this.#byHash.get(message.hash) === message) this.#byHash.delete(message.hash);
    this.#bytes -= message.bytes;
  }

  /** The newest with these texts and options, if it is not being sent: its text may still change. */
  duplicateOf(
    texts: Texts,
    options: MessageOptions,
    store: { texts(id: number): Texts | undefined },
  ): QueuedMessage | undefined {
    const found = this.#byHash.get(hashOf(texts, options));
    // Of one that somebody has already, not everybody would get the other.
    if (found?.state !== "waiting" || found.settled || keyOf(found.options) !== keyOf(options)) return undefined;
    const known = found.texts ?? store.texts(found.id);
    const isSame = known?.title === texts.title && known.message === texts.message && known.html === texts.html;
    return isSame ? found : undefined;
  }

  /** The oldest of each rank. */
  oldest(): QueuedMessage[] {
    return RANKS.flatMap((rank) => (this.#ofRank[rank] > 0 ? (this.messages[this.#rangeOf(rank).from] ?? []) : []));
  }

  /** The oldest messages that the test is true for, which is never true for one that is newer than one it is false for. */
  oldestWhile(test: (message: QueuedMessage) => boolean): QueuedMessage[] {
    return RANKS.flatMap((rank) => {
      const { from, length } = this.#rangeOf(rank);
      let until = from;
      for (const end = from + length; until < end; until++) {
        const message = this.messages[until];
        if (!message || !test(message)) break;
      }
      return this.messages.slice(from, until);
    });
  }

  /** The oldest of this rank that is not being sent. */
  oldestWaiting(rank: Rank, test: (message: QueuedMessage) => boolean = () => true): QueuedMessage | undefined {
    const { from, length } = this.#rangeOf(rank);
    for (let index = from; index < from + length; index++) {
      const message = this.messages[index];
      if (message?.state === "waiting" && test(message)) return message;
    }
    return undefined;
  }

  /** Whether a message waits that goes before this one. */
  hasMoreImportant({ options }: QueuedMessage): boolean {
    return RANKS.some((rank) => rank > rankOf(options) && this.oldestWaiting(rank) !== undefined);
  }

  #put(message: QueuedMessage, index: number): void {
    this.messages.splice(index, 0, message);
    this.#ofRank[rankOf(message.options)]++;
    this.#bytes += message.bytes;
  }

  #rangeOf(rank: Rank): { from: number; length: number } {
    const above = RANKS.filter((other) => other > rank).reduce<number>((sum, other) => sum + this.#ofRank[other], 0);
    return { from: above, length: this.#ofRank[rank] };
  }
}
