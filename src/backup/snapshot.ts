// Copies of the databases as they are at one moment, while the hub goes on writing them. Slow: for a worker or a command.
import { Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { HubError, messageOf } from "../core/errors.ts";
import { isStorageFault } from "../core/storage-fault.ts";
import { BACKUP_MARK } from "./marks.ts";

/** The most it can take on the disk: what the log holds may be new pages. */
export function snapshotBytes(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Writes and checks `copy`, a file that must not be there yet. Throws HubError `storage`. */
export function takeSnapshot(path: string, copy: string): void {
  if (!existsSync(path)) throw new HubError("not_found", `there is no ${path}: name the home of a hub with --home`);
  try {
    copyOut(path, copy);
    mark(copy);
  } catch (error) {
    const why = isStorageFault(error) ? "the disk is full or cannot be written" : messageOf(error);
    throw new HubError("storage", `cannot take a snapshot of ${path}: ${why}`, { cause: error });
  }
  const flaw = integrityProblem(copy);
  if (flaw !== undefined)
    throw new HubError(
      "storage",
      `${path} is damaged (${flaw}): start the hub, which sets it aside, or restore a backup`,
    );
}

function copyOut(path: string, copy: string): void {
  // Not "readonly": such a connection leaves its log behind in the home of a hub that is stopped.
  using db = new Database(path, { readwrite: true, create: false });
  db.run("PRAGMA busy_timeout = 10000");
  // The copy is read back and checked; should the power fail, it goes with all the backup.
  db.run("PRAGMA synchronous = OFF");
  db.query("VACUUM INTO ?").run(copy);
}

/** A copy is told from its original, so that a log of the one is never taken for one of the other. */
function mark(copy: string): void {
  using db = new Database(copy);
  db.run("PRAGMA synchronous = OFF");
  db.run("PRAGMA journal_mode = MEMORY");
  db.run(`PRAGMA application_id = ${BACKUP_MARK}`);
}

/** What `integrity_check` finds first, or what keeps it from looking; undefined where all is well. */
export function integrityProblem(path: string): string | undefined {
  try {
    using db = new Database(path, { readonly: true });
    const verdict = db.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").get()?.integrity_check;
    return verdict === "ok" ? undefined : (verdict ?? "it says nothing").replaceAll("\n", " ");
  } catch (error) {
    return messageOf(error);
  }
}
