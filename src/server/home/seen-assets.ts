// How the files that came with the hub looked when they were last compared. Unless one of them or the executable has changed
// since, there is nothing to compare: reading and hashing them all takes longer than opening the databases.
import { statSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../kit/schema/json.ts";
import type { Asset } from "./layout.ts";
import type { Home } from "./paths.ts";

/** Path in the home, or `executable` → what changes with the file. */
export type Seen = Record<string, string>;

/** `executable`: the one that holds the assets. Undefined where a file cannot be examined: then all are compared. */
export function lookAt(home: Home, assets: readonly Asset[], executable: string): Seen | undefined {
  const paths = assets.flatMap(({ path, formerly }) => (formerly === undefined ? [path] : [path, formerly]));
  try {
    const files = paths.map((path): [string, string] => [path, lookOf(join(home.root, path))]);
    return { executable: identityOf(executable), ...Object.fromEntries(files) };
  } catch {
    return undefined;
  }
}

export function looksAsBefore(now: Seen | undefined, before: unknown): boolean {
  if (!now || !isObject(before)) return false;
  const names = Object.keys(now);
  return names.length === Object.keys(before).length && names.every((name) => now[name] === before[name]);
}

/** Whatever changes a file's content changes its `ctime`, which no program can set. */
export function lookOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.size} ${found.ctimeNs}` : "";
}

/** Of a program that runs, so that nobody writes into it. Its `ctime` changes with each hard link to it, as of backups. */
function identityOf(path: string): string {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}
