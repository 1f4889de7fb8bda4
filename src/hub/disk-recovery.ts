// A hub whose disk took nothing at the start runs from a copy in memory. Here it waits for the disk, writes the copy back, and
// starts anew from the file.
import type { Clock } from "../core/clock.ts";
import { messageOf, systemCode } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { probeStorage } from "../core/storage-fault.ts";
import type { StateCopy, StateDb } from "../db/state-db.ts";
import type { Home } from "../home/paths.ts";

const LOOK_EVERY_MS = 10_000;

export interface DiskRecoveryOptions {
  clock: Clock;
  log: Log;
  home: Home;
  db: Pick<StateDb, "copy">;
  startAnew: () => void;
}

/** Does nothing where the hub has its file. */
export function watchForDisk({ clock, log, home, db: { copy }, startAnew }: DiskRecoveryOptions): Disposable {
  if (copy === undefined) return { [Symbol.dispose]() {} };
  const timer = clock.every("disk recovery", LOOK_EVERY_MS, () => {
    if (probeStorage(home.data) !== undefined) return;
    try {
      // To see that it works; what comes until the hub has ended is written by `keepCopy`.
      copy.writeBack();
    } catch (error) {
      // What replaced the file is what the hub is to run from.
      if (systemCode(error) !== "conflict") {
        log.warn("the disk can be written again, but the state database cannot", { error: messageOf(error) });
        return;
      }
    }
    timer[Symbol.dispose]();
    log.info("the disk can be written again: the hub starts anew from it");
    startAnew();
  });
  return timer;
}

/** What the copy in memory holds, as the hub ends: into the file, or reported as lost. */
export function keepCopy(copy: StateCopy, log: Log): void {
  const lost = copy.changedTables();
  if (lost.length === 0) return;
  try {
    copy.writeBack();
  } catch (error) {
    log.error("what happened while the disk took no writes could not be kept", {
      lost: lost.map((table) => table.replaceAll("_", " ")),
      error: messageOf(error),
    });
  }
}
