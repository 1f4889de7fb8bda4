// Loaded before the tests (bunfig.toml): a run leaves no process behind, such as a hub of a test that failed, when it is over and
// when a signal ends it. Bun alone ends children politely, which a stopped one does not notice, and not at all after a signal.
import { afterAll } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

// After the last test of the last file.
afterAll(endChildren);
for (const [signal, number] of Object.entries(SIGNALS)) {
  process.on(signal, () => {
    endChildren();
    process.exit(128 + number);
  });
}

function endChildren(): void {
  for (const pid of descendantsOf(process.pid)) killIfThere(pid);
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
