// What each engine of the lease needs. engines.ts opens them by it.

import type { RandomBytes } from "../../../kit/schema/ids.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { StandbySection } from "../config.ts";

export interface EngineOptions {
  lease: string;
  config: StandbySection;
  /** The text of the file `ca`. */
  ca: string | undefined;
  /** An answer is not waited for any longer: a renewal that hangs leaves time for two more. */
  withinMs: number;
  clock: Clock;
  random: RandomBytes;
}
