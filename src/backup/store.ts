// An archive in a file: written, read back and unpacked once, and only then given its name. What bears such a name is proven.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { syncFolder, writeFileAtomic } from "../core/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import { isStorageFault } from "../core/storage-fault.ts";
import type { Home } from "../home/paths.ts";
import { type ArchiveOptions, openArchive } from "./archive.ts";
import { openArchiveFile } from "./archive-file.ts";
import { encrypt, streamOf } from "./encryption.ts";
import type { Counts } from "./manifest.ts";
import { placesIn } from "./places.ts";
import { snapshotBytes } from "./snapshot.ts";
import { needSpace, RESERVE_BYTES } from "./space.ts";
import { stage } from "./stage.ts";
import type { Schemas } from "./staged-databases.ts";

export interface StoreOptions extends ArchiveOptions {
  /** Must not be there yet. */
  target: string;
  /** Encrypts it, where given. */
  passphrase: string | undefined;
  schemas: Schemas;
  /** Rights to read the home with, where they are not those to write the target with. */
  asOwner?: () => Disposable;
}

export interface Stored {
  bytes: number;
  counts: Counts;
  /** What is not in it, and why. */
  skipped: readonly string[];
}

/** Whoever calls holds the turn. Throws HubError and has then left no file. */
export async function storeArchive(options: StoreOptions): Promise<Stored> {
  const { home, target } = options;
  if (existsSync(target)) throw new HubError("conflict", `${target} is there already: choose another name`);
  const part = `${target}.part`;
  try {
    mkdirSync(dirname(target), { recursive: true });
    needRoom(home, dirname(target));
    const { manifest, skipped } = await writePart(options, part);
    await prove(options, part);
    renameSync(part, target);
    syncFolder(dirname(target));
    return { bytes: statSync(target).size, counts: manifest.counts, skipped };
  } catch (error) {
    discard(part);
    throw explain(error, target);
  }
}

/** When a backup was made last, whoever asked for it; kept over restarts. */
export function rememberBackup(home: Home, at: string): void {
  writeFileAtomic(placesIn(home).lastBackup, `${JSON.stringify({ at })}\n`, 0o600);
}

function discard(part: string): void {
  try {
    rmSync(part, { force: true });
  } catch {
    // Why it could not be written is told; that it cannot be removed either follows from that.
  }
}

/** UTC; null where there was none. */
export function readLastBackup(home: Home): string | null {
  try {
    const { at } = JSON.parse(readFileSync(placesIn(home).lastBackup, "utf8"));
    return typeof at === "string" ? at : null;
  } catch {
    return null;
  }
}

// The snapshots and the archive lie side by side, and later the archive and what is unpacked from it.
function needRoom(home: Home, folder: string): void {
  const bytes = snapshotBytes(home.stateDb) + snapshotBytes(home.historyDb);
  const same = statSync(folder).dev === statSync(home.data).dev;
  needSpace(home.data, (same ? 2 : 1) * bytes + RESERVE_BYTES, "a backup");
  if (!same) needSpace(folder, bytes + RESERVE_BYTES, "a backup");
}

async function writePart(options: StoreOptions, part: string) {
  // Made anew: a link of that name may lead anywhere.
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

/** Restored as far as it goes without taking anything's place: every sum, both databases, the counts. */
async function prove({ home, passphrase, schemas, asOwner }: StoreOptions, file: string) {
  using archive = openArchiveFile(file);
  using _owner = asOwner?.();
  const { manifest } = await stage({ home, archive, passphrase, schemas });
  rmSync(placesIn(home).restoreWork, { recursive: true, force: true });
  if (!manifest) throw new HubError("storage", "the backup was written, but what was read back has no manifest");
}

function explain(error: unknown, target: string): unknown {
  if (error instanceof HubError && error.code === "invalid")
    return new HubError("storage", `the backup was written to ${target}, but does not read back: ${error.message}`, {
      cause: error,
    });
  if (error instanceof HubError) return error;
  if (
    isStorageFault(error) ||
    ["EACCES", "EPERM", "ENOENT", "ENOTDIR", "EISDIR", "EEXIST"].includes(systemCode(error) ?? "")
  )
    return new HubError(
      "storage",
      `cannot write ${target}: ${messageOf(error)}; free some space there, or name another place`,
      {
        cause: error,
      },
    );
  return error;
}
