// Gives back what the start of the hub has used and nobody needs any more.
import type { Clock } from "../core/clock.ts";

// When plugins have started and the first clients are back.
const AFTER_MS = 5000;

export function releaseMemorySoon(clock: Clock): Disposable {
  return clock.after("release memory", AFTER_MS, () => {
    Bun.gc(true);
    // The code of the start as well, when the engine is idle. It calls the function deprecated, and has no other way.
    Bun.shrink();
  });
}
