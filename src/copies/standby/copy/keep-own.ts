// A former hub that becomes the standby: its state is put aside, once, before the other's takes its place; its history stays, and gets
// the other's on top. Whoever finds it half done finishes it.
import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { syncFolder, writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { forgetCheckpoint } from "../../../server/db/checkpoint-mark.ts";
import { recoverDraftBeside } from "../../../server/db/reading-draft.ts";
import { type JournalTail, readingsFolder, readJournalTailBeside } from "../../../server/db/readings.ts";
import type { Home } from "../../../server/home/paths.ts";
import { openCopyNotes } from "./note.ts";
import { redoPath } from "./state-pages.ts";

export interface KeptOwn {
  /** `data/before-standby`. */
  readonly folder: string;
  /** Epoch ms: what this machine recorded goes so far; undefined where it has recorded nothing. */
  readonly recordedUntil: number | undefined;
}

export interface KeepOwnOptions {
  /**
   * Puts what the journal holds into the history, which it may not hold yet (`CheckpointHistory` of copies/backup/archive/archive.ts). Without it, that is
   * kept beside the state, but not in the history.
   */
  checkpointHistory?: (files: { state: string; history: string }, readings: JournalTail) => string | undefined;
}

/** In the folder, until the machine that took over has got what it lacked: `until`, as `recordedUntil`; 0 where it is undefined. */
export const HANDBACK_NOTE = "leftovers.json";

const SUFFIXES = ["-wal", "-shm", "-journal", ".mark", ".own", ""];

/** Undefined where no hub ran here since the last time. The home is locked by the caller, and its hub has ended. */
export function keepOwn(
  home: Home,
  log: Pick<Log, "info" | "warn">,
  options: KeepOwnOptions = {},
): KeptOwn | undefined {
  const folder = join(home.data, "before-standby");
  const moving = `${folder}.new`;
  const notes = openCopyNotes(home);
  if (!existsSync(moving) && (!existsSync(home.stateDb) || notes.read())) return undefined;
  // Before anything is moved: afterwards the journal belongs to no state.
  if (!existsSync(moving)) checkpointOwn(home, log, options);
  mkdirSync(moving, { recursive: true, mode: 0o700 });
  for (const path of [readingsFolder(home.stateDb), ...SUFFIXES.map((suffix) => home.stateDb + suffix)])
    if (existsSync(path)) renameSync(path, join(moving, basename(path)));
  for (const path of [moving, home.data]) syncFolder(path);
  notes.remove();
  // Of a copy that was here before that hub.
  rmSync(redoPath(home), { force: true });
  const recordedUntil = releaseHistory(home, log);
  writeFileAtomic(join(moving, HANDBACK_NOTE), JSON.stringify({ version: 1, until: recordedUntil ?? 0 }), 0o600);
  rmSync(folder, { recursive: true, force: true });
  renameSync(moving, folder);
  syncFolder(home.data);
  log.info("what this machine had as the hub is kept; the other hub's states take its place", {
    kept_as: folder,
    ...(recordedUntil !== undefined && { recorded_until: new Date(recordedUntil).toISOString() }),
  });
  return { folder, recordedUntil };
}

function checkpointOwn(
  { stateDb, historyDb }: Home,
  log: Pick<Log, "warn">,
  { checkpointHistory }: KeepOwnOptions,
): void {
  if (!checkpointHistory || !existsSync(historyDb)) return;
  try {
    recoverDraftBeside(stateDb);
    const readings = readJournalTailBeside(stateDb);
    const problem = readings && checkpointHistory({ state: stateDb, history: historyDb }, readings);
    if (problem !== undefined) log.warn("the last recordings of this machine are not in its history", { problem });
  } catch (error) {
    log.warn("the last recordings of this machine are not in its history", { problem: messageOf(error) });
  }
}

/** Its mark speaks of a journal that is no longer here; the other hub's may have the same name. Returns when its last sample is of. */
function releaseHistory({ historyDb }: Home, log: Pick<Log, "warn">): number | undefined {
  if (!existsSync(historyDb)) return undefined;
  try {
    using db = new Database(historyDb, { readwrite: true, create: false });
    forgetCheckpoint(db);
    const newest = `SELECT max(at) AS at FROM (
      SELECT (SELECT max(at) FROM samples WHERE series_id = series.id) AS at FROM series
      UNION ALL SELECT max(at) FROM recent)`;
    return db.query<{ at: number | null }, []>(newest).get()?.at ?? undefined;
  } catch (error) {
    log.warn("the history of this machine cannot be read", { file: historyDb, error: messageOf(error) });
    return undefined;
  }
}
