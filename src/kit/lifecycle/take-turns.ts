// Goes through many things without holding up the event loop.

/** Calls `each` for one after the other; after `turnMs` others get their turn. */
export async function takeTurns<T>(all: Iterable<T>, each: (one: T) => void, turnMs = 10): Promise<void> {
  let end = performance.now() + turnMs;
  for (const one of all) {
    each(one);
    if (performance.now() < end) continue;
    await turnOfOthers();
    end = performance.now() + turnMs;
  }
}

/** Does nothing for `ms`, so that what comes in meanwhile is answered at once. */
export async function giveWay(ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; ) await turnOfOthers();
}

const turnOfOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
