// Where the worker's code is: beside this file, or inside the executable.

/**
 * For `new Worker(…)`. In the executable a worker is an entry point of its own (see build.ts), named by its path under
 * `src/`; the address of this file would be the one it had on the machine that built it.
 */
export function historyWorker(): string | URL {
  return Bun.main.startsWith("/$bunfs/") ? "./history/worker.ts" : new URL("./worker.ts", import.meta.url);
}
