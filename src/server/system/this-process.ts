// This process as the operating system sees it: what it has written to disk.
import { readFileSync } from "node:fs";

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
