// This process as the operating system sees it: what it has written to disk, and memory it gives back.
import { readFileSync } from "node:fs";
import type { Clock } from "../core/clock.ts";

// By then, plugins have started and the first clients have reconnected.
const RELEASE_AFTER_MS = 5000;

/**
 * Bytes this process has written to block devices since it began: data and database logs, of all threads. Undefined where the
 * system does not count them; Linux does.
 */
export function bytesWritten(): number | undefined {
  try {
    const found = /^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "latin1"))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

/** Gives back the memory that only the start of the hub needed. */
export function releaseMemorySoon(clock: Clock): Disposable {
  return clock.after("release memory", RELEASE_AFTER_MS, () => {
    Bun.gc(true);
    // The code of the start as well, when the engine is idle. It calls the function deprecated, and has no other way.
    Bun.shrink();
  });
}
