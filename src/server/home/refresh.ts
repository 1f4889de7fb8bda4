// Updates the files that came with an older hub to those of this version. A file is replaced only if it is exactly what a hub
// put there; configuration is never replaced, but for the profiles of devices.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceFile, writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { isStorageFault } from "../../kit/files/storage-fault.ts";
import { HubError, messageOf, systemCode } from "../../kit/schema/errors.ts";
import { isObject } from "../../kit/schema/json.ts";
import type { Asset } from "./layout.ts";
import type { Home } from "./paths.ts";

export interface Refreshed {
  /** Paths in the home that were updated. */
  renewed: string[];
  /** Paths that a person has changed, and that stay although this version brings other files. Reported once a version. */
  kept: string[];
  /** What could not be checked, with the reason. */
  failed: string[];
}

/** Path in the home → SHA-256. */
type Sums = Record<string, string>;

interface Manifest {
  /** What a hub wrote there last. */
  laid: Sums;
  /** What a hub wanted and did not write. */
  declined: Sums;
  /** Where all files were compared and none was written. */
  seen?: Seen | undefined;
}

/**
 * To be called when the home is laid out, before anything in it runs. `executable`: the one that the assets are in; without it
 * they are compared even where neither it nor a file has changed. Throws HubError `storage` when the home cannot be written.
 */
export function refreshAssets(home: Home, all: readonly Asset[], executable?: string): Refreshed {
  const before = readManifest(home.assetManifest);
  const assets = all.filter(({ path }) => isRefreshed(path));
  const seen = executable === undefined ? undefined : lookAt(home, assets, executable);
  if (looksAsBefore(seen, before?.seen)) return { renewed: [], kept: [], failed: [] };
  const found: Found = { manifest: { laid: {}, declined: {} }, renewed: [], kept: [], failed: [] };
  try {
    for (const asset of assets) tryRefresh(asset, { home, before, found });
    if (found.failed.length === 0 && found.renewed.length === 0) found.manifest.seen = seen;
    const text = `${JSON.stringify(found.manifest, null, 2)}\n`;
    if (text !== textOf(home.assetManifest)) writeFileAtomic(home.assetManifest, text);
  } catch (error) {
    const mend = isStorageFault(error) ? "; free some space" : "; give its owner the right to write";
    throw new HubError(
      "storage",
      `cannot update the files that came with the hub in ${home.root}: ${messageOf(error)}${mend}`,
      {
        cause: error,
      },
    );
  }
  return { renewed: found.renewed, kept: found.kept, failed: found.failed };
}

interface Found extends Refreshed {
  manifest: Manifest;
}

interface Context {
  home: Home;
  before: Manifest | undefined;
  found: Found;
}

/** A file or folder that this user may not read stays as it is, and the next start tries again. */
function tryRefresh(asset: Asset, all: Context): void {
  const { path } = asset;
  try {
    refresh(asset, all);
  } catch (error) {
    if (systemCode(error) !== "EACCES") throw error;
    const { before, found } = all;
    const [laid, declined] = [before?.laid[path], before?.declined[path]];
    if (laid !== undefined) found.manifest.laid[path] = laid;
    if (declined !== undefined) found.manifest.declined[path] = declined;
    found.failed.push(`${path} cannot be updated: ${messageOf(error)}`);
  }
}

function refresh({ path, content, formerly }: Asset, { home, before, found }: Context): void {
  const { manifest, renewed, kept } = found;
  const target = join(home.root, path);
  const wanted = sum(content);
  const laid = before?.laid[path] ?? before?.laid[formerly ?? path];
  const former = formerly === undefined ? undefined : takeOver(join(home.root, formerly), target, [laid, wanted]);
  const existing = existsSync(target) ? readFileSync(target) : undefined;
  const present = existing && sum(existing);
  const write = (): void => {
    mkdirSync(dirname(target), { recursive: true });
    if (!existing) writeFileAtomic(target, content);
    // Somebody has just saved the file: the next start tries again.
    else if (!replaceFile(target, { expected: existing, content, mode: 0o644 })) return;
    renewed.push(path);
    manifest.laid[path] = wanted;
  };
  if (present === wanted) {
    manifest.laid[path] = wanted;
    if (former === "moved") renewed.push(path);
  } else if (present !== undefined && present === laid) write();
  // Not in the list, so new in this version. In a home without a list it may as well have been deleted.
  else if (present === undefined && before && laid === undefined && before.declined[path] === undefined) write();
  else {
    // Changed or deleted by a person. What the hub wrote stays noted: once restored, the file is the hub's again.
    if (laid !== undefined) manifest.laid[path] = laid;
    manifest.declined[path] = wanted;
    const own = present === undefined && former === "kept" ? formerly : present && path;
    if (own !== undefined && before?.declined[path] !== wanted) kept.push(own);
  }
}

/** Gives a file its new name where it is what a hub put there; else it stays as a person left it. Undefined where there is none. */
function takeOver(old: string, target: string, sums: readonly (string | undefined)[]): "moved" | "kept" | undefined {
  if (!existsSync(old)) return undefined;
  if (!sums.includes(sum(readFileSync(old)))) return "kept";
  if (existsSync(target)) rmSync(old);
  else renameSync(old, target);
  return "moved";
}

function isRefreshed(path: string): boolean {
  if (path.startsWith("config/profiles/")) return true;
  return !path.startsWith("config/") && !path.endsWith("/config.toml");
}

function sum(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Undefined where it is missing or cannot be read: then no file counts as written by a hub. */
function readManifest(path: string): Manifest | undefined {
  try {
    const { laid, declined, seen } = JSON.parse(textOf(path) ?? "");
    return isObject(laid) && isObject(declined) ? ({ laid, declined, seen } as Manifest) : undefined;
  } catch {
    return undefined;
  }
}

/** Path in the home, or `executable` → what changes with the file. */
type Seen = Record<string, string>;

/** `executable`: the one that holds the assets. Undefined where a file cannot be examined: then all are compared. */
function lookAt(home: Home, assets: readonly Asset[], executable: string): Seen | undefined {
  const paths = assets.flatMap(({ path, formerly }) => (formerly === undefined ? [path] : [path, formerly]));
  try {
    const files = paths.map((path): [string, string] => [path, lookOf(join(home.root, path))]);
    return { executable: identityOf(executable), ...Object.fromEntries(files) };
  } catch {
    return undefined;
  }
}

function looksAsBefore(now: Seen | undefined, before: unknown): boolean {
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
