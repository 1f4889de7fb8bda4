// Files in a folder that somebody with fewer rights may change: no link is followed there, no pipe waited at, and the folder
// is looked up once.
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { basename, dirname } from "node:path";

/** Hands the file over by a path that stays in the folder as it is now. Throws where the folder itself is a link. */
export function inGuestsFolder<T>(path: string, work: (file: string) => T): T {
  if (process.platform !== "linux") return work(path);
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    return work(`/proc/self/fd/${folder}/${basename(path)}`);
  } finally {
    closeSync(folder);
  }
}

/** Throws for anything but a file. */
export function openGuestsFile(path: string, flags: number, mode = 0o640): number {
  const file = openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Error(`${path} is not a file`);
}
