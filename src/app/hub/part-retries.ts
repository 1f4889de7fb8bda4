// Tries parts that are off again, one at a time, when their time has come: the hub starts again in the same process, with that part.
// A part cannot join a hub that runs, as the others were handed what stands in its place.
import type { Log } from "../../kit/lifecycle/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { StartWatch } from "../../server/system/starts.ts";

const LOOK_MS = 5000;

export interface PartRetriesOptions {
  clock: Clock;
  log: Log;
  watch: Pick<StartWatch, "due" | "tryAgain">;
  restart: () => void;
}

export function retryParts({ clock, log, watch, restart }: PartRetriesOptions): Disposable {
  return clock.every("parts that are off", LOOK_MS, () => {
    const part = watch.due();
    if (part === undefined) return;
    log.info("a part that is off is tried again: the hub starts again with it", { part });
    watch.tryAgain(part);
    restart();
  });
}
