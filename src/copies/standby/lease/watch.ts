// The lease as the machine sees it that does not have it: asked for each second, taken when its owner says so.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { LeaseEngine, LeaseRow, Machine, Taken } from "./lease.ts";

export interface WatchOptions {
  engine: LeaseEngine;
  machine: Machine;
  ttlMs: number;
  /** The last epoch that this machine knows of. */
  knownEpoch: number;
  /** The lease as this machine knows it from before: its own, where it could not renew it in time. */
  last?: LeaseRow | undefined;
  clock: Clock;
  log: Log;
  /** After each reading; must not throw. */
  onReading?: () => void;
}

export interface LeaseWatch extends AsyncDisposable {
  /** As of the last reading; undefined before the first one, and where the engine has none. */
  readonly row: LeaseRow | undefined;
  /**
   * As of the last reading: `take` is likely to succeed. It has ended and names this machine as its standby, or it is this machine's.
   * Also where the engine has lost the row, as long as the last one was like that.
   */
  readonly canTake: boolean;
  /** Why the last reading or taking failed; undefined where it did not. */
  readonly trouble: string | undefined;
  /** For how long it could not be read; 0 where it could. */
  readonly goneMs: number;
  /** The greatest epoch that was seen. */
  readonly knownEpoch: number;
  /** Undefined where the engine could not be asked, or has lost the row and must be waited for: see `trouble`. Never rejects. */
  take(): Promise<Taken | undefined>;
}

const EVERY_MS = 1000;

export function watchLease({ engine, machine, ttlMs, clock, log, ...options }: WatchOptions): LeaseWatch {
  const { onReading } = options;
  let knownEpoch = options.knownEpoch;
  let row: LeaseRow | undefined;
  // The last one that was there.
  let lastRow = options.last;
  let trouble: string | undefined;
  let goneSince: number | undefined;
  let isOver = false;
  let timer: Timer | undefined;
  let reading: Promise<void> | undefined;

  function see(found: LeaseRow | undefined): void {
    row = found;
    if (!found) return;
    lastRow = found;
    knownEpoch = Math.max(knownEpoch, found.epoch);
  }

  async function read(): Promise<void> {
    try {
      see(await engine.read());
      if (goneSince !== undefined) log.info("the lease can be read again", { engine: engine.url });
      [trouble, goneSince] = [undefined, undefined];
    } catch (error) {
      trouble = messageOf(error);
      if (goneSince === undefined) log.warn("the lease cannot be read", { engine: engine.url, why: trouble });
      goneSince ??= clock.mono();
    }
    if (!isOver) onReading?.();
  }

  function schedule(waitMs: number): void {
    timer = clock.after("lease", waitMs, () => {
      reading = read();
      void reading.then(() => !isOver && schedule(EVERY_MS));
    });
  }

  schedule(0);
  return {
    get row() {
      return row;
    },
    get canTake() {
      if (goneSince !== undefined || !lastRow) return false;
      if (lastRow.holder.id === machine.id) return true;
      return lastRow.standby === machine.id && (row === undefined || row.leftMs === 0);
    },
    get trouble() {
      return trouble;
    },
    get goneMs() {
      return goneSince === undefined ? 0 : clock.mono() - goneSince;
    },
    get knownEpoch() {
      return knownEpoch;
    },
    async take() {
      try {
        const taken = await engine.take(machine, ttlMs, knownEpoch);
        if (!taken.ok) see(taken.row);
        return taken;
      } catch (error) {
        trouble = messageOf(error);
        return undefined;
      }
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      timer?.[Symbol.dispose]();
      await reading;
    },
  };
}
