// The last events as JSON texts, limited in number and in bytes. Only the texts are kept: they are what readers get, their
// size is known, and the attributes of a device do not stay in memory as objects, which take many times as much.
import { createRingBuffer, type RingBuffer } from "../../kit/lifecycle/ring-buffer.ts";
import { bytesHeldBy } from "../../kit/schema/memory-size.ts";

export interface KeptEvent {
  readonly type: string;
  readonly seq: number;
  readonly deviceId: string | undefined;
  readonly json: string;
  /** The text for readers who may not see secrets; the same text if there are none. */
  readonly redacted: string;
}

export interface EventRingOptions {
  /** Events. */
  most: number;
  maxBytes: number;
  /** `seq` before the first. */
  from: number;
}

// An entry of the ring besides its text.
const ENTRY_BYTES = 128;

export class EventRing {
  readonly #events: RingBuffer<KeptEvent & { bytes: number }>;
  readonly #maxBytes: number;
  #bytes = 0;
  #head: number;
  #lostThrough: number;

  constructor({ most, maxBytes, from }: EventRingOptions) {
    this.#events = createRingBuffer(most);
    this.#maxBytes = maxBytes;
    this.#head = from;
    this.#lostThrough = from;
  }

  get capacity(): number {
    return this.#events.capacity;
  }

  get size(): number {
    return this.#events.size;
  }

  /** Bytes of the kept texts. */
  get bytes(): number {
    return this.#bytes;
  }

  /** `seq` of the newest event emitted, or the one before the first. */
  get head(): number {
    return this.#head;
  }

  /** Everything up to and including this `seq` is no longer kept. */
  get lostThrough(): number {
    return this.#lostThrough;
  }

  /** Returns true if older events were dropped because of their bytes, not their number. */
  add({ type, seq, deviceId, json, redacted }: KeptEvent): boolean {
    const bytes = ENTRY_BYTES + bytesHeldBy(json) + (redacted === json ? 0 : bytesHeldBy(redacted));
    if (this.#events.size === this.#events.capacity) this.#dropOldest();
    const isCrowded = this.#events.size > 0 && this.#bytes + bytes > this.#maxBytes;
    while (this.#events.size > 0 && this.#bytes + bytes > this.#maxBytes) this.#dropOldest();
    this.#events.push({ type, seq, deviceId, json, redacted, bytes });
    this.#bytes += bytes;
    this.#head = seq;
    return isCrowded;
  }

  /** Events with a greater `seq`, oldest first. */
  *after(seq: number): Iterable<KeptEvent> {
    for (let index = this.#firstAfter(seq); index < this.#events.size; index++)
      yield this.#events.at(index) as KeptEvent;
  }

  /** Events with a smaller `seq` than `before`, newest first; all when it is absent. */
  *newestFirst(before = Number.POSITIVE_INFINITY): Iterable<KeptEvent> {
    for (let index = this.#firstAfter(before - 1) - 1; index >= 0; index--) yield this.#events.at(index) as KeptEvent;
  }

  #dropOldest(): void {
    const oldest = this.#events.shift();
    if (!oldest) return;
    this.#bytes -= oldest.bytes;
    this.#lostThrough = oldest.seq;
  }

  /** The index of the first event with a greater `seq`, by binary search. */
  #firstAfter(seq: number): number {
    let low = 0;
    for (let high = this.#events.size; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.#events.at(middle)?.seq ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
