// A ring buffer: the last N items in order. A new item evicts the oldest.

export interface RingBuffer<T> extends Iterable<T> {
  readonly size: number;
  readonly capacity: number;
  push(item: T): void;
  /** Removes the oldest item. */
  shift(): T | undefined;
  /** 0 is the oldest item. */
  at(index: number): T | undefined;
}

export function createRingBuffer<T>(capacity: number): RingBuffer<T> {
  if (!Number.isInteger(capacity) || capacity < 1)
    throw new RangeError(`ring buffer capacity ${capacity} is not a whole number above 0`);
  const slots: (T | undefined)[] = [];
  let start = 0;
  let size = 0;

  function shift(): T | undefined {
    if (size === 0) return undefined;
    const oldest = slots[start];
    slots[start] = undefined;
    start = (start + 1) % capacity;
    size--;
    return oldest;
  }

  return {
    capacity,
    get size() {
      return size;
    },
    push(item) {
      if (size === capacity) shift();
      slots[(start + size++) % capacity] = item;
    },
    shift,
    at: (index) => (index < 0 || index >= size ? undefined : slots[(start + index) % capacity]),
    *[Symbol.iterator]() {
      for (let index = 0; index < size; index++) yield slots[(start + index) % capacity] as T;
    },
  };
}
