// Root that restores a home of somebody else works in it as its owner: what it makes there is the owner's from the first
// moment, also where the command is killed, and no link the owner has put there leads root astray.
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Home } from "../home/paths.ts";

/**
 * The rights of the home's owner for all of this process, until disposed; does nothing where they are its own. For
 * commands, not for a hub with other work. What only root may read has to be open before.
 */
export function actAsOwner({ data }: Home): Disposable {
  const { geteuid, getegid, seteuid, setegid } = process;
  const nothing = { [Symbol.dispose]() {} };
  if (!geteuid || !getegid || !seteuid || !setegid || geteuid() !== 0) return nothing;
  const { uid, gid } = statNearest(data);
  if (uid === 0) return nothing;
  const ownGid = getegid();
  // The group first, which nobody but root may change, and last on the way back.
  setegid(gid);
  seteuid(uid);
  return {
    [Symbol.dispose]() {
      seteuid(0);
      setegid(ownGid);
    },
  };
}

/** A home that is not there yet will be whose folder it is laid out in. */
function statNearest(path: string): { uid: number; gid: number } {
  return existsSync(path) ? statSync(path) : statNearest(dirname(path));
}
