// Waiting for conditions, always with a deadline. The deadlines are for things that never happen: they are far longer than
// anything takes on a slow machine, and shorter than a test's timeout, so that the message says what was awaited.

export interface Deadline {
  timeoutMs?: number;
  /** By default ever longer pauses: what takes seconds is not asked for a hundred times in each. */
  everyMs?: number;
}

/** For machines that are slower than any other, as emulated ones. */
const FACTOR = Number(process.env.TEST_WAIT_FACTOR ?? 1);
const SHORTEST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 100;

/** A part of the time waited so far, so that the wait gets at most that much longer. */
function pauseAfter(waitedMs: number): number {
  return Math.min(MAX_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, waitedMs / 20));
}

/** Polls until `look` gives something truthy, and answers it. Throws naming `what` when that never happens. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { timeoutMs = 45_000, everyMs }: Deadline = {},
): Promise<NonNullable<T>> {
  const begun = performance.now();
  const limitMs = timeoutMs * FACTOR;
  for (;;) {
    const found = await look();
    if (found) return found;
    const waitedMs = performance.now() - begun;
    if (waitedMs > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await Bun.sleep(everyMs ?? pauseAfter(waitedMs));
  }
}

/** The promise's value; throws naming `what` when it takes longer. */
export async function soon<T>(what: string, promise: Promise<T>, timeoutMs = 45_000): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const limitMs = timeoutMs * FACTOR;
  const timer = setTimeout(() => timeout.reject(new Error(`not within ${limitMs} ms: ${what}`)), limitMs);
  try {
    return await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
