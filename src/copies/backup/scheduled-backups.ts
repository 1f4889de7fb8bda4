// The folder of the scheduled backups: what it holds, and which are removed when there are more than configured.
import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../kit/schema/errors.ts";
import { findManifest } from "./archive/archive-plan.ts";
import { type Counts, MANIFEST_MAX_BYTES, parseManifest } from "./archive/manifest.ts";
import { readDirectory } from "./archive/zip/directory.ts";

export interface ScheduledBackup {
  name: string;
  /** UTC, from its name. */
  at: string;
  bytes: number;
  encrypted: boolean;
  /** Null where it is encrypted. */
  counts: Counts | null;
  hubVersion: string | null;
  /** Why it cannot be read now. */
  problem: string | null;
}

const NAME = /^hub-backup-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.zip(\.age)?$/;
/** At the end of an archive's name, until it is verified. */
export const PART = ".part";

/** Newest first. Only verified archives get such names. */
export async function listScheduledBackups(folder: string): Promise<ScheduledBackup[]> {
  const found: ScheduledBackup[] = [];
  for (const name of namesIn(folder).reverse()) found.push(await describe(folder, name));
  return found;
}

/** Those that can be copied elsewhere; none where the folder cannot be read. */
export function archivesIn(folder: string): { name: string; path: string }[] {
  try {
    return namesIn(folder).map((name) => ({ name, path: join(folder, name) }));
  } catch {
    return [];
  }
}

/** What killed backups have written there until then: the paths of archives that have not got their names. */
export function partsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(PART) && NAME.test(name.slice(0, -PART.length)))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The path of the newest; undefined where there is none, or where the folder cannot be read, which must not stop a start. */
export function newestScheduledBackup(folder: string): string | undefined {
  try {
    const newest = namesIn(folder).at(-1);
    return newest === undefined ? undefined : join(folder, newest);
  } catch {
    return undefined;
  }
}

const DAY_MS = 86_400_000;

/**
 * Removes the oldest until `keep` are left, and returns the names of those removed. `made` always stays, because its name may
 * come from a wrong clock. Backups dated in the future go first: otherwise those of a clock that was years ahead would push
 * out every new one for years.
 */
export function removeOldBackups(folder: string, keep: number, { made, now }: { made: string; now: number }): string[] {
  const names = namesIn(folder).filter((name) => name !== made);
  const isInFuture = (name: string): boolean => Date.parse(timeOf(name)) > now + DAY_MS;
  const others = [...names.filter(isInFuture), ...names.filter((name) => !isInFuture(name))];
  const surplus = others.slice(0, Math.max(0, others.length - (keep - 1)));
  for (const name of surplus) rmSync(join(folder, name), { force: true });
  return surplus;
}

function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort();
}

function timeOf(name: string): string {
  const [, day, hours, minutes, seconds] = NAME.exec(name) ?? [];
  return `${day}T${hours}:${minutes}:${seconds}Z`;
}

async function describe(folder: string, name: string): Promise<ScheduledBackup> {
  const encrypted = name.endsWith(".age");
  const entry = { name, at: timeOf(name), bytes: 0, encrypted, counts: null, hubVersion: null, problem: null };
  try {
    const { size } = statSync(join(folder, name));
    if (encrypted) return { ...entry, bytes: size };
    const { counts, hub_version } = await manifestOf(join(folder, name));
    return { ...entry, bytes: size, counts, hubVersion: hub_version };
  } catch (error) {
    return { ...entry, problem: messageOf(error) };
  }
}

async function manifestOf(path: string) {
  const { readEntry } = await import("./archive/zip/unpack.ts");
  const file = openSync(path, "r");
  try {
    const entry = findManifest(readDirectory(file));
    if (!entry) throw new Error("it has no manifest");
    return parseManifest((await readEntry(file, entry, MANIFEST_MAX_BYTES)).toString());
  } finally {
    closeSync(file);
  }
}
