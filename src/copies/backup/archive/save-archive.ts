// Saves an archive to a file: written, read back and unpacked once, and only then given its name. So every file with such a name
// has been verified.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "../../../kit/files/atomic-file.ts";
import { RESERVE_BYTES, requireSpace } from "../../../kit/files/free-space.ts";
import { isStorageFault } from "../../../kit/files/storage-fault.ts";
import { HubError, messageOf, systemCode } from "../../../kit/schema/errors.ts";
import type { Home } from "../../../server/home/paths.ts";
import { type Schemas, snapshotBytes } from "../database-copies.ts";
import { placesIn } from "../places.ts";
import { openArchiveFile, stage } from "../restore/stage.ts";
import { PART } from "../scheduled-backups.ts";
import { type ArchiveOptions, openArchive } from "./archive.ts";
import { encrypt, streamOf } from "./encryption.ts";
import type { Counts } from "./manifest.ts";

export interface SaveOptions extends ArchiveOptions {
  /** Must not exist yet. */
  target: string;
  /** Encrypts it, where given. */
  passphrase: string | undefined;
  schemas: Schemas;
  /** The rights to read the home with, where they differ from those to write the target with. */
  asOwner?: () => Disposable;
}

export interface SavedArchive {
  bytes: number;
  counts: Counts;
  /** What is not in it, and why. */
  skipped: readonly string[];
}

/** The caller holds the backup lock. Throws HubError, and then leaves no file. */
export async function saveArchive(options: SaveOptions): Promise<SavedArchive> {
  const { home, target } = options;
  if (existsSync(target)) throw new HubError("conflict", `${target} exists already: choose another name`);
  const part = target + PART;
  try {
    mkdirSync(dirname(target), { recursive: true });
    requireSpaceFor(home, dirname(target));
    const { manifest, skipped } = await writePart(options, part);
    await verify(options, part);
    renameSync(part, target);
    syncFolder(dirname(target));
    return { bytes: statSync(target).size, counts: manifest.counts, skipped };
  } catch (error) {
    discard(part);
    throw explain(error, target);
  }
}

/** Snapshots and archive exist at the same time, and later the archive and what is unpacked from it. */
function requireSpaceFor(home: Home, folder: string): void {
  const bytes = snapshotBytes(home.stateDb) + snapshotBytes(home.historyDb);
  const sameDisk = statSync(folder).dev === statSync(home.data).dev;
  requireSpace(home.data, (sameDisk ? 2 : 1) * bytes + RESERVE_BYTES, "a backup");
  if (!sameDisk) requireSpace(folder, bytes + RESERVE_BYTES, "a backup");
}

async function writePart(options: SaveOptions, part: string) {
  // Created anew: an existing link of that name could lead anywhere.
  rmSync(part, { force: true });
  const out = openSync(part, "wx", 0o600);
  try {
    using _owner = options.asOwner?.();
    using archive = openArchive(options);
    const plain = archive.read();
    const stream = options.passphrase === undefined ? plain : await encrypt(streamOf(plain), options.passphrase);
    for await (const chunk of stream as AsyncIterable<Uint8Array>)
      for (let at = 0; at < chunk.length; ) at += writeSync(out, chunk, at);
    fsyncSync(out);
    return { manifest: archive.manifest, skipped: archive.skipped };
  } finally {
    closeSync(out);
  }
}

/** Restores it as far as possible without replacing anything: checks every checksum, both databases and the counts. */
async function verify({ home, passphrase, schemas, asOwner }: SaveOptions, file: string): Promise<void> {
  using archive = openArchiveFile(file);
  using _owner = asOwner?.();
  const { manifest } = await stage({ home, archive, passphrase, schemas });
  rmSync(placesIn(home).restoreWork, { recursive: true, force: true });
  if (!manifest) throw new HubError("storage", "the backup was written, but what was read back has no manifest");
}

function discard(part: string): void {
  try {
    rmSync(part, { force: true });
  } catch {
    // It could not be written either, and that is reported.
  }
}

const CANNOT_WRITE = ["EACCES", "EPERM", "ENOENT", "ENOTDIR", "EISDIR", "EEXIST"];

function explain(error: unknown, target: string): unknown {
  if (error instanceof HubError && error.code === "invalid")
    return new HubError("storage", `the backup was written to ${target}, but cannot be read back: ${error.message}`, {
      cause: error,
    });
  if (error instanceof HubError) return error;
  if (!isStorageFault(error) && !CANNOT_WRITE.includes(systemCode(error) ?? "")) return error;
  return new HubError(
    "storage",
    `cannot write ${target}: ${messageOf(error)}; free some space there, or choose another place`,
    { cause: error },
  );
}
