// The command that runs launcher.ts, for plugins and for cells, and the capabilities that it takes away.
import { readFileSync } from "node:fs";
import launcherBundle from "../../../../dist/plugins/launcher.bundle.js" with { type: "file" };
import type { LaunchOrder } from "./launcher.ts";

// The capabilities of root that would bypass the confinement: modules, raw memory and disks, file handles, tracing, mounting,
// device files, rebooting, limits, the kernel's log.
export const DROPPED = [2, 9, 16, 17, 18, 19, 20, 21, 22, 24, 26, 27, 30, 32, 33, 34, 35, 36, 37, 38, 39, 40];

export const ALL_CAPABILITIES = Array.from({ length: 64 }, (_, capability) => capability);

let source: string | undefined;

/** The environment of the program itself is in the order, and is set only when it is confined. */
export function launcherOf(
  order: LaunchOrder,
  { execPath, command }: { execPath: string; command: readonly string[] | undefined },
): { argv: string[]; env: Record<string, string>; input: string } {
  source ??= readFileSync(launcherBundle, "utf8");
  // The same flags as for a `.js` plugin: no `.env`, no bunfig.toml, no downloads.
  const launcher = [execPath, "--no-env-file", "--config=/dev/null", "--no-install", "-e", source];
  return { argv: [...(command ?? []), ...launcher], env: { BUN_BE_BUN: "1" }, input: JSON.stringify(order) };
}
