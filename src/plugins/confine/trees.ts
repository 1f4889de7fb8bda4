// Paths as the kernel sees them: without links, and taken apart where something in them has to stay closed.
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** Undefined where nothing is there, or nothing that can be looked at. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** The path itself counts as within. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** Where it is, or would be: links are followed as far as there is something. */
export function realPlace(path: string): string {
  const real = realPath(path);
  if (real !== undefined) return real;
  const parent = dirname(path);
  return parent === path ? path : join(realPlace(parent), path.slice(parent === "/" ? 1 : parent.length + 1));
}

/**
 * The tree as paths that together hold all of it but what is closed. The kernel only knows what is open: a tree with
 * something closed in it is replaced by what lies beside that. What is added to such a folder later is not seen.
 */
export function openAround(tree: string, closed: readonly string[]): string[] {
  if (closed.some((path) => isWithin(tree, path))) return [];
  if (!closed.some((path) => isWithin(path, tree))) return [tree];
  return entriesOf(tree)
    .map((name) => join(tree, name))
    .filter((path) => !isLink(path))
    .flatMap((path) => openAround(path, closed));
}

export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

// Where it leads is open or closed by itself.
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? true;
}
