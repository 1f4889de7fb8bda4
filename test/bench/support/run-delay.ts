// How long a process's main thread was ready to run and had no core: what a busy machine, not the program, holds up.
import { readFileSync } from "node:fs";

/** Milliseconds since its start; NaN where the kernel does not count. */
export function waitedForCoreMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ")[1]) / 1e6;
  } catch {
    return Number.NaN;
  }
}
