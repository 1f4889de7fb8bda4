// Paths with links resolved, and trees split so that a part of them stays closed.
import { lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

// As many as the kernel follows.
const MAX_LINKS = 40;

/** Undefined when it does not exist or cannot be accessed. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** True for the folder itself as well. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** The real path of something that may not exist: links are resolved in the part that does. */
export function realPlace(path: string): string {
  const real = realPath(path);
  if (real !== undefined) return real;
  const parent = dirname(path);
  return parent === path ? path : join(realPlace(parent), path.slice(parent === "/" ? 1 : parent.length + 1));
}

/**
 * Paths that together contain the whole tree without the closed parts. The kernel knows only what is open: a folder with a closed
 * part is replaced by its other entries. Entries that are added to such a folder later are not accessible.
 */
export function openAround(tree: string, closed: readonly string[]): string[] {
  if (closed.some((path) => isWithin(tree, path))) return [];
  if (!closed.some((path) => isWithin(path, tree))) return [tree];
  return entriesOf(tree)
    .map((name) => join(tree, name))
    .filter((path) => !isLink(path))
    .flatMap((path) => openAround(path, closed));
}

/** The links on the way to a path, each with its real place. */
export function linksOn(path: string): [place: string, target: string][] {
  const found: [string, string][] = [];
  let place = "/";
  const rest = partsOf(path);
  for (let part = rest.shift(); part !== undefined && found.length < MAX_LINKS; part = rest.shift()) {
    const next = join(place, part);
    const target = isLink(next) ? linkTarget(next) : undefined;
    if (target === undefined) {
      place = next;
      continue;
    }
    found.push([next, target]);
    rest.unshift(...partsOf(resolve(place, target)));
    place = "/";
  }
  return found;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "");
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

// Links are left out: their targets are open or closed on their own.
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? true;
}
