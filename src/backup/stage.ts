// Unpacks an archive into the home's working folder and looks at all of it, so that what follows is renames alone. Nothing
// that is in use is touched. Slow: for a worker or a command; whoever calls holds the turn.
import { Database } from "bun:sqlite";
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncFolder } from "../core/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import { isStorageFault } from "../core/storage-fault.ts";
import { type Home, homeAt } from "../home/paths.ts";
import { type ArchiveFile, openArchiveFile } from "./archive-file.ts";
import { countHome } from "./counts.ts";
import { decryptFile, isEncrypted } from "./encryption.ts";
import { type Counts, MANIFEST_MAX_BYTES, type Manifest, parseManifest } from "./manifest.ts";
import { shown } from "./names.ts";
import { placesIn } from "./places.ts";
import { needSpace, RESERVE_BYTES } from "./space.ts";
import { checkStagedDatabases, type Schemas } from "./staged-databases.ts";
import {
  checkNames,
  compareCounts,
  findManifest,
  type Piece,
  type Understood,
  type Unit,
  understandByHand,
  understandListed,
  unitOf,
  units,
} from "./understand.ts";
import { dropWaitingMessages } from "./waiting-messages.ts";
import { readDirectory, refusal } from "./zip/directory.ts";
import { checkPlaces, readEntry, unpackEntry } from "./zip/unpack.ts";

export interface StageOptions {
  home: Home;
  /** The archive, a zip or an age file with one in it. */
  archive: ArchiveFile;
  passphrase: string | undefined;
  schemas: Schemas;
}

export interface Staged {
  /** What takes the place of the home's own. */
  readonly units: readonly Unit[];
  readonly counts: Counts;
  readonly manifest: Manifest | undefined;
  readonly warnings: readonly string[];
}

const NAME = "new";

/** The home as it will be, within the working folder. */
export function stagedHome(home: Home): Home {
  return homeAt(join(placesIn(home).restoreWork, NAME));
}

/** Throws HubError: `invalid` for what is wrong with the archive, `storage` for want of space. */
export async function stage(options: StageOptions): Promise<Staged> {
  const { home } = options;
  const work = placesIn(home).restoreWork;
  try {
    mkdirSync(join(work, NAME), { recursive: true, mode: 0o700 });
    return await unpackAll(options, work);
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    throw explain(error);
  }
}

async function unpackAll({ home, archive, passphrase, schemas }: StageOptions, work: string): Promise<Staged> {
  using zip = await zipOf(archive, { work, passphrase });
  const { pieces, warnings, manifest } = await understand(zip.descriptor);
  const bytes = pieces.reduce((sum, { entry }) => sum + entry.bytes, RESERVE_BYTES);
  needSpace(work, bytes, "unpacking the archive");
  const staged = stagedHome(home);
  await unpackPieces(zip.descriptor, pieces, staged);
  const notes = settleStaged(staged, schemas);
  const replaced = units.filter((unit) => manifest !== undefined || pieces.some(({ path }) => unitOf(path) === unit));
  if (manifest) compareCounts(manifest.counts, countHome(staged));
  notes.push(...completeConfig(home, staged, replaced));
  notes.push(...(manifest?.skipped ?? []).map((what) => `the backup was made without ${shown(what)}`));
  return { units: replaced, counts: countHome(staged), manifest, warnings: [...warnings, ...notes] };
}

async function zipOf(archive: ArchiveFile, { work, passphrase }: { work: string; passphrase: string | undefined }) {
  if (!isEncrypted(archive.descriptor)) return { descriptor: archive.descriptor, [Symbol.dispose]() {} };
  const plain = join(work, "archive.zip");
  await decryptFile(archive.descriptor, plain, passphrase);
  const zip = openArchiveFile(plain);
  // Gone as soon as it is closed, and not only when all is done: it is as large as the archive.
  rmSync(plain);
  return zip;
}

function settleStaged(staged: Home, schemas: Schemas): string[] {
  checkStagedDatabases(staged, schemas);
  using db = new Database(staged.stateDb, { readwrite: true, create: false });
  db.run("PRAGMA synchronous = FULL");
  const dropped = dropWaitingMessages(db);
  if (dropped === 0) return [];
  return [`${dropped} of its notifications still waited, and stay with the hub it was made of`];
}

async function understand(archive: number): Promise<Understood & { manifest: Manifest | undefined }> {
  const directory = readDirectory(archive);
  checkNames(directory);
  checkPlaces(archive, directory);
  const at = findManifest(directory);
  if (!at) return { ...understandByHand(directory), manifest: undefined };
  const manifest = parseManifest((await readEntry(archive, at, MANIFEST_MAX_BYTES)).toString());
  return { ...understandListed(directory, manifest, at), manifest };
}

async function unpackPieces(archive: number, pieces: readonly Piece[], staged: Home): Promise<void> {
  const folders = new Set<string>([staged.data]);
  for (const { entry, path, sha256 } of pieces) {
    const target = join(staged.root, path);
    mkdirSync(dirname(target), { recursive: true });
    folders.add(dirname(target));
    const found = await unpackEntry(archive, entry, target);
    if (sha256 !== undefined && found !== sha256)
      throw refusal(`${shown(path)} is not what its manifest says: its SHA-256 differs`);
    chmodSync(target, modeOf(path, entry.mode));
  }
  // What is renamed later has to be on the disk before.
  for (const folder of folders) if (existsSync(folder)) syncFolder(folder);
}

/** What others could not read stays so; what holds secrets becomes so. */
function modeOf(path: string, mode: number | undefined): number {
  if (path.startsWith("data/") || path === "config/hub.toml") return 0o600;
  if (mode === undefined) return 0o644;
  return 0o600 | (mode & 0o155);
}

/** A `config/` without hub.toml, as somebody may have packed it: the one in use stays. */
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
      {
        cause: error,
      },
    );
  if (systemCode(error) === "EEXIST" || systemCode(error) === "ENOTDIR" || systemCode(error) === "EISDIR")
    return refusal(`two of its names are the same file on this disk: ${messageOf(error)}`);
  return error;
}
