// The programs in C of the escape suite.
import { join } from "node:path";

export function compile(out: string, sources: string[], options: string[] = []): string {
  const files = sources.map((file) => join(import.meta.dir, file));
  const { exitCode, stderr } = Bun.spawnSync([
    "gcc",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-O2",
    ...options,
    "-o",
    out,
    ...files,
  ]);
  if (exitCode !== 0) throw new Error(`gcc: ${stderr}`);
  return out;
}

/** The plugin that tries them all. */
export function compileWays(folder: string): string {
  return compile(join(folder, "ways"), ["main.c", "processes.c", "kernel.c", "files.c"]);
}
