// A home that belongs to another user than root, who runs the tests, and a hub that runs as that user. Needs root, and setpriv.
import {
  chmodSync,
  copyFileSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { HubPlace } from "./hub-place.ts";
import { type HubProcess, spawnHub } from "./hub-process.ts";

/** The owner's user and group. */
export const OWNER = 65_534;

const BIN = /^bin(\/|$)/;

/** A path beside the home and the foreign folder. */
export const outside = (place: HubPlace, name: string): string => join(place.cwd, "..", name);

/** Gives the home to the owner, except paths that match `keep`: `bin/`, as `hub service install` does. */
export function giveAway(place: HubPlace, keep = BIN): void {
  chmodSync(outside(place, "."), 0o711);
  mkdirSync(place.home, { recursive: true });
  for (const path of ["", ...pathsIn(place)]) if (!keep.test(path)) giveOne(place.at(path));
}

function giveOne(path: string): void {
  const found = lstatSync(path);
  // The executable is one file for all tests, which must stay root's.
  if (found.isFile() && found.nlink > 1) {
    copyFileSync(path, `${path}.own`);
    renameSync(`${path}.own`, path);
  }
  lchownSync(path, OWNER, OWNER);
}

/** Paths of the home, outside `bin/`, that do not belong to the owner. */
export function foreignPaths(place: HubPlace): string[] {
  return pathsIn(place).filter((path) => {
    const { uid, gid } = lstatSync(place.at(path));
    return !BIN.test(path) && (uid !== OWNER || gid !== OWNER);
  });
}

/** The program `startAsOwner` starts: a shell script that becomes the owner's hub. */
export function startScript(place: HubPlace): string {
  const path = outside(place, "start-as-owner");
  const command = `setpriv --reuid=${OWNER} --regid=${OWNER} --clear-groups ${place.binary}`;
  writeFileSync(path, `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  return path;
}

/** Starts the hub as its service does, and waits until it is up. */
export async function startAsOwner(place: HubPlace): Promise<HubProcess> {
  const as = { ...place, binary: startScript(place) };
  const hub = spawnHub(as);
  await hub.up();
  place.admin = as.admin;
  return hub;
}

function pathsIn(place: HubPlace): string[] {
  return readdirSync(place.home, { recursive: true }) as string[];
}
