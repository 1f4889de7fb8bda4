// A hub whose disk took nothing at the start runs from a copy in memory. Here it waits for the disk, writes down how things
// stand, and starts anew from the file.
import type { Clock } from "../core/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { probeStorage } from "../core/storage-fault.ts";
import { openStateDb, type StateDb } from "../db/state-db.ts";
import type { Home } from "../home/paths.ts";
import { createDeviceStore } from "../state/device-store.ts";
import type { Registry } from "../state/registry.ts";

const LOOK_EVERY_MS = 10_000;

export interface DiskRecoveryOptions {
  clock: Clock;
  log: Log;
  home: Home;
  db: Pick<StateDb, "unwritable">;
  registry: Pick<Registry, "list">;
  /** Puts into the file what the hub has in memory alone. */
  keep: (file: StateDb) => void;
  startAnew: () => void;
}

/** Does nothing where the hub has its file. */
export function watchForDisk({ clock, log, home, db, registry, keep, startAnew }: DiskRecoveryOptions): Disposable {
  if (db.unwritable === undefined) return { [Symbol.dispose]() {} };
  const timer = clock.every("disk recovery", LOOK_EVERY_MS, () => {
    if (probeStorage(home.data) !== undefined) return;
    try {
      using file = openStateDb(home.stateDb, clock.now);
      if (file.unwritable !== undefined) return;
      createDeviceStore(file).saveStates(registry.list());
      keep(file);
    } catch (error) {
      log.warn("the disk can be written again, but the state database cannot be opened", { error: messageOf(error) });
      return;
    }
    timer[Symbol.dispose]();
    log.info("the disk can be written again: the hub starts anew from it");
    startAnew();
  });
  return timer;
}
