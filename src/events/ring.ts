// The last events as their JSON text, bounded in number and in bytes. Only the text is held: it is what readers get, its size
// is known, and the attributes of a device do not live on in it as objects, which take many times as much.

import { bytesHeldBy } from "../core/memory-size.ts";
import { createRingBuffer } from "../core/ring-buffer.ts";

export interface KeptEvent {
  readonly type: string;
  readonly seq: number;
  readonly deviceId: string | undefined;
  readonly json: string;
  /** The text for readers who may not see secrets; the very same where there are none. */
  readonly veiled: string;
}

export interface EventRing {
  readonly capacity: number;
  readonly size: number;
  /** Bytes of the texts held. */
  readonly bytes: number;
  /** `seq` of the newest event emitted, or of the start where there was none. */
  readonly head: number;
  /** Everything up to and including this `seq` is no longer held. */
  readonly lostThrough: number;
  /** Events with a greater `seq`, oldest first. */
  after(seq: number): Iterable<KeptEvent>;
  /** Those with a smaller `seq` than `before`, newest first; all where it is not given. */
  newestFirst(before?: number): Iterable<KeptEvent>;
}

export interface EventRingOptions {
  /** Events. */
  most: number;
  mostBytes: number;
  /** `seq` before the first. */
  from: number;
}

// An entry of the ring besides its text.
const ENTRY_BYTES = 128;

export interface KeepingRing extends EventRing {
  /** True where the bytes, not the number, made older ones go. */
  keep(event: KeptEvent): boolean;
}

export function createEventRing({ most, mostBytes, from }: EventRingOptions): KeepingRing {
  const events = createRingBuffer<KeptEvent & { bytes: number }>(most);
  let bytes = 0;
  let lostThrough = from;
  let head = from;

  function dropOldest(): void {
    const oldest = events.shift();
    if (!oldest) return;
    bytes -= oldest.bytes;
    lostThrough = oldest.seq;
  }

  /** The index of the first with a greater `seq`. Numbers grow along the ring: found by halving. */
  function firstAfter(seq: number): number {
    let low = 0;
    for (let high = events.size; low < high; ) {
      const middle = (low + high) >> 1;
      if ((events.at(middle)?.seq ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    capacity: most,
    get size() {
      return events.size;
    },
    get bytes() {
      return bytes;
    },
    get head() {
      return head;
    },
    get lostThrough() {
      return lostThrough;
    },
    keep({ type, seq, deviceId, json, veiled }) {
      const own = ENTRY_BYTES + bytesHeldBy(json) + (veiled === json ? 0 : bytesHeldBy(veiled));
      if (events.size === most) dropOldest();
      const crowded = events.size > 0 && bytes + own > mostBytes;
      while (events.size > 0 && bytes + own > mostBytes) dropOldest();
      events.push({ type, seq, deviceId, json, veiled, bytes: own });
      bytes += own;
      head = seq;
      return crowded;
    },
    *after(seq) {
      for (let index = firstAfter(seq); index < events.size; index++) yield events.at(index) as KeptEvent;
    },
    *newestFirst(before = Number.POSITIVE_INFINITY) {
      for (let index = firstAfter(before - 1) - 1; index >= 0; index--) yield events.at(index) as KeptEvent;
    },
  };
}
