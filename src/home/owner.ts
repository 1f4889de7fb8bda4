// Root that works in a home of somebody else works there as its owner: what it makes is the owner's from the first moment,
// also where the command is killed, and no link the owner has put there leads root astray.
import { existsSync, lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { HubError, systemCode } from "../core/errors.ts";
import type { Home } from "./paths.ts";

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface OwnerOptions {
  /** What becomes of a home that is partly root's: none (the usual), or it counts as the other one's. */
  mixed?: "refuse" | "stranger";
}

/**
 * Whose the home is, which for one that is not there yet is whose folder it is laid out in; undefined where it is root's,
 * and on systems without users. A link is its maker's, wherever it leads. Throws HubError `conflict` where the home is
 * partly root's and partly somebody else's, so that neither can work in it safely.
 */
export function ownerOf(home: Home, { mixed = "refuse" }: OwnerOptions = {}): Owner | undefined {
  if (!process.geteuid) return undefined;
  const { root, data, config, hubToml, stateDb, rules } = home;
  const found = makerOfLink(dirname(root)) ?? ofEntry(data) ?? ofEntry(root) ?? ownerOfNearest(root);
  if (found.uid !== 0) return found;
  const stranger = [root, data, config, hubToml, stateDb, rules].find((path) => (ofEntry(path)?.uid ?? 0) !== 0);
  if (stranger === undefined) return undefined;
  const { uid, gid } = ofEntry(stranger) ?? found;
  if (mixed === "stranger") return { uid, gid };
  throw new HubError(
    "conflict",
    `${root} is partly root's, and ${stranger} is user ${uid}'s, who could lead root astray: give all of it to whoever runs the hub, with \`sudo chown -Rh ${uid}:${gid} ${root}\` or \`sudo chown -Rh root:root ${root}\``,
  );
}

/**
 * The rights of the home's owner for all of this process, until disposed; does nothing where they are its own. For
 * commands, not for a hub with other work. What only root may read has to be open before.
 */
export function actAsOwner(home: Home, options?: OwnerOptions): Disposable {
  const nothing = { [Symbol.dispose]() {} };
  const { geteuid, getegid, getgroups, seteuid, setegid, setgroups } = process;
  if (!geteuid || !getegid || !getgroups || !seteuid || !setegid || !setgroups || geteuid() !== 0) return nothing;
  const owner = ownerOf(home, options);
  if (owner === undefined) return nothing;
  const before = { gid: getegid(), groups: getgroups() };
  // The groups first, which nobody but root may change, and last on the way back.
  setgroups([owner.gid]);
  setegid(owner.gid);
  seteuid(owner.uid);
  return {
    [Symbol.dispose]() {
      seteuid(0);
      setegid(before.gid);
      setgroups(before.groups);
    },
  };
}

/** Gives up root for good, and becomes the home's owner. Answers who that is, where it did. Throws as `ownerOf`. */
export function becomeOwner(home: Home): Owner | undefined {
  const { geteuid, setgroups, setgid, setuid } = process;
  if (!geteuid || !setgroups || !setgid || !setuid || geteuid() !== 0) return undefined;
  const owner = ownerOf(home);
  if (owner === undefined) return undefined;
  setgroups([owner.gid]);
  setgid(owner.gid);
  setuid(owner.uid);
  return owner;
}

/** A link of somebody's counts as his, one of root's as what it leads to; undefined where there is nothing. */
function ofEntry(path: string): Stats | undefined {
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    return entry?.isSymbolicLink() && entry.uid === 0 ? statSync(path, { throwIfNoEntry: false }) : entry;
  } catch (error) {
    // Below a file, or behind links in a circle, there is nothing either.
    if (["ENOTDIR", "ELOOP"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** Of a link of somebody's among the folders the home lies in. */
function makerOfLink(path: string): Owner | undefined {
  const entry = ofEntry(path);
  if (entry?.isSymbolicLink()) return entry;
  return dirname(path) === path ? undefined : makerOfLink(dirname(path));
}

function ownerOfNearest(path: string): Owner {
  return existsSync(path) ? statSync(path) : ownerOfNearest(dirname(path));
}
