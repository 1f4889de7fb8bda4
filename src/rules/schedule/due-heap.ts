// Which of many things is due first: a binary heap from which anything can also be removed.

/** What is in a heap knows its place in it; -1 outside. */
export interface Slotted {
  slot: number;
}

export class DueHeap<T extends Slotted> {
  readonly #items: T[] = [];
  readonly #comesBefore: (a: T, b: T) => boolean;

  constructor(comesBefore: (a: T, b: T) => boolean) {
    this.#comesBefore = comesBefore;
  }

  first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#up(item, this.#items.length);
  }

  /** Does nothing when it is not in the heap. */
  remove(item: T): void {
    const { slot } = item;
    if (slot < 0) return;
    item.slot = -1;
    const last = this.#items.pop() as T;
    if (last === item) return;
    this.#up(last, slot);
    this.#down(last, last.slot);
  }

  #place(item: T, slot: number): void {
    this.#items[slot] = item;
    item.slot = slot;
  }

  #up(item: T, from: number): void {
    let slot = from;
    while (slot > 0) {
      const parent = this.#items[(slot - 1) >> 1] as T;
      if (!this.#comesBefore(item, parent)) break;
      this.#place(parent, slot);
      slot = (slot - 1) >> 1;
    }
    this.#place(item, slot);
  }

  #down(item: T, from: number): void {
    let slot = from;
    for (;;) {
      const left = this.#items[2 * slot + 1];
      const right = this.#items[2 * slot + 2];
      const child = left && right && this.#comesBefore(right, left) ? right : left;
      if (!child || !this.#comesBefore(child, item)) break;
      const next = child.slot;
      this.#place(child, slot);
      slot = next;
    }
    this.#place(item, slot);
  }
}
