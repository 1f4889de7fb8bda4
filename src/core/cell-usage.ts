// What a cell takes of the processor and of memory, read from /proc. Limits of the kernel do not do: of memory they count address space,
// of which JavaScript engines reserve gigabytes.
import { readFileSync } from "node:fs";

export interface CellUsage {
  cpuMs: number;
  /** Its own, swapped out or not. */
  memoryBytes: number;
}

// USER_HZ, the same on all machines that the hub runs on.
const TICK_MS = 10;

/** Undefined where the process has ended, or the system does not tell. */
export function usageOf(pid: number): CellUsage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The fields of proc(5) from the third on: the name before them is in brackets and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const kilobytes = readFileSync(`/proc/${pid}/status`, "utf8")
      .matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm)
      .reduce((sum, [, number]) => sum + Number(number), 0);
    return { cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS, memoryBytes: kilobytes * 1024 };
  } catch {
    return undefined;
  }
}
