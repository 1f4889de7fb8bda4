// Makes the archive of a home: snapshots first, then a zip that is written while it is read, with the manifest last.
// Works on the files alone, beside a hub that runs or without one; whoever calls holds the turn.

import { Database } from "bun:sqlite";
import { createReadStream, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { crc32, createDeflateRaw } from "node:zlib";
import { isoSeconds } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
import { countHome } from "./counts.ts";
import { MANIFEST, MANIFEST_FORMAT, type Manifest, type ManifestEntry } from "./manifest.ts";
import { placesIn } from "./places.ts";
import { snapshotBytes, takeSnapshot } from "./snapshot.ts";
import { listSources, type Source } from "./sources.ts";
import { megabytes, needSpace, RESERVE_BYTES } from "./space.ts";
import {
  type Container,
  createContainer,
  ENTRY_OVERHEAD_BYTES,
  ZIP_MAX_BYTES,
  ZIP_MAX_ENTRIES,
} from "./zip/container.ts";
import { through } from "./zip/through.ts";

export interface ArchiveOptions {
  home: Home;
  hubVersion: string;
  /** Epoch ms. */
  now: number;
}

/** An archive that can be read; its snapshots go when it is disposed. */
export interface OpenArchive extends Disposable {
  /** All it will hold, but for the sums of the entries. */
  readonly manifest: Omit<Manifest, "entries">;
  /** What is left out of it, and why. */
  readonly skipped: readonly string[];
  /** Uncompressed. */
  readonly bytes: number;
  /** Chunks of the zip; returns what the manifest became. */
  read(): AsyncGenerator<Uint8Array<ArrayBuffer>, Manifest>;
}

// Level 1: on the slow machines hubs live on, each step above costs more time than it spares space.
const LEVEL = 1;
const READ_BYTES = 64 * 1024;
const CHUNK_BYTES = 128 * 1024;

/** Takes the snapshots. Throws HubError: `storage` with the numbers, `too_large`, `not_found`. */
export function openArchive(options: ArchiveOptions): OpenArchive {
  const { home, hubVersion, now } = options;
  const work = placesIn(home).backupWork;
  const databases = databasesOf(home);
  const needed = databases.reduce((sum, { file }) => sum + snapshotBytes(file), RESERVE_BYTES);
  needSpace(home.data, needed, "a backup");
  mkdirSync(work, { recursive: true, mode: 0o700 });
  try {
    const copies = databases.map(({ path, file, copy }): Source => {
      takeSnapshot(file, join(work, copy));
      return { path, file: join(work, copy), mode: 0o600 };
    });
    const { files, skipped } = listSources(home);
    const sources = [...copies, ...files];
    const bytes = refuseTooLarge(sources);
    const [state, history] = copies;
    if (!state) throw new HubError("not_found", `there is no hub in ${home.root}`);
    const manifest: OpenArchive["manifest"] = {
      format: MANIFEST_FORMAT,
      hub_version: hubVersion,
      created_at: isoSeconds(now),
      counts: countHome(home, state.file),
      schemas: { state: schemaOf(state.file), history: history ? schemaOf(history.file) : null },
    };
    return {
      manifest,
      skipped,
      bytes,
      read: () => write(sources, manifest, now),
      [Symbol.dispose]: () => rmSync(work, { recursive: true, force: true }),
    };
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    throw error;
  }
}

function databasesOf(home: Home) {
  const state = { path: "data/state.redb", file: home.stateDb, copy: "state.redb" };
  const history = { path: "data/history.db", file: home.historyDb, copy: "history.db" };
  // A hub that keeps no history has no file of it.
  return existsSync(home.historyDb) ? [state, history] : [state];
}

function schemaOf(file: string): number {
  using db = new Database(file, { readonly: true });
  return db.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Counted uncompressed, and so on the safe side. */
function refuseTooLarge(sources: readonly Source[]): number {
  const bytes = sources.reduce((sum, { file }) => sum + snapshotBytes(file), 0);
  const whole = bytes + (sources.length + 1) * ENTRY_OVERHEAD_BYTES;
  if (whole > ZIP_MAX_BYTES)
    throw new HubError(
      "too_large",
      `the backup would hold ${megabytes(bytes)}, and an archive that every tool can read holds ${megabytes(ZIP_MAX_BYTES)} at most: keep less history ([history] retention_days, max_size_mb), or copy the home while the hub is stopped`,
      { details: { bytes, max_bytes: ZIP_MAX_BYTES } },
    );
  if (sources.length >= ZIP_MAX_ENTRIES)
    throw new HubError(
      "too_large",
      `config/ and rules/ hold ${sources.length} files, and an archive takes ${ZIP_MAX_ENTRIES} at most: move away what the hub does not need`,
    );
  return bytes;
}

async function* write(
  sources: readonly Source[],
  head: OpenArchive["manifest"],
  mtime: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, Manifest> {
  const container = createContainer();
  const entries: ManifestEntry[] = [];
  const gather = createGatherer(container);
  for (const { path, file, mode } of sources) {
    if (!existsSync(file)) continue;
    container.begin({ path, mode, mtime });
    const sum = createSum();
    for await (const compressed of through(
      summed(createReadStream(file, { highWaterMark: READ_BYTES }), sum),
      deflater(),
    )) {
      container.push(compressed);
      yield* gather(CHUNK_BYTES);
    }
    entries.push({ path, ...endEntry(container, sum) });
  }
  const manifest = { ...head, entries };
  container.begin({ path: MANIFEST, mode: 0o600, mtime });
  const sum = createSum();
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  for await (const compressed of through(summed([text], sum), deflater())) container.push(compressed);
  endEntry(container, sum);
  container.finish();
  yield* gather(1);
  return manifest;
}

const deflater = () => createDeflateRaw({ level: LEVEL, chunkSize: 64 * 1024 });

interface Sum {
  add(chunk: Uint8Array): void;
  end(): { crc: number; bytes: number; sha256: string };
}

function createSum(): Sum {
  const hash = new Bun.CryptoHasher("sha256");
  let crc = 0;
  let bytes = 0;
  return {
    add(chunk) {
      hash.update(chunk);
      crc = crc32(chunk, crc);
      bytes += chunk.length;
    },
    end: () => ({ crc, bytes, sha256: hash.digest("hex") }),
  };
}

function endEntry(container: Container, sum: Sum): Pick<ManifestEntry, "bytes" | "sha256"> {
  const { crc, bytes, sha256 } = sum.end();
  // A file of the configuration that grew under our hands.
  if (bytes > ZIP_MAX_BYTES) throw new HubError("too_large", "a file grew while it was read: try again");
  container.end({ crc, bytes });
  return { bytes, sha256 };
}

async function* summed(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, sum: Sum): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    sum.add(chunk);
    yield chunk;
  }
}

/** Yields what the container gave, in one piece, once there is enough of it. */
function createGatherer(container: Container): (enough: number) => Generator<Uint8Array<ArrayBuffer>> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  return function* gather(enough) {
    for (const chunk of container.take()) {
      held.push(chunk);
      bytes += chunk.length;
    }
    if (bytes < enough) return;
    const whole = new Uint8Array(bytes);
    let at = 0;
    for (const chunk of held) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    held = [];
    bytes = 0;
    yield whole;
  };
}
