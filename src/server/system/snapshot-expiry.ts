// Removes the databases from before an upgrade when the version that followed has been well for a day.
import { guarded } from "../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../kit/lifecycle/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Home } from "../home/paths.ts";
import { keptSnapshot } from "./snapshot.ts";

const LOOK_MS = 10 * 60_000;
const DAY_SECS = 24 * 3600;

export interface SnapshotExpiryOptions {
  home: Home;
  clock: Clock;
  log: Log;
  isWell: () => boolean;
}

/** Time that the hub is off does not count; being unwell begins the day anew. */
export function startSnapshotExpiry({ home, clock, log, isWell }: SnapshotExpiryOptions): Disposable {
  let last = clock.mono();
  return clock.every(
    "snapshot",
    LOOK_MS,
    guarded(log, "snapshot", () => {
      const now = clock.mono();
      const passed = (now - last) / 1000;
      last = now;
      const kept = keptSnapshot(home);
      if (!kept) return;
      const well = isWell() ? kept.wellSecs + passed : 0;
      if (well < DAY_SECS) return kept.noteWell(Math.round(well));
      kept.remove();
      log.info("this version has been well for a day: the databases from before it are not kept any more", {
        of: kept.version,
      });
    }),
  );
}
