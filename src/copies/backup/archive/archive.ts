// Makes the archive of a home: snapshots first, then a zip that is written while it is read, with the manifest last. Works on the
// files alone, with or without a running hub. The caller holds the backup lock.
import { constants, existsSync, mkdirSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { RESERVE_BYTES, requireSpace } from "../../../kit/files/free-space.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { checkpointIntoCopy, type JournalTail, readJournalTailBeside } from "../../../server/db/readings.ts";
import type { Home } from "../../../server/home/paths.ts";
import { schemaVersion, snapshotBytes, takeSnapshot } from "../database-copies.ts";
import { placesIn } from "../places.ts";
import { countHome, listContents, type SourceFile } from "./home-contents.ts";
import { MANIFEST, MANIFEST_FORMAT, MANIFEST_MAX_BYTES, type Manifest, type ManifestEntry } from "./manifest.ts";
import {
  beginEntry,
  type Container,
  createContainer,
  ENTRY_OVERHEAD_BYTES,
  PLAIN_MAX_BYTES,
  PLAIN_MAX_ENTRIES,
} from "./zip/container.ts";
import { MAX_ENTRIES } from "./zip/format.ts";
import { createWideContainer } from "./zip/wide-container.ts";

export interface ArchiveOptions {
  home: Home;
  hubVersion: string;
  /** Epoch ms. */
  now: number;
  /** For a home whose hub has not put its journal of readings into its databases first. */
  checkpointHistory?: CheckpointHistory;
}

/**
 * Puts the journal's samples into the copy of the history; `state` is a copy too, of a home that records history. Returns what is
 * left out, and why; undefined where nothing is.
 */
export type CheckpointHistory = (
  copies: { state: string; history: string },
  readings: JournalTail,
) => string | undefined;

/** An archive that can be read. Disposing it removes its snapshots. */
export interface OpenArchive extends Disposable {
  readonly manifest: Omit<Manifest, "entries">;
  /** What is left out of it, and why. */
  readonly skipped: readonly string[];
  /** Chunks of the zip; returns the complete manifest. */
  read(): AsyncGenerator<Uint8Array<ArrayBuffer>, Manifest>;
}

/** In the manifest. */
const MAX_SKIPPED = 100;
const READ_BYTES = 128 * 1024;
/** Deflated data lies outside the heap and is collected late: without this, the worker would need half as much memory again. */
const READS_PER_COLLECTION = 64;
const CHUNK_BYTES = 64 * 1024;

/** Takes the snapshots. Throws HubError: `storage` with the numbers, `too_large`, `not_found`. */
export function openArchive({ home, hubVersion, now, checkpointHistory }: ArchiveOptions): OpenArchive {
  const work = placesIn(home).backupWork;
  const databases = databasesOf(home);
  const needed = databases.reduce((sum, { file }) => sum + snapshotBytes(file), RESERVE_BYTES);
  requireSpace(home.data, needed, "a backup");
  mkdirSync(work, { recursive: true, mode: 0o700 });
  try {
    const readings = readJournalTailBeside(home.stateDb);
    const copies = databases.map(({ path, file, copy }): SourceFile => {
      takeSnapshot(file, join(work, copy));
      if (readings && file === home.stateDb) checkpointIntoCopy(join(work, copy), readings);
      return { path, file: join(work, copy), mode: 0o600 };
    });
    const { files, skipped: notListed } = listContents(home);
    const sources = [...copies, ...files];
    const [state, history] = copies;
    if (!state) throw new HubError("not_found", `there is no hub in ${home.root}`);
    const notCheckpointed =
      history && readings && checkpointHistory?.({ state: state.file, history: history.file }, readings);
    const skipped = notCheckpointed === undefined ? notListed : [notCheckpointed, ...notListed];
    const manifest: OpenArchive["manifest"] = {
      format: MANIFEST_FORMAT,
      hub_version: hubVersion,
      created_at: isoSeconds(now),
      counts: countHome(home, state.file),
      schemas: { state: schemaVersion(state.file), history: history ? schemaVersion(history.file) : null },
      ...(skipped.length > 0 && { skipped: skipped.slice(0, MAX_SKIPPED) }),
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
  // A hub that records no history has no such file.
  return existsSync(home.historyDb) ? [state, history] : [state];
}

/** The manifest lists all files, and a restore refuses one that is too large. */
function refuseTooMany(sources: readonly SourceFile[], head: OpenArchive["manifest"]): void {
  const entries = sources.map(({ path }) => ({ path, bytes: Number.MAX_SAFE_INTEGER, sha256: "0".repeat(64) }));
  const bytes = Buffer.byteLength(textOf({ ...head, entries }));
  if (entries.length < MAX_ENTRIES && bytes <= MANIFEST_MAX_BYTES) return;
  throw new HubError(
    "too_large",
    `config/ and rules/ hold ${sources.length} files, more than an archive can list: move away what the hub does not need`,
  );
}

/** Zip64 only where it is needed: not every program reads it. */
function containerFor(sources: readonly SourceFile[]): Container {
  const bytes = sources.reduce((sum, { file }) => sum + snapshotBytes(file) + ENTRY_OVERHEAD_BYTES, 0);
  return bytes > PLAIN_MAX_BYTES || sources.length > PLAIN_MAX_ENTRIES ? createWideContainer() : createContainer();
}

async function* write(
  { sources, container, now }: { sources: readonly SourceFile[]; container: Container; now: number },
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

/** Chunks in one buffer: each is valid until the next one is read. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array> {
  // O_NOFOLLOW: the path was checked before, and a link may have taken its place since.
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  for (let reads = 1; ; reads++) {
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    if (reads % READS_PER_COLLECTION === 0) Bun.gc(true);
  }
}

function textOf(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Yields what the container has written, in one piece, as soon as there are `enough` bytes of it. */
function createGatherer(container: Container): (enough: number) => Generator<Uint8Array<ArrayBuffer>> {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  return function* gather(enough) {
    for (const chunk of container.take()) {
      chunks.push(chunk);
      bytes += chunk.length;
    }
    if (bytes < enough) return;
    const whole = new Uint8Array(bytes);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    chunks = [];
    bytes = 0;
    yield whole;
  };
}
