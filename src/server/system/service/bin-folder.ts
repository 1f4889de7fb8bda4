// The folder of a home's executables, open for changes. A folder of root's is held by a file descriptor and not by its name,
// because the home's owner may replace it with a link at any moment. A folder of the owner's is changed with the owner's rights.
import { closeSync, constants, fchmodSync, fstatSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { actAsOwner, type Owner, ownerOf } from "../../home/owner.ts";
import type { Home } from "../../home/paths.ts";

export interface BinFolder extends Disposable {
  /** These three paths are valid in this process only. */
  readonly bin: string;
  readonly executable: string;
  readonly previousExecutable: string;
  /** The folder's path, for messages. */
  readonly name: string;
  /** Whether only root can change anything in it. */
  readonly isRoots: boolean;
  /** Takes on the rights to change it, until disposed. */
  act(): Disposable;
  /** Lets every user run what is in a folder of root's, because the hub itself does not run as root. */
  letEverybodyIn(): void;
}

/** Throws the system's error where it is not a folder. */
export function openBinFolder(home: Home): BinFolder {
  const { bin, executable, previousExecutable } = home;
  const nothing = (): Disposable => ({ [Symbol.dispose]() {} });
  if (process.geteuid?.() !== 0 || process.platform !== "linux")
    return { bin, executable, previousExecutable, name: bin, isRoots: false, ...unheld, act: nothing };
  const folder = openSync(bin, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const { uid, mode } = fstatSync(folder);
  const isRoots = uid === 0 && (mode & 0o022) === 0;
  const held = isRoots ? `/proc/self/fd/${folder}` : bin;
  return {
    bin: held,
    executable: join(held, "hub"),
    previousExecutable: join(held, "hub.previous"),
    name: bin,
    isRoots,
    act: isRoots ? nothing : () => actAsOwner(home),
    letEverybodyIn: () => (isRoots ? fchmodSync(folder, 0o755) : undefined),
    [Symbol.dispose]: () => closeSync(folder),
  };
}

const unheld = { letEverybodyIn() {}, [Symbol.dispose]() {} };

/** The user to run a program of the home as, for root: a program that another user may have put there never runs as root. */
export function runnerOf(home: Home, program: string): Owner | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const owner = ownerOf(home);
  if (owner) return owner;
  const file = statSync(program, { throwIfNoEntry: false });
  return file && file.uid !== 0 ? { uid: file.uid, gid: file.gid } : undefined;
}
