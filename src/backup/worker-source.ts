// Where the worker's code is: beside this file, or inside the executable.

/** For `new Worker(…)`; an entry point of its own in the executable (see build.ts), named by its path under `src/`. */
export function backupWorker(): string | URL {
  return Bun.main.startsWith("/$bunfs/") ? "./backup/worker.ts" : new URL("./worker.ts", import.meta.url);
}
