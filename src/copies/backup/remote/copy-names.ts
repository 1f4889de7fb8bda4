// How copies are named: `<prefix>/<house>/hub-backup-2026-11-23T02-30-00Z-k3x9qa.zip.age`. The folder keeps houses apart; the last
// word says which hub made the copy, where two save the same house.
import type { RandomBytes } from "../../../kit/schema/ids.ts";

export interface CopyName {
  name: string;
  /** Epoch ms. */
  at: number;
  /** Which hub made it. */
  hub: string;
  encrypted: boolean;
}

/** What a hub is called in the names of its copies, and a house in those of folders. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
const COPY = /^hub-backup-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z-([a-z2-9]{6})\.zip(\.age)?$/;
const LOCAL = /^(hub-backup-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)(\.zip(?:\.age)?)$/;
const HOUSE = /^hub-[a-z2-9]{10}$/;
const PART = ".part";

export function newHouseName(random: RandomBytes): string {
  return `hub-${letters(random, 10)}`;
}

/** Where a house's name is kept; `get` returns undefined before there is one. */
interface Kept {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

/** In the state database, so that a restored house finds its copies again. */
export const HOUSE_KEY = "backup_house";

/** What this house is called at every target. Throws where a new name cannot be stored. */
export function houseName(meta: Kept, random: RandomBytes): string {
  const known = meta.get(HOUSE_KEY);
  if (known !== undefined && isHouseName(known)) return known;
  const made = newHouseName(random);
  meta.set(HOUSE_KEY, made);
  return made;
}

export function newHubTag(random: RandomBytes): string {
  return letters(random, 6);
}

export function isHouseName(name: string): boolean {
  return HOUSE.test(name);
}

/** What the copy of a backup in the hub's own folder is called; undefined for other files. */
export function copyNameOf(local: string, hub: string): string | undefined {
  const [, stem, ending] = LOCAL.exec(local) ?? [];
  return stem === undefined ? undefined : `${stem}-${hub}${ending}`;
}

/** Undefined for files that no hub has put there. */
export function parseCopyName(name: string): CopyName | undefined {
  const [, day, hours, minutes, seconds, hub = "", age] = COPY.exec(name) ?? [];
  const at = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
  return Number.isNaN(at) ? undefined : { name, at, hub, encrypted: age !== undefined };
}

/** The name of a copy until it is whole. */
export function partOf(name: string): string {
  return name + PART;
}

/** The copy that an unfinished upload was to become. */
export function parsePart(name: string): CopyName | undefined {
  return name.endsWith(PART) ? parseCopyName(name.slice(0, -PART.length)) : undefined;
}

function letters(random: RandomBytes, count: number): string {
  return [...random(count)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
}
