// Unpacks an archive into the home's working folder and checks all of it, so that only renames are left to do. Files in use are
// not touched. Slow: for a worker or a command. The caller holds the backup lock.
import { Database } from "bun:sqlite";
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder } from "../../../kit/files/atomic-file.ts";
import { RESERVE_BYTES, requireSpace } from "../../../kit/files/free-space.ts";
import { isStorageFault } from "../../../kit/files/storage-fault.ts";
import { HubError, messageOf, systemCode } from "../../../kit/schema/errors.ts";
import type { Home } from "../../../server/home/paths.ts";
import {
  type ArchivePlan,
  checkNames,
  compareCounts,
  findManifest,
  type PlannedFile,
  planFromManifest,
  planWithoutManifest,
  type Unit,
  unitOf,
  units,
} from "../archive/archive-plan.ts";
import { decryptFile, isEncrypted } from "../archive/encryption.ts";
import { countHome } from "../archive/home-contents.ts";
import { type Counts, MANIFEST_MAX_BYTES, type Manifest, parseManifest } from "../archive/manifest.ts";
import { keepPluginConfigs } from "../archive/plugin-configs.ts";
import { readDirectory, refusal } from "../archive/zip/directory.ts";
import { quoted } from "../archive/zip/format.ts";
import { checkPlaces, readEntry, unpackEntry } from "../archive/zip/unpack.ts";
import { checkUnpackedDatabases, dropQueuedMessages, leftMessageTexts, type Schemas } from "../database-copies.ts";
import { placesIn, stagedHome } from "../places.ts";

/** An archive open for reading: its name and its permissions no longer matter. */
export interface ArchiveFile extends Disposable {
  readonly descriptor: number;
}

export interface StageOptions {
  home: Home;
  /** A zip, or an age file that holds one. */
  archive: ArchiveFile;
  passphrase: string | undefined;
  schemas: Schemas;
}

export interface Staged {
  /** What of the home will be replaced. */
  readonly units: readonly Unit[];
  readonly counts: Counts;
  readonly manifest: Manifest | undefined;
  readonly warnings: readonly string[];
}

/** Throws HubError: `not_found`, `invalid` for anything but a regular file, `storage` where it cannot be read. */
export function openArchiveFile(path: string): ArchiveFile {
  const descriptor = open(path);
  if (fstatSync(descriptor).isFile()) return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
  closeSync(descriptor);
  throw new HubError("invalid", `${path} is not a file, and an archive is read from its end: save it to a file first`);
}

function open(path: string): number {
  try {
    // O_NONBLOCK: opening a named pipe would wait for a writer.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (systemCode(error) === "ENOENT") throw new HubError("not_found", `there is no file ${path}`);
    throw new HubError("storage", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Throws HubError: `invalid` for what is wrong with the archive, `storage` for missing space. */
export async function stage(options: StageOptions): Promise<Staged> {
  const { home } = options;
  const work = placesIn(home).restoreWork;
  try {
    mkdirSync(stagedHome(home).root, { recursive: true, mode: 0o700 });
    return await unpackAll(options, work);
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    throw explain(error);
  }
}

async function unpackAll({ home, archive, passphrase, schemas }: StageOptions, work: string): Promise<Staged> {
  using zip = await openZip(archive, { work, passphrase });
  const { files, warnings, manifest } = await readPlan(zip.descriptor);
  const bytes = files.reduce((sum, { entry }) => sum + entry.bytes, RESERVE_BYTES);
  requireSpace(work, bytes, "unpacking the archive");
  const staged = stagedHome(home);
  await unpackFiles(zip.descriptor, files, staged);
  const notes = checkDatabases(staged, schemas);
  const replaced = units.filter((unit) => manifest !== undefined || files.some(({ path }) => unitOf(path) === unit));
  if (manifest) compareCounts(manifest.counts, countHome(staged));
  notes.push(...completeConfig(home, staged, replaced));
  if (replaced.includes("config")) notes.push(...keepPluginConfigs(home, staged));
  notes.push(...(manifest?.skipped ?? []).map((what) => `the backup was made without ${quoted(what)}`));
  return { units: replaced, counts: countHome(staged), manifest, warnings: [...warnings, ...notes] };
}

async function openZip(archive: ArchiveFile, { work, passphrase }: { work: string; passphrase: string | undefined }) {
  if (!isEncrypted(archive.descriptor)) return { descriptor: archive.descriptor, [Symbol.dispose]() {} };
  const plain = join(work, "archive.zip");
  await decryptFile(archive.descriptor, plain, passphrase);
  const zip = openArchiveFile(plain);
  // It is as large as the archive: without a name, its space is free as soon as it is closed.
  rmSync(plain);
  return zip;
}

async function readPlan(archive: number): Promise<ArchivePlan & { manifest: Manifest | undefined }> {
  const directory = readDirectory(archive);
  checkNames(directory);
  checkPlaces(archive, directory);
  const at = findManifest(directory);
  if (!at) return { ...planWithoutManifest(directory), manifest: undefined };
  const manifest = parseManifest((await readEntry(archive, at, MANIFEST_MAX_BYTES)).toString());
  return { ...planFromManifest(directory, manifest, at), manifest };
}

async function unpackFiles(archive: number, files: readonly PlannedFile[], staged: Home): Promise<void> {
  const folders = new Set<string>([staged.data]);
  for (const { entry, path, sha256 } of files) {
    const target = join(staged.root, path);
    mkdirSync(dirname(target), { recursive: true });
    folders.add(dirname(target));
    const found = await unpackEntry(archive, entry, target);
    if (sha256 !== undefined && found !== sha256)
      throw refusal(`${quoted(path)} is not what its manifest says: its SHA-256 differs`);
    chmodSync(target, modeOf(path, entry.mode));
  }
  // The files must be on the disk before they are renamed into the home.
  for (const folder of folders) if (existsSync(folder)) syncFolder(folder);
}

/** Files that others could not read stay so; files with secrets become so. */
function modeOf(path: string, mode: number | undefined): number {
  if (path.startsWith("data/") || path === "config/hub.toml") return 0o600;
  if (mode === undefined) return 0o644;
  return 0o600 | (mode & 0o155);
}

function checkDatabases(staged: Home, schemas: Schemas): string[] {
  checkUnpackedDatabases(staged, schemas);
  using db = new Database(staged.stateDb, { readwrite: true, create: false });
  db.run("PRAGMA synchronous = FULL");
  return leftMessageTexts(dropQueuedMessages(db));
}

/** Where a `config/` packed by hand has no hub.toml, the present one stays. */
function completeConfig(home: Home, staged: Home, replaced: readonly Unit[]): string[] {
  if (!replaced.includes("config") || existsSync(staged.hubToml) || !existsSync(home.hubToml)) return [];
  mkdirSync(staged.config, { recursive: true });
  copyFileSync(home.hubToml, staged.hubToml);
  chmodSync(staged.hubToml, 0o600);
  return ["it holds no hub.toml: the one of this home stays"];
}

function explain(error: unknown): unknown {
  if (error instanceof HubError) return error;
  if (isStorageFault(error))
    return new HubError(
      "storage",
      "the disk filled up, or cannot be written, while the archive was unpacked; nothing was changed",
      { cause: error },
    );
  if (["EEXIST", "ENOTDIR", "EISDIR"].includes(systemCode(error) ?? ""))
    return refusal(`two of its names are the same file on this disk: ${messageOf(error)}`);
  return error;
}
