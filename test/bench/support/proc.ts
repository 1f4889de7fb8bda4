// What Linux reports of a running process.
import { readdirSync, readFileSync } from "node:fs";

// USER_HZ, which Linux fixes at 100 for all that reads /proc.
const TICK_MS = 10;

/** CPU time of all its threads, user and system; 10 ms steps. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in brackets may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/**
 * Counts the CPU time of its threads from now on; the answer, in nanoseconds, leaves out threads that ended meanwhile. Finer than the
 * ticks of `cpuMs`, for what hardly does anything.
 */
export function countCpuNanos(pid: number): () => number {
  const before = nanosByThread(pid);
  return () => {
    let sum = 0;
    for (const [thread, nanos] of nanosByThread(pid)) sum += nanos - (before.get(thread) ?? 0);
    return sum;
  };
}

function nanosByThread(pid: number): Map<string, number> {
  const threads = readdirSync(`/proc/${pid}/task`);
  return new Map(
    threads.map((thread) => [
      thread,
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
    ]),
  );
}

export interface Memory {
  /** MiB. Shared pages counted whole. */
  rss: number;
  /** Shared pages counted by share. */
  pss: number;
  /** Heap and stacks. */
  anonymous: number;
  /** Pages of files: the executable's text above all. */
  file: number;
}

/** In MiB, as `top` reports it, at little cost. */
export function rssMiB(pid: number): number {
  return field(readFileSync(`/proc/${pid}/status`, "utf8"), "VmRSS");
}

export function memory(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return {
    rss: field(status, "VmRSS"),
    pss: field(rollup, "Pss"),
    anonymous: field(status, "RssAnon"),
    file: field(status, "RssFile"),
  };
}

export function children(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) / 1024;
}
