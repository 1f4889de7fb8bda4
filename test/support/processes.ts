// Which processes of this machine belong to a home: by what stands in their command line or environment.
import { readdirSync, readFileSync } from "node:fs";
import { until } from "./wait.ts";

/** Process ids, without this one and without those that have ended but were not collected yet. */
export function processesOf(home: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isAlive(pid) && mentions(pid, home));
}

export function isAlive(pid: number): boolean {
  return !["", "Z", "X"].includes(stateOf(`/proc/${pid}`));
}

/** Stops it by SIGSTOP. On a busy machine some of its threads go on for a while: they stand still when this resolves. */
export async function standStill(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  const tasks = `/proc/${pid}/task`;
  await until(`process ${pid} stands still`, () =>
    readdirSync(tasks).every((task) => ["", "T"].includes(stateOf(`${tasks}/${task}`))),
  );
}

/** R, S, D, T, Z, X as in proc(5); empty where there is no such process. */
function stateOf(folder: string): string {
  const stat = read(`${folder}/stat`);
  // The state stands behind the name, which is in brackets and may hold anything.
  return stat.slice(stat.lastIndexOf(")") + 2)[0] ?? "";
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
