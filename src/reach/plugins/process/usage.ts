// The processes, threads and private memory of plugins, read from /proc. Neither cgroups nor rlimits work everywhere: cgroups need
// a service with the right to create them, and rlimits count address space, of which JavaScript engines reserve gigabytes. On other
// systems than Linux nothing is counted.
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { PluginEntry } from "../config.ts";

export interface Process {
  pid: number;
  parent: number;
  group: number;
  threads: number;
}

export interface Usage {
  threads: number;
  /** Private memory, swapped out or not; mapped program files do not count. */
  bytes: number;
}

export interface Excess {
  /** The configuration key. */
  limit: string;
  message: string;
}

const MEGABYTE = 1_000_000;

/** All processes of the machine. */
export function listProcesses(): Process[] {
  return pids().flatMap((pid) => parseStat(pid, textOf(`/proc/${pid}/stat`)) ?? []);
}

/** The usage of the plugin's process group and of the descendants of its first process. */
export function usageOf(pid: number, all: readonly Process[]): Usage {
  const own = membersOf(pid, all);
  return {
    threads: own.reduce((sum, { threads }) => sum + threads, 0),
    bytes: own.reduce((sum, member) => sum + ownBytes(member.pid), 0),
  };
}

export interface Allowance {
  entry: Pick<PluginEntry, "max_memory_mb" | "max_processes">;
  totalMemory: number;
}

/** The limit that the plugin exceeds; undefined when it is within all. */
export function excessOf({ threads, bytes }: Usage, { entry, totalMemory }: Allowance): Excess | undefined {
  const { max_processes: most, max_memory_mb: megabytes = Math.floor(totalMemory / 2 / MEGABYTE) } = entry;
  if (most > 0 && threads > most)
    return { limit: "[[plugins]] max_processes", message: `${threads} processes and threads are more than ${most}` };
  if (megabytes === 0 || bytes <= megabytes * MEGABYTE) return undefined;
  const used = Math.ceil(bytes / MEGABYTE);
  return { limit: "[[plugins]] max_memory_mb", message: `${used} MB of memory are more than ${megabytes}` };
}

/** Whether the process is gone, or is left to be collected. False where /proc does not report. */
export function hasEnded(pid: number): boolean {
  const find = (one: number) => parseStat(one, textOf(`/proc/${one}/stat`));
  return !find(pid) && find(process.pid) !== undefined;
}

/** Processes and threads of this process's user; undefined when they cannot be counted. */
export function ownTasks(): number | undefined {
  const uid = process.getuid?.();
  const found = listProcesses().filter(({ pid }) => ownerOf(pid) === uid);
  return found.length === 0 ? undefined : found.reduce((sum, { threads }) => sum + threads, 0);
}

function membersOf(pid: number, all: readonly Process[]): Process[] {
  const members = new Set([pid]);
  let before = 0;
  // Children may be listed before their parents.
  while (members.size > before) {
    before = members.size;
    for (const one of all) if (one.group === pid || members.has(one.parent)) members.add(one.pid);
  }
  return all.filter((one) => members.has(one.pid));
}

function pids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

// The fields of proc(5) from the third on: the name before them is in brackets and may contain anything.
function parseStat(pid: number, text: string): Process | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  if (state === undefined || parent === undefined || state === "Z" || state === "X" || text === "") return undefined;
  return { pid, parent: Number(parent), group: Number(group), threads: Number(fields[17]) };
}

function ownBytes(pid: number): number {
  const status = textOf(`/proc/${pid}/status`);
  const kilobytes = [...status.matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm)].map(([, number]) =>
    Number(number),
  );
  return kilobytes.reduce((sum, number) => sum + number, 0) * 1024;
}

function ownerOf(pid: number): number | undefined {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
}

// Empty for a process that has ended meanwhile.
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
