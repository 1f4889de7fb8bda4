// What an archive holds and where each of it goes: ours with a manifest, or one that somebody made by hand.
import { HubError } from "../core/errors.ts";
import { MANIFEST, type Manifest, type ManifestEntry } from "./manifest.ts";
import { isClutter, nameProblem, shown } from "./names.ts";
import { refusal, type ZipDirectory, type ZipEntry } from "./zip/directory.ts";

export interface Piece {
  readonly entry: ZipEntry;
  /** Below HUB_HOME: `data/state.redb`, `config/…`. */
  readonly path: string;
  /** What the manifest says of it. */
  readonly sha256: string | undefined;
}

/** What is replaced as one. */
export const units = ["state", "history", "config", "rules"] as const;
export type Unit = (typeof units)[number];

export interface Understood {
  readonly pieces: readonly Piece[];
  readonly warnings: readonly string[];
}

// A log that lies beside a database in an archive made by hand belongs to it.
const DATABASES = ["state.redb", "history.db", "state.redb-wal", "history.db-wal"];
const CONFIGS = ["hub.toml", "modes.toml"];
/** Far more than any rule or configuration has. */
const SMALL_FILE_MAX_BYTES = 64 * 1024 * 1024;

/** Throws HubError `invalid` with every problem of its names at once. */
export function checkNames({ entries }: ZipDirectory): void {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const { name, isFolder } of entries) {
    const problem = nameProblem(isFolder ? name.slice(0, -1) : name);
    if (problem !== undefined) problems.push(`the name ${shown(name)} ${problem}`);
    if (seen.has(name)) problems.push(`${shown(name)} is in it twice`);
    seen.add(name);
  }
  if (problems.length > 0) throw refusal(problems.slice(0, 10).join("; "));
}

/** Where the manifest is; in an archive packed anew, below the folder it was unpacked to. Throws HubError `invalid`. */
export function findManifest({ entries }: ZipDirectory): ZipEntry | undefined {
  const own = entries.find(({ name }) => name === MANIFEST);
  if (own) return own;
  // A file of that name may also be among somebody's rules.
  const found = entries.filter(({ name }) => /^(?!(?:config|data|rules)\/)[^/]+\/manifest\.json$/.test(name));
  if (found.length > 1) throw refusal(`it holds several manifests: ${found.map(({ name }) => shown(name)).join(", ")}`);
  return found[0];
}

/** For an archive with a manifest: exactly what it lists. Throws HubError `invalid`. */
export function understandListed(directory: ZipDirectory, manifest: Manifest, at: ZipEntry): Understood {
  const prefix = at.name.slice(0, -MANIFEST.length);
  const listed = new Map(manifest.entries.map((entry) => [entry.path, entry]));
  if (listed.size < manifest.entries.length) throw refusal("its manifest lists a file twice");
  const problems: string[] = [];
  const pieces = directory.entries.flatMap((entry): Piece[] => {
    if (entry === at || entry.isFolder) return [];
    const path = entry.name.startsWith(prefix) ? entry.name.slice(prefix.length) : undefined;
    const found = path === undefined ? undefined : listed.get(path);
    if (!found && isClutter(entry.name)) return [];
    if (!found || path === undefined) problems.push(`${shown(entry.name)} is not in its manifest`);
    else if (unitOf(path) === undefined) problems.push(`${shown(entry.name)} has no place in a home`);
    else if (found.bytes !== entry.bytes) problems.push(sizeProblem(found, entry));
    else return [{ entry, path, sha256: found.sha256 }];
    return [];
  });
  const there = new Set(pieces.map(({ path }) => path));
  const told = new Set(directory.entries.map(({ name }) => name.slice(prefix.length)));
  for (const path of listed.keys()) if (!there.has(path) && !told.has(path)) problems.push(`${shown(path)} is missing`);
  if (!listed.has("data/state.redb")) problems.push("its manifest lists no state.redb");
  if (problems.length > 0) throw refusal(problems.slice(0, 10).join("; "));
  return { pieces, warnings: prefix === "" ? [] : [`its files lie in a folder ${shown(prefix)}: packed anew by hand`] };
}

/** For one without: databases below `data/` or at the root, all of it within one folder or not. */
export function understandByHand({ entries }: ZipDirectory): Understood {
  const states = entries.filter(({ name }) => /^(?:[^/]+\/)?(?:data\/)?state\.redb$/.test(name));
  const [state] = states;
  if (!state) throw refusal("it holds no state.redb: it is no backup of a hub");
  if (states.length > 1) throw refusal(`it holds several homes: ${states.map(({ name }) => shown(name)).join(", ")}`);
  const prefix = state.name.replace(/(?:data\/)?state\.redb$/, "");
  const warnings = ["it has no manifest, so nothing tells whether it is whole"];
  const pieces: Piece[] = [];
  const ignored: string[] = [];
  for (const entry of entries) {
    if (entry.isFolder || isClutter(entry.name)) continue;
    const path = entry.name.startsWith(prefix) ? placeByHand(entry.name.slice(prefix.length)) : undefined;
    if (path === undefined || tooLarge(path, entry)) ignored.push(entry.name);
    else pieces.push({ entry, path, sha256: undefined });
  }
  if (prefix !== "") warnings.push(`its files lie in a folder ${shown(prefix)}`);
  if (ignored.length > 0) warnings.push(`not restored: ${ignored.slice(0, 5).map(shown).join(", ")}${more(ignored)}`);
  return { pieces: withoutTwins(pieces), warnings };
}

/** Which unit a path belongs to; undefined for what has no place in an archive. */
export function unitOf(path: string): Unit | undefined {
  if (/^data\/state\.redb(-wal)?$/.test(path)) return "state";
  if (/^data\/history\.db(-wal)?$/.test(path)) return "history";
  const folder = /^(config|rules)\/./.exec(path)?.[1];
  return folder as "config" | "rules" | undefined;
}

function placeByHand(name: string): string | undefined {
  if (DATABASES.includes(name)) return `data/${name}`;
  if (CONFIGS.includes(name)) return `config/${name}`;
  return unitOf(name) === undefined ? undefined : name;
}

function withoutTwins(pieces: readonly Piece[]): Piece[] {
  const byPath = new Map<string, Piece>();
  for (const piece of pieces) {
    const twin = byPath.get(piece.path);
    if (twin) throw refusal(`${shown(twin.entry.name)} and ${shown(piece.entry.name)} would be the same file`);
    byPath.set(piece.path, piece);
  }
  return [...pieces];
}

function tooLarge(path: string, { bytes }: ZipEntry): boolean {
  return !path.startsWith("data/") && bytes > SMALL_FILE_MAX_BYTES;
}

function sizeProblem({ path, bytes }: ManifestEntry, entry: ZipEntry): string {
  return `${shown(path)} has ${entry.bytes} bytes, and its manifest says ${bytes}`;
}

function more(all: readonly unknown[]): string {
  return all.length > 5 ? ` and ${all.length - 5} more` : "";
}

/** The manifest's counts against what the unpacked files hold. Throws HubError `invalid`. */
export function compareCounts(told: Manifest["counts"], held: Manifest["counts"]): void {
  const wrong = (Object.keys(held) as (keyof Manifest["counts"])[]).filter((name) => told[name] !== held[name]);
  if (wrong.length === 0) return;
  const list = wrong.map((name) => `${held[name]} ${name} instead of ${told[name]}`).join(", ");
  throw new HubError("invalid", `the archive is refused: it holds ${list}`);
}
