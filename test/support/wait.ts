// Waiting for conditions, always with a deadline. The deadlines are for things that never happen: they are far longer than
// anything takes on a slow machine, and shorter than a test's timeout, so that the message says what was awaited.

export interface Deadline {
  timeoutMs?: number;
  everyMs?: number;
}

/** Polls until `look` gives something truthy, and answers it. Throws naming `what` when that never happens. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  { timeoutMs = 45_000, everyMs = 10 }: Deadline = {},
): Promise<NonNullable<T>> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await Bun.sleep(everyMs);
  }
}

/** The promise's value; throws naming `what` when it takes longer. */
export async function soon<T>(what: string, promise: Promise<T>, timeoutMs = 45_000): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`not within ${timeoutMs} ms: ${what}`)), timeoutMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
