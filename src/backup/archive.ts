// Makes the archive of a home: snapshots first, then a zip that is written while it is read, with the manifest last.
// Works on the files alone, beside a hub that runs or without one; whoever calls holds the turn.

import { Database } from "bun:sqlite";
import { constants, existsSync, mkdirSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { isoSeconds } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import type { Home } from "../home/paths.ts";
import { countHome } from "./counts.ts";
import { MANIFEST, MANIFEST_FORMAT, MANIFEST_MAX_BYTES, type Manifest, type ManifestEntry } from "./manifest.ts";
import { placesIn } from "./places.ts";
import { snapshotBytes, takeSnapshot } from "./snapshot.ts";
import { listSources, type Source } from "./sources.ts";
import { needSpace, RESERVE_BYTES } from "./space.ts";
import {
  type Container,
  createContainer,
  ENTRY_OVERHEAD_BYTES,
  PLAIN_MAX_BYTES,
  PLAIN_MAX_ENTRIES,
} from "./zip/container.ts";
import { MOST_ENTRIES } from "./zip/format.ts";
import { beginEntry } from "./zip/pack.ts";
import { createWideContainer } from "./zip/wide-container.ts";

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
  /** Chunks of the zip; returns what the manifest became. */
  read(): AsyncGenerator<Uint8Array<ArrayBuffer>, Manifest>;
}

/** In the manifest. */
const MOST_SKIPPED = 100;
const READ_BYTES = 128 * 1024;
/** What is deflated lies outside of the heap, and is collected late: a worker would grow by half. */
const READS_A_COLLECTION = 64;
const CHUNK_BYTES = 64 * 1024;

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
    const [state, history] = copies;
    if (!state) throw new HubError("not_found", `there is no hub in ${home.root}`);
    const manifest: OpenArchive["manifest"] = {
      format: MANIFEST_FORMAT,
      hub_version: hubVersion,
      created_at: isoSeconds(now),
      counts: countHome(home, state.file),
      schemas: { state: schemaOf(state.file), history: history ? schemaOf(history.file) : null },
      ...(skipped.length > 0 && { skipped: skipped.slice(0, MOST_SKIPPED) }),
    };
    refuseTooMany(sources, manifest);
    return {
      manifest,
      skipped,
      read: () => write({ sources, container: containerFor(sources), now }, manifest),
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

/** The manifest lists them all, and one that is too large is not read back. */
function refuseTooMany(sources: readonly Source[], head: OpenArchive["manifest"]): void {
  const entries = sources.map(({ path }) => ({ path, bytes: Number.MAX_SAFE_INTEGER, sha256: "0".repeat(64) }));
  const bytes = Buffer.byteLength(textOf({ ...head, entries }));
  if (entries.length < MOST_ENTRIES && bytes <= MANIFEST_MAX_BYTES) return;
  throw new HubError(
    "too_large",
    `config/ and rules/ hold ${sources.length} files, more than an archive lists: move away what the hub does not need`,
  );
}

/** Zip64 only where it must be: not everything out there reads it. */
function containerFor(sources: readonly Source[]): Container {
  const bytes = sources.reduce((sum, { file }) => sum + snapshotBytes(file) + ENTRY_OVERHEAD_BYTES, 0);
  return bytes > PLAIN_MAX_BYTES || sources.length > PLAIN_MAX_ENTRIES ? createWideContainer() : createContainer();
}

async function* write(
  { sources, container, now }: { sources: readonly Source[]; container: Container; now: number },
  head: OpenArchive["manifest"],
): AsyncGenerator<Uint8Array<ArrayBuffer>, Manifest> {
  const entries: ManifestEntry[] = [];
  const gather = createGatherer(container);
  for (const { path, file, mode } of sources) {
    if (!existsSync(file)) continue;
    const entry = beginEntry(container, { path, mode, mtime: now });
    for await (const chunk of contentOf(file)) {
      entry.add(chunk);
      yield* gather(CHUNK_BYTES);
    }
    entries.push({ path, ...entry.end() });
  }
  const manifest = { ...head, entries };
  const entry = beginEntry(container, { path: MANIFEST, mode: 0o600, mtime: now });
  entry.add(Buffer.from(textOf(manifest)));
  entry.end();
  container.finish();
  yield* gather(1);
  return manifest;
}

/** Chunks in one buffer, each good until the next is asked for. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  // A link that took its place meanwhile was not looked at.
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  for (let reads = 1; ; reads++) {
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    if (reads % READS_A_COLLECTION === 0) Bun.gc(true);
  }
}

function textOf(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
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
