// What this process gave to block devices, as the system counts it: data and the logs of the databases, all threads.
import { readFileSync } from "node:fs";

/** Bytes since the process began; undefined where the system does not say (it does on Linux). */
export function bytesWritten(): number | undefined {
  try {
    const found = /^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "latin1"))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}
