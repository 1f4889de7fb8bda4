// Goes through many things without holding up the event loop.

/** Calls `each` for one after the other; after `turnMs` others get their turn. */
export async function takeTurns<T>(all: Iterable<T>, each: (one: T) => void, turnMs = 10): Promise<void> {
  let end = performance.now() + turnMs;
  for (const one of all) {
    each(one);
    if (performance.now() < end) continue;
    await new Promise((resolve) => setImmediate(resolve));
    end = performance.now() + turnMs;
  }
}
