// What an archive holds and where each file of it goes: for ours with a manifest, and for one that somebody made by hand.
import { MANIFEST, type Manifest, type ManifestEntry } from "./manifest.ts";
import { refusal, type ZipDirectory, type ZipEntry } from "./zip/directory.ts";
import { isClutter, nameProblem, quoted } from "./zip/format.ts";

export interface PlannedFile {
  readonly entry: ZipEntry;
  /** Below HUB_HOME: `data/state.redb`, `config/…`. */
  readonly path: string;
  /** From the manifest. */
  readonly sha256: string | undefined;
}

/** What is replaced as one. */
export const units = ["state", "history", "config", "rules"] as const;
export type Unit = (typeof units)[number];

export interface ArchivePlan {
  readonly files: readonly PlannedFile[];
  readonly warnings: readonly string[];
}

// In an archive made by hand, a log beside a database belongs to it; and so does a killed hub's journal of readings.
const DATABASES = ["state.redb", "history.db", "state.redb-wal", "history.db-wal"];
const CONFIGS = ["hub.toml", "modes.toml"];
/** Far more than any rule or configuration has. */
const SMALL_FILE_MAX_BYTES = 64 * 1024 * 1024;

/** Throws HubError `invalid` with all problems of the names at once. */
export function checkNames({ entries }: ZipDirectory): void {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const { name, isFolder } of entries) {
    const problem = nameProblem(isFolder ? name.slice(0, -1) : name);
    if (problem !== undefined) problems.push(`the name ${quoted(name)} ${problem}`);
    if (seen.has(name)) problems.push(`${quoted(name)} is in it twice`);
    seen.add(name);
  }
  if (problems.length > 0) throw refusal(problems.slice(0, 10).join("; "));
}

/** The manifest; in an archive that was unpacked and packed again, it may lie in a folder. Throws HubError `invalid`. */
export function findManifest({ entries }: ZipDirectory): ZipEntry | undefined {
  const own = entries.find(({ name }) => name === MANIFEST);
  if (own) return own;
  // A file of that name may also be among somebody's rules.
  const found = entries.filter(({ name }) => /^(?!(?:config|data|rules)\/)[^/]+\/manifest\.json$/.test(name));
  if (found.length > 1)
    throw refusal(`it holds several manifests: ${found.map(({ name }) => quoted(name)).join(", ")}`);
  return found[0];
}

/** For an archive with a manifest: exactly what the manifest lists. Throws HubError `invalid`. */
export function planFromManifest(directory: ZipDirectory, manifest: Manifest, at: ZipEntry): ArchivePlan {
  const prefix = at.name.slice(0, -MANIFEST.length);
  const listed = new Map(manifest.entries.map((entry) => [entry.path, entry]));
  if (listed.size < manifest.entries.length) throw refusal("its manifest lists a file twice");
  const problems: string[] = [];
  const files = directory.entries.flatMap((entry): PlannedFile[] => {
    if (entry === at || entry.isFolder) return [];
    const path = entry.name.startsWith(prefix) ? entry.name.slice(prefix.length) : undefined;
    const found = path === undefined ? undefined : listed.get(path);
    if (!found && isClutter(entry.name)) return [];
    if (!found || path === undefined) problems.push(`${quoted(entry.name)} is not in its manifest`);
    else if (unitOf(path) === undefined) problems.push(`${quoted(entry.name)} has no place in a home`);
    else if (found.bytes !== entry.bytes) problems.push(sizeProblem(found, entry));
    else return [{ entry, path, sha256: found.sha256 }];
    return [];
  });
  const packed = new Set(directory.entries.map(({ name }) => name.slice(prefix.length)));
  for (const path of listed.keys()) if (!packed.has(path)) problems.push(`${quoted(path)} is missing`);
  if (!listed.has("data/state.redb")) problems.push("its manifest lists no state.redb");
  if (problems.length > 0) throw refusal(problems.slice(0, 10).join("; "));
  return {
    files,
    warnings: prefix === "" ? [] : [`its files lie in a folder ${quoted(prefix)}: it was packed anew by hand`],
  };
}

/** For one without a manifest: databases in `data/` or at the root, and all of it in one folder or not. */
export function planWithoutManifest({ entries }: ZipDirectory): ArchivePlan {
  const states = entries.filter(({ name }) => /^(?:[^/]+\/)?(?:data\/)?state\.redb$/.test(name));
  const [state] = states;
  if (!state) throw refusal("it holds no state.redb: it is not a backup of a hub");
  if (states.length > 1) throw refusal(`it holds several homes: ${states.map(({ name }) => quoted(name)).join(", ")}`);
  const prefix = state.name.replace(/(?:data\/)?state\.redb$/, "");
  const warnings = ["it has no manifest, so whether it is complete cannot be checked"];
  const files: PlannedFile[] = [];
  const ignored: string[] = [];
  for (const entry of entries) {
    if (entry.isFolder || isClutter(entry.name)) continue;
    const path = entry.name.startsWith(prefix) ? placeByHand(entry.name.slice(prefix.length)) : undefined;
    if (path === undefined || isTooLarge(path, entry)) ignored.push(entry.name);
    else files.push({ entry, path, sha256: undefined });
  }
  if (prefix !== "") warnings.push(`its files lie in a folder ${quoted(prefix)}`);
  if (ignored.length > 0) warnings.push(`not restored: ${ignored.slice(0, 5).map(quoted).join(", ")}${more(ignored)}`);
  refuseSameTarget(files);
  return { files, warnings };
}

/** Which unit a path belongs to; undefined for what has no place in an archive. */
export function unitOf(path: string): Unit | undefined {
  if (/^data\/(state\.redb(-wal)?|readings\/[^/]+\.journal)$/.test(path)) return "state";
  if (/^data\/history\.db(-wal)?$/.test(path)) return "history";
  const folder = /^(config|rules)\/./.exec(path)?.[1];
  return folder as "config" | "rules" | undefined;
}

function placeByHand(name: string): string | undefined {
  if (DATABASES.includes(name)) return `data/${name}`;
  if (CONFIGS.includes(name)) return `config/${name}`;
  if (/^readings\/[^/]+\.journal$/.test(name)) return `data/${name}`;
  return unitOf(name) === undefined ? undefined : name;
}

function refuseSameTarget(files: readonly PlannedFile[]): void {
  const byPath = new Map<string, PlannedFile>();
  for (const file of files) {
    const other = byPath.get(file.path);
    if (other) throw refusal(`${quoted(other.entry.name)} and ${quoted(file.entry.name)} would be the same file`);
    byPath.set(file.path, file);
  }
}

function isTooLarge(path: string, { bytes }: ZipEntry): boolean {
  return !path.startsWith("data/") && bytes > SMALL_FILE_MAX_BYTES;
}

function sizeProblem({ path, bytes }: ManifestEntry, entry: ZipEntry): string {
  return `${quoted(path)} has ${entry.bytes} bytes, and its manifest says ${bytes}`;
}

function more(all: readonly unknown[]): string {
  return all.length > 5 ? ` and ${all.length - 5} more` : "";
}

/** Compares the manifest's counts with those of the unpacked files. Throws HubError `invalid`. */
export function compareCounts(claimed: Manifest["counts"], found: Manifest["counts"]): void {
  const wrong = (Object.keys(found) as (keyof Manifest["counts"])[]).filter((name) => claimed[name] !== found[name]);
  if (wrong.length === 0) return;
  throw refusal(`it holds ${wrong.map((name) => `${found[name]} ${name} instead of ${claimed[name]}`).join(", ")}`);
}
