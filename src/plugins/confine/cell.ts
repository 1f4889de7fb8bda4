// The program of a cell (core/cell.ts): the hub's own, which the launcher confines to what it needs to run and the one file that it
// reads. It has no network, and nothing of the home. Where the kernel has no Landlock it runs as it is, within its bounds all the same.
import { readFileSync } from "node:fs";
import launcherBundle from "../../../dist/plugins/launcher.bundle.js" with { type: "file" };
import type { CellProgram } from "../../core/cell.ts";
import { DROPPED } from "./confinement.ts";
import { rulesOf } from "./grants.ts";
import { handledRights, type Landlock, scopes } from "./landlock.ts";
import type { LaunchOrder } from "./launcher.ts";

export interface CellConfinementOptions {
  /** Called once, when first needed. */
  landlock: () => Landlock;
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
  "/proc/self",
];

export function createCellConfinement({ landlock, execPath, isRoot }: CellConfinementOptions) {
  let found: Landlock | undefined;
  return function confined({ argv, env, readable }: CellTask): CellProgram {
    found ??= landlock();
    const { abi } = found;
    if (abi === 0) return { argv, env };
    const order: LaunchOrder = {
      ...{ argv: [...argv], env: { ...env }, cwd: "/", temporary: undefined },
      ...{ handled: handledRights(abi), scoped: scopes(abi), drop: isRoot ? DROPPED : [], hub: process.pid },
      rules: rulesOf([...NEEDED, execPath, ...readable].map((path) => ({ path, right: "read" as const }))),
      ...{ network: false, unixSockets: false },
    };
    const source = readFileSync(launcherBundle, "utf8");
    return {
      argv: [execPath, "--no-env-file", "--config=/dev/null", "--no-install", "-e", source],
      env: { BUN_BE_BUN: "1" },
      input: JSON.stringify(order),
    };
  };
}
