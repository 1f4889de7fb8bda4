// Opens the journal of readings: what the last run left in it goes into the device states first.
import { mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  openReadingJournal,
  type ReadingJournal,
  type ReadingJournalOptions,
} from "../../house/state/reading-journal.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import { openDraft, recoverDraft } from "../../server/db/reading-draft.ts";
import {
  checkpointReadings,
  type JournalTail,
  journalIdIn,
  readingsFolder,
  readJournalTail,
} from "../../server/db/readings.ts";
import type { StateDb } from "../../server/db/state-db.ts";

type Options = Pick<ReadingJournalOptions, "clock" | "log" | "flushSecs" | "budget"> & { db: StateDb; stateDb: string };

/** Undefined where the database is a copy in memory: then the disk takes no journal either. */
export function openReadings(
  { db, stateDb, ...options }: Options,
  stack: AsyncDisposableStack,
): ReadingJournal | undefined {
  const { log } = options;
  const folder = readingsFolder(stateDb);
  if (!db.copy) recover(folder, journalIdIn(db.own), log);
  const journalTail = readJournalTail(stateDb, db.own);
  for (const path of journalTail.foreign) setAside(path, options);
  for (const { path, cutAt } of journalTail.segments) {
    if (cutAt !== undefined)
      log.warn("the end of the journal of readings cannot be read; what was noted there is lost", {
        file: path,
        from_byte: cutAt,
      });
  }
  const count = checkpointReadings(db.own, journalTail);
  if (count > 0) log.info("readings that the last run had not put into the database are there now", { count });
  if (db.copy) return undefined;
  return stack.use(
    openReadingJournal({
      ...options,
      folder,
      id: journalTail.id,
      first: nextSegment(journalTail),
      trouble: db.trouble,
      draft: openDraft({ folder, id: journalTail.id, clock: options.clock, log }),
    }),
  );
}

/** Without what was in memory the hub starts all the same. */
function recover(folder: string, id: string, log: Options["log"]): void {
  try {
    recoverDraft(folder, id);
  } catch (error) {
    log.error("readings of the last seconds before a kill are lost", { error: messageOf(error) });
  }
}

function nextSegment({ segments, last }: JournalTail): number {
  return Math.max(last, ...segments.map(({ number }) => number)) + 1;
}

/** The database was replaced by hand: the journal belongs to the one before. */
function setAside(path: string, { log }: Pick<Options, "log">): void {
  const kept = join(dirname(dirname(path)), "readings.stale", basename(path));
  try {
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
    renameSync(path, kept);
    log.warn(
      "the database was replaced, and the journal of readings beside it belongs to the previous one; it was set aside",
      { kept_as: kept },
    );
  } catch (error) {
    log.warn("a journal of readings that belongs to another database cannot be set aside", {
      file: path,
      error: messageOf(error),
    });
  }
}
