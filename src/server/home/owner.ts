// In a home of another user, root works with the rights of its owner: files belong to the owner from the first moment, even if
// the command is killed, and links that the owner has put there cannot make root touch files elsewhere.
import { existsSync, lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { HubError, systemCode } from "../../kit/schema/errors.ts";
import type { Home } from "./paths.ts";

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface OwnerOptions {
  /** A home that is partly root's is refused (the default), or counts as the other user's. */
  mixed?: "refuse" | "other";
}

/**
 * The owner of the home, or of the folder it will be created in; undefined for root, and on systems without users. A link
 * belongs to the user who made it, wherever it leads. Throws HubError `conflict` where the home is partly root's and partly
 * another user's, so that neither can work in it safely.
 */
export function ownerOf(home: Home, { mixed = "refuse" }: OwnerOptions = {}): Owner | undefined {
  if (!process.geteuid) return undefined;
  const { root, data, config, hubToml, stateDb, rules } = home;
  const found = ownerOfLink(dirname(root)) ?? entryAt(data) ?? entryAt(root) ?? ownerOfNearest(root);
  if (found.uid !== 0) return found;
  const other = [root, data, config, hubToml, stateDb, rules].find((path) => (entryAt(path)?.uid ?? 0) !== 0);
  if (other === undefined) return undefined;
  const { uid, gid } = entryAt(other) ?? found;
  if (mixed === "other") return { uid, gid };
  throw new HubError(
    "conflict",
    `${root} belongs to root, but ${other} to user ${uid}, who could make root change other files: give all of it to the user who runs the hub, with \`sudo chown -Rh ${uid}:${gid} ${root}\` or \`sudo chown -Rh root:root ${root}\``,
  );
}

/**
 * Gives the whole process the rights of the home's owner until disposed; does nothing where it has them already. For commands,
 * not for a running hub. Files that only root may read must be opened before.
 */
export function actAsOwner(home: Home, options?: OwnerOptions): Disposable {
  const nothing = { [Symbol.dispose]() {} };
  const { geteuid, getegid, getgroups, seteuid, setegid, setgroups } = process;
  if (!geteuid || !getegid || !getgroups || !seteuid || !setegid || !setgroups || geteuid() !== 0) return nothing;
  const owner = ownerOf(home, options);
  if (owner === undefined) return nothing;
  const before = { gid: getegid(), groups: getgroups() };
  // Only root may change groups, so they come first here and last on the way back.
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

/** Drops root's rights for good and becomes the home's owner. Returns the owner if it did. Throws as `ownerOf`. */
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

/** A link of another user counts itself, one of root as what it leads to; undefined where there is nothing. */
function entryAt(path: string): Stats | undefined {
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    return entry?.isSymbolicLink() && entry.uid === 0 ? statSync(path, { throwIfNoEntry: false }) : entry;
  } catch (error) {
    // A path below a file, or behind a circle of links, does not exist either.
    if (["ENOTDIR", "ELOOP"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** The owner of a link among the folders that the home lies in. */
function ownerOfLink(path: string): Owner | undefined {
  const entry = entryAt(path);
  if (entry?.isSymbolicLink()) return entry;
  return dirname(path) === path ? undefined : ownerOfLink(dirname(path));
}

function ownerOfNearest(path: string): Owner {
  return existsSync(path) ? statSync(path) : ownerOfNearest(dirname(path));
}
