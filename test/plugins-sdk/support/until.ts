// Waiting for a condition, with a deadline that names what did not happen.

export async function until<T>(what: string, look: () => T | Promise<T>, ms = 45_000): Promise<NonNullable<T>> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`did not happen within ${ms} ms: ${what}`);
    await Bun.sleep(10);
  }
}
