// The last N of something, in order. The oldest gives way.

export interface RingBuffer<T> extends Iterable<T> {
  readonly size: number;
  readonly capacity: number;
  push(item: T): void;
  /** 0 is the oldest held. */
  at(index: number): T | undefined;
}

export function createRingBuffer<T>(capacity: number): RingBuffer<T> {
  if (!Number.isInteger(capacity) || capacity < 1)
    throw new RangeError(`ring buffer capacity ${capacity} is not a whole number above 0`);
  const slots: T[] = [];
  let start = 0;

  return {
    capacity,
    get size() {
      return slots.length;
    },
    push(item) {
      if (slots.length < capacity) slots.push(item);
      else {
        slots[start] = item;
        start = (start + 1) % capacity;
      }
    },
    at: (index) => (index < 0 || index >= slots.length ? undefined : slots[(start + index) % slots.length]),
    *[Symbol.iterator]() {
      for (let index = 0; index < slots.length; index++) yield slots[(start + index) % slots.length] as T;
    },
  };
}
