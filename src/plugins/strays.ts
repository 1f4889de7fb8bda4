// Processes that left their plugin's group for a session of their own. Each still carries the mark of its run in the
// environment it was started with; Linux shows that under /proc, elsewhere there is nothing to go by.
import { readdirSync, readFileSync } from "node:fs";

/** The variable that marks a run. */
export const RUN_MARK = "HUB_RUN";

/** SIGKILL to every process started under the mark, and to those these start meanwhile. */
export function endStrays(mark: string): void {
  // Again while there are any: one may have started another between look and kill. Bounded, should a kill not help.
  for (let look = 0; look < 5; look++) {
    const found = processesUnder(mark);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself.
      }
    }
  }
}

function processesUnder(mark: string): number[] {
  const wanted = `${RUN_MARK}=${mark}`;
  return numbersIn("/proc").filter((pid) => pid !== process.pid && environmentOf(pid).split("\0").includes(wanted));
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

// Empty for a process that ended, also while nobody has asked for its exit code, and for other users' ones.
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}
