// Merges sorted sequences, with a heap of their next items.

interface Source<T> {
  item: T;
  rest: Iterator<T>;
}

/** Items of all sources in the order of `before`, which must be strict for items of different sources. */
export function* mergeSorted<T>(sources: Iterable<Iterable<T>>, before: (a: T, b: T) => boolean): Iterable<T> {
  const heap: Source<T>[] = [];
  for (const source of sources) {
    const rest = source[Symbol.iterator]();
    const first = rest.next();
    if (first.done) continue;
    heap.push({ item: first.value, rest });
    rise(heap, before);
  }
  for (let top = heap[0]; top; top = heap[0]) {
    yield top.item;
    const next = top.rest.next();
    if (!next.done) top.item = next.value;
    else {
      const last = heap.pop() as Source<T>;
      if (last !== top) heap[0] = last;
    }
    sink(heap, before);
  }
}

function rise<T>(heap: Source<T>[], before: (a: T, b: T) => boolean): void {
  for (let index = heap.length - 1; index > 0; ) {
    const parent = (index - 1) >> 1;
    if (!swapIf(heap, index, parent, before)) return;
    index = parent;
  }
}

function sink<T>(heap: Source<T>[], before: (a: T, b: T) => boolean): void {
  for (let index = 0; ; ) {
    const left = 2 * index + 1;
    const [a, b] = [heap[left], heap[left + 1]];
    if (!a) return;
    const child = b && before(b.item, a.item) ? left + 1 : left;
    if (!swapIf(heap, child, index, before)) return;
    index = child;
  }
}

/** Swaps the child with its parent where it comes before it. */
function swapIf<T>(heap: Source<T>[], child: number, parent: number, before: (a: T, b: T) => boolean): boolean {
  const [below, above] = [heap[child], heap[parent]];
  if (!below || !above || !before(below.item, above.item)) return false;
  heap[child] = above;
  heap[parent] = below;
  return true;
}
