// If the disk could not be written at the start, the hub runs from a copy in memory. This waits for the disk, writes the copy
// back, and restarts the hub from the file.
import { probeStorage } from "../../../kit/files/storage-fault.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf, systemCode } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { StateCopy, StateDb } from "../../../server/db/state-db.ts";
import type { Home } from "../../../server/home/paths.ts";

const PROBE_EVERY_MS = 10_000;

export interface DiskRecoveryOptions {
  clock: Clock;
  log: Log;
  home: Home;
  db: Pick<StateDb, "copy">;
  restart: () => void;
}

/** Does nothing if the hub runs from its file. */
export function watchForDisk({ clock, log, home, db: { copy }, restart }: DiskRecoveryOptions): Disposable {
  if (copy === undefined) return { [Symbol.dispose]() {} };
  const timer = clock.every("disk recovery", PROBE_EVERY_MS, () => {
    if (probeStorage(home.data) !== undefined) return;
    try {
      // A trial: what is written until the hub has stopped is kept by `keepCopy`.
      copy.writeBack();
    } catch (error) {
      // On a conflict another file is in its place, and the hub shall run from that one.
      if (systemCode(error) !== "conflict") {
        log.warn("the disk can be written again, but the state database cannot", { error: messageOf(error) });
        return;
      }
    }
    timer[Symbol.dispose]();
    log.info("the disk can be written again: the hub restarts from it");
    restart();
  });
  return timer;
}

/** To be called while the hub stops: writes the copy in memory to the file, or reports it as lost. */
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
