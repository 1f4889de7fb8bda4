// What the processes of one run of a plugin are labelled with: a limit that no kernel applies any more, that of file locks. It is
// inherited, nobody without rights can raise it, and the filter of system calls keeps a plugin from changing it at all. So a process is
// known for the plugin's, whatever it did with its session and its environment.
import { readFileSync } from "node:fs";

// Above all limits that people set. Several hubs on a machine have different ones.
const FIRST = 2 ** 50;
const OF_A_HUB = 2 ** 20;
const UNLIMITED = "unlimited";

const labels = { given: 0 };

/** Undefined where the hub cannot give any: its own file locks are limited, or this is no Linux. */
export function nextLabel(): number | undefined {
  if (labelOf(process.pid) !== UNLIMITED) return undefined;
  labels.given = (labels.given + 1) % OF_A_HUB;
  return FIRST + process.pid * OF_A_HUB + labels.given;
}

/** Undefined for what has ended. */
export function labelOf(pid: number): string | undefined {
  try {
    return /^Max file locks\s+\S+\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}
