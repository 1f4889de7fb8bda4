// The folder of a home's executables, open for changes: held by itself and not by its name where it is root's, because the
// home's owner may put a link in its place at any moment; with the owner's rights where it is the owner's.
import { closeSync, constants, fchmodSync, fstatSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { actAsOwner, type Owner, ownerOf } from "../home/owner.ts";
import type { Home } from "../home/paths.ts";

export interface BinFolder extends Disposable {
  /** These three are for file work only: no other process knows them. */
  readonly bin: string;
  readonly executable: string;
  readonly previousExecutable: string;
  /** The folder as people know it. */
  readonly name: string;
  /** Whether nobody but root changes anything in it. */
  readonly isRoots: boolean;
  /** The rights to change it with, until disposed. */
  act(): Disposable;
  /** Lets everybody start what is in it, where it is root's: the hub itself is not. */
  letEverybodyIn(): void;
}

/** Throws the system's error where it is no folder. */
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

/** Whom a program in the home is run as, where this is root: never as root what somebody else may have put there. */
export function runnerOf(home: Home, program: string): Owner | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const owner = ownerOf(home);
  if (owner) return owner;
  const file = statSync(program, { throwIfNoEntry: false });
  return file && file.uid !== 0 ? { uid: file.uid, gid: file.gid } : undefined;
}
