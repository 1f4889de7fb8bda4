// Keeps the lease's word on which machine may take over.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { LeaseHolder } from "../lease/lease.ts";

export interface Naming extends Disposable {
  /** The machine's id; undefined: none may. Where the engine cannot be reached, it is tried again. */
  name(id: string | undefined): void;
}

export interface NamingOptions {
  leaseHolder: Pick<LeaseHolder, "nameStandby" | "standby"> | undefined;
  clock: Pick<Clock, "after">;
  log: Pick<Log, "warn">;
}

const RETRY_MS = 5000;

export function createNaming({ leaseHolder, clock, log }: NamingOptions): Naming {
  let wanted: string | undefined;
  let isNaming = false;
  let isEnded = false;
  let again: Timer | undefined;
  let failed = false;

  async function publish(): Promise<void> {
    if (!leaseHolder || isNaming || isEnded || leaseHolder.standby === wanted) return;
    isNaming = true;
    again?.[Symbol.dispose]();
    try {
      await leaseHolder.nameStandby(wanted);
      failed = false;
    } catch (error) {
      if (!failed) log.warn("the lease does not name the standby yet; it is tried again", { error: messageOf(error) });
      failed = true;
    } finally {
      isNaming = false;
    }
    if (leaseHolder.standby !== wanted && !isEnded) again = clock.after("standby-name", RETRY_MS, () => void publish());
  }

  return {
    name(id) {
      wanted = id;
      void publish();
    },
    [Symbol.dispose]() {
      isEnded = true;
      again?.[Symbol.dispose]();
    },
  };
}
