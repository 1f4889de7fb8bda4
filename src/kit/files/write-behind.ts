// Writes changed items in batches, at most one per period, and less often if the write budget says so. What cannot be written
// stays in memory and is retried.
import type { Log } from "../lifecycle/log.ts";
import { messageOf } from "../schema/errors.ts";
import type { Clock, Timer } from "../time/clock.ts";
import type { StorageTrouble } from "./storage-fault.ts";
import type { WriteBudget } from "./write-budget.ts";

export interface WriteBehind<T> extends Disposable {
  mark(item: T): void;
  forget(item: T): void;
  /** Writes the marked items now; false if that failed. */
  flush(): boolean;
  /** Since when writing fails, in epoch ms; undefined if it does not. */
  failingSince(): number | undefined;
}

export type DiskBudget = Pick<WriteBudget, "allows" | "enlist">;

export interface WriteBehindOptions<T> {
  clock: Clock;
  log: Log;
  /** Undefined: only when `flush` is called. */
  periodMs?: number;
  write: (items: Iterable<T>) => void;
  /** What is written, for the log. */
  what?: string;
  /** Decides when a batch may be written; without one, always. */
  budget?: DiskBudget;
  trouble: Pick<StorageTrouble, "note">;
}

export function startWriteBehind<T>({
  clock,
  log,
  periodMs,
  write,
  what = "device state",
  budget,
  trouble,
}: WriteBehindOptions<T>): WriteBehind<T> {
  const marked = new Set<T>();
  let waitingSince = 0;
  let failing: number | undefined;

  function flush(): boolean {
    if (marked.size === 0) return true;
    try {
      write(marked);
      marked.clear();
      if (failing !== undefined) log.info(`${what} is written again`, { since: new Date(failing).toISOString() });
      failing = undefined;
    } catch (error) {
      trouble.note(error);
      // Logged once, not every second: the log may be on the same full disk.
      if (failing === undefined) {
        log.error(`${what} cannot be written; it is kept in memory and retried`, { error: messageOf(error) });
        failing = clock.now();
      }
    }
    return failing === undefined;
  }

  /** Runs only while something is marked: an idle hub sleeps. */
  let timer: Timer | undefined;
  function writeLater(): void {
    if (periodMs === undefined) return;
    timer ??= clock.after("write-behind", periodMs, () => {
      timer = undefined;
      if (marked.size > 0 && (budget?.allows(clock.mono() - waitingSince) ?? true)) flush();
      if (marked.size > 0) writeLater();
    });
  }
  const enlisted = budget?.enlist(flush);
  return {
    mark(item) {
      if (marked.size === 0) waitingSince = clock.mono();
      marked.add(item);
      writeLater();
    },
    forget: (item) => void marked.delete(item),
    flush,
    failingSince: () => failing,
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      enlisted?.[Symbol.dispose]();
      if (!flush()) log.error(`${what} could not be kept`, { changes: marked.size });
    },
  };
}
