// The program of a cell (kit/lifecycle/cell.ts): the hub's own, which the launcher confines to what it needs to run and the one file that it
// reads. It has no network, and nothing of the home. Where the kernel has neither Landlock nor namespaces for it, it has no network, and
// is within its bounds all the same.
import type { CellProgram } from "../../../kit/lifecycle/cell.ts";
import { rulesOf, viewOf } from "./grants.ts";
import type { Landlock } from "./landlock.ts";
import type { LaunchOrder } from "./launcher.ts";
import { ALL_CAPABILITIES, DROPPED, launcherOf } from "./launcher-command.ts";
import { filtersSystemCalls, type Means, meansOf } from "./means.ts";
import type { Namespaces } from "./namespaces.ts";
import { realPath } from "./trees.ts";

export interface CellConfinementOptions {
  /** These two are called once, when first needed. */
  landlock: () => Landlock;
  namespaces: () => Namespaces;
  execPath: string;
  isRoot: boolean;
}

export interface CellTask {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Absolute paths: what it may read besides the program and the system's libraries. */
  readable: readonly string[];
}

const NEEDED = [
  "/usr/lib",
  "/usr/lib64",
  "/lib",
  "/lib64",
  "/nix/store",
  "/gnu/store",
  "/etc/ld.so.cache",
  "/dev/null",
  "/dev/urandom",
];

export function createCellConfinement({ landlock, namespaces, execPath, isRoot }: CellConfinementOptions) {
  let found: Means | undefined;

  /** What it sees of the files. */
  function restrictionsOf({ landlock, command }: Means, paths: readonly string[]) {
    if (landlock) {
      const rules = rulesOf([...paths, "/proc/self"].map((path) => ({ path, right: "read" as const })));
      return { landlock: { ...landlock, rules }, view: undefined };
    }
    if (!command) return { landlock: undefined, view: undefined };
    // In the namespaces of others, processes are closed to it.
    const real = [...paths, "/proc"].flatMap((path) => realPath(path) ?? []);
    return {
      landlock: undefined,
      view: viewOf(
        real.map((path) => ({ path, right: "read" as const })),
        paths,
      ),
    };
  }

  return function confined({ argv, env, readable }: CellTask): CellProgram {
    found ??= meansOf({ landlock: landlock(), namespaces, filtersCalls: filtersSystemCalls(), guard: undefined });
    const { heldBy, command, filtersCalls, signals } = found;
    if (heldBy === "nothing") return { argv, env };
    const order: LaunchOrder = {
      ...{ argv: [...argv], env: { ...env }, cwd: "/", temporary: undefined },
      ...restrictionsOf(found, [...NEEDED, execPath, ...readable]),
      ...{ drop: command ? ALL_CAPABILITIES : isRoot ? DROPPED : [], hub: process.pid, filtersCalls },
      ...{ network: false, unixSockets: false, signals, label: undefined },
    };
    return launcherOf(order, { execPath, command });
  };
}
