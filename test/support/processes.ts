// Which processes of this machine belong to a home: by what stands in their command line or environment.
import { readdirSync, readFileSync } from "node:fs";

/** Process ids, without this one and without those that have ended but were not collected yet. */
export function processesOf(home: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isAlive(pid) && mentions(pid, home));
}

export function isAlive(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  // The state stands behind the name, which is in brackets and may hold anything.
  return stat !== "" && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

function mentions(pid: number, home: string): boolean {
  return `${read(`/proc/${pid}/cmdline`)}\0${read(`/proc/${pid}/environ`)}`.split(/[\0=]/).some((word) => {
    return word === home || word.startsWith(`${home}/`);
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
