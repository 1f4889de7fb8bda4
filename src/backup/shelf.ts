// The folder of the scheduled backups: what is there, and what goes when there are more than are to be kept.
import { closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../core/errors.ts";
import { type Counts, MANIFEST_MAX_BYTES, parseManifest } from "./manifest.ts";
import { findManifest } from "./understand.ts";
import { readDirectory } from "./zip/directory.ts";
import { readEntry } from "./zip/unpack.ts";

export interface ShelvedBackup {
  name: string;
  /** As its name says; UTC. */
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

/** Newest first. Only proven archives bear such names. */
export async function listShelf(folder: string): Promise<ShelvedBackup[]> {
  const shelved: ShelvedBackup[] = [];
  for (const name of namesIn(folder).reverse()) shelved.push(await look(folder, name));
  return shelved;
}

/** The file name of the newest; undefined where there is none, or the folder cannot be read: no reason not to start. */
export function newestBackup(folder: string): string | undefined {
  try {
    return namesIn(folder).at(-1);
  } catch {
    return undefined;
  }
}

/** When the newest was made. */
export function newestOnShelf(folder: string): string | null {
  const newest = namesIn(folder).at(-1);
  return newest === undefined ? null : timeOf(newest);
}

const DAY_MS = 86_400_000;

/**
 * Removes the oldest, but never `made`: the clock may have been wrong when it got its name. One that says it is of a day to
 * come goes first, or those of a clock that was years ahead would push out every other for years. Answers what went.
 */
export function trimShelf(folder: string, keep: number, { made, now }: { made: string; now: number }): string[] {
  const names = namesIn(folder).filter((name) => name !== made);
  const isAhead = (name: string): boolean => Date.parse(timeOf(name)) > now + DAY_MS;
  const others = [...names.filter(isAhead), ...names.filter((name) => !isAhead(name))];
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

async function look(folder: string, name: string): Promise<ShelvedBackup> {
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
  const file = openSync(path, "r");
  try {
    const at = findManifest(readDirectory(file));
    if (!at) throw new Error("it has no manifest");
    return parseManifest((await readEntry(file, at, MANIFEST_MAX_BYTES)).toString());
  } finally {
    closeSync(file);
  }
}
