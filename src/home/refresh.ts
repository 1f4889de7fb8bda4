// Brings what travels inside the executable up to this hub's version, in a home that an older one laid out. A file is
// replaced only while it is, to the byte, what some hub put there; configuration is nobody's but the person's.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceFile, writeFileAtomic } from "../core/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import { isStorageFault } from "../core/storage-fault.ts";
import type { Asset } from "./layout.ts";
import type { Home } from "./paths.ts";

export interface Refreshed {
  /** Paths in the home that are this version's now and were not before. */
  renewed: string[];
  /** Paths that stay although this version brings others: not what a hub put there. Each is told once a version. */
  kept: string[];
  /** What could not be looked at, with the reason. */
  failed: string[];
}

/** Path in the home → SHA-256. */
type Sums = Record<string, string>;

interface Manifest {
  /** What a hub put there last. */
  laid: Sums;
  /** What was brought and not taken. */
  declined: Sums;
}

/** Call when the home is laid out and before anything in it runs. Throws HubError `storage` when it cannot be written. */
export function refreshAssets(home: Home, assets: readonly Asset[]): Refreshed {
  const before = readManifest(home.assetManifest);
  const found: Found = { manifest: { laid: {}, declined: {} }, renewed: [], kept: [], failed: [] };
  try {
    for (const asset of assets.filter(({ path }) => isRefreshed(path))) lookOrPass(asset, { home, before, found });
    const text = `${JSON.stringify(found.manifest, null, 2)}\n`;
    if (text !== textOf(home.assetManifest)) writeFileAtomic(home.assetManifest, text);
  } catch (error) {
    const mend = isStorageFault(error) ? "; free some space" : "; give its owner the right to write";
    throw new HubError("storage", `cannot renew what the hub brings in ${home.root}: ${messageOf(error)}${mend}`, {
      cause: error,
    });
  }
  return { renewed: found.renewed, kept: found.kept, failed: found.failed };
}

interface Found extends Refreshed {
  manifest: Manifest;
}

interface Look {
  home: Home;
  before: Manifest | undefined;
  found: Found;
}

/** A file or folder that this user may not enter stays as it is, and is looked at again by the next start. */
function lookOrPass(asset: Asset, all: Look): void {
  const { path } = asset;
  try {
    look(asset, all);
  } catch (error) {
    if (systemCode(error) !== "EACCES") throw error;
    const { before, found } = all;
    const [laid, declined] = [before?.laid[path], before?.declined[path]];
    if (laid !== undefined) found.manifest.laid[path] = laid;
    if (declined !== undefined) found.manifest.declined[path] = declined;
    found.failed.push(`${path} cannot be renewed: ${messageOf(error)}`);
  }
}

function look({ path, content }: Asset, { home, before, found }: Look): void {
  const { manifest, renewed, kept } = found;
  const target = join(home.root, path);
  const brought = sum(content);
  const laid = before?.laid[path];
  const there = existsSync(target) ? readFileSync(target) : undefined;
  const present = there && sum(there);
  const put = (): void => {
    mkdirSync(dirname(target), { recursive: true });
    if (!there) writeFileAtomic(target, content);
    // Saved by somebody at this very moment: it is looked at again at the next start.
    else if (!replaceFile(target, { expected: there, content, mode: 0o644 })) return;
    renewed.push(path);
    manifest.laid[path] = brought;
  };
  if (present === brought) manifest.laid[path] = brought;
  else if (present !== undefined && present === laid) put();
  // Never heard of, so new in this version. In a home without a list it may as well have been deleted.
  else if (present === undefined && before && laid === undefined && before.declined[path] === undefined) put();
  else {
    // Changed or deleted by a person. What was laid stays noted: put back as it was, it is the hub's again.
    if (laid !== undefined) manifest.laid[path] = laid;
    manifest.declined[path] = brought;
    if (present !== undefined && before?.declined[path] !== brought) kept.push(path);
  }
}

function isRefreshed(path: string): boolean {
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

/** Undefined where there is none, or none that can be read: then nothing counts as put there by a hub. */
function readManifest(path: string): Manifest | undefined {
  try {
    const { laid, declined } = JSON.parse(textOf(path) ?? "");
    return isObject(laid) && isObject(declined) ? { laid: laid as Sums, declined: declined as Sums } : undefined;
  } catch {
    return undefined;
  }
}
