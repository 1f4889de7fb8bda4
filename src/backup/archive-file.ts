// The file of an archive, open for reading: from then on its name and its rights no longer matter.
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { HubError, messageOf, systemCode } from "../core/errors.ts";

export interface ArchiveFile extends Disposable {
  readonly descriptor: number;
}

/** Throws HubError: `not_found`, `invalid` for what is no plain file, `storage` where it cannot be read. */
export function openArchiveFile(path: string): ArchiveFile {
  const descriptor = open(path);
  if (fstatSync(descriptor).isFile()) return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
  closeSync(descriptor);
  throw new HubError("invalid", `${path} is no file, and an archive is read from its end: save it to a file first`);
}

function open(path: string): number {
  try {
    // Not to wait for whoever may write to a pipe of that name.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === "ENOENT") throw new HubError("not_found", `there is no file ${path}`);
    throw new HubError("storage", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}
