// Loaded before the tests (bunfig.toml). Bun ends the processes of a test that timed out, and all of them after the last test,
// but not when the run itself is ended by a signal: then this does it, so that no hub is left behind.
import { readdirSync, readFileSync } from "node:fs";

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

for (const [signal, number] of Object.entries(SIGNALS)) {
  process.on(signal, () => {
    for (const pid of descendantsOf(process.pid)) killIfThere(pid);
    process.exit(128 + number);
  });
}

/** Process ids of children, their children and so on; none where there is no /proc. */
function descendantsOf(root: number): number[] {
  const parents = new Map(processIds().map((pid) => [pid, parentOf(pid)]));
  const found = new Set([root]);
  // A parent may have a greater number than its child, so one pass is not enough.
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (parent !== undefined && found.has(parent)) found.add(pid);
  }
  found.delete(root);
  return [...found];
}

function processIds(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The state and the parent's id follow the name, which is in brackets and may contain anything.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
