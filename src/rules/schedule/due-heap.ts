// Who is due first: a binary heap from which anything can also be taken out of the middle.

/** What lies in a heap carries its place there; -1 outside. */
export interface Slotted {
  slot: number;
}

export interface DueHeap<T extends Slotted> {
  first(): T | undefined;
  push(item: T): void;
  /** Nothing happens when it is not in the heap. */
  remove(item: T): void;
}

export function createDueHeap<T extends Slotted>(comesBefore: (a: T, b: T) => boolean): DueHeap<T> {
  const items: T[] = [];

  function place(item: T, slot: number): void {
    items[slot] = item;
    item.slot = slot;
  }

  function up(item: T, from: number): void {
    let slot = from;
    while (slot > 0) {
      const parent = items[(slot - 1) >> 1] as T;
      if (!comesBefore(item, parent)) break;
      place(parent, slot);
      slot = (slot - 1) >> 1;
    }
    place(item, slot);
  }

  function down(item: T, from: number): void {
    let slot = from;
    for (;;) {
      const left = items[2 * slot + 1];
      const right = items[2 * slot + 2];
      const child = left && right && comesBefore(right, left) ? right : left;
      if (!child || !comesBefore(child, item)) break;
      const next = child.slot;
      place(child, slot);
      slot = next;
    }
    place(item, slot);
  }

  return {
    first: () => items[0],
    push: (item) => up(item, items.length),
    remove(item) {
      const { slot } = item;
      if (slot < 0) return;
      item.slot = -1;
      const last = items.pop() as T;
      if (last === item) return;
      up(last, slot);
      down(last, last.slot);
    },
  };
}
