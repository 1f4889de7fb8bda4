// Since when the journal of readings cannot be kept. A disk that takes bytes may still refuse to sync them: what failed must work again
// itself, or a worn card would be said to fail and to work at each try.
import type { Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import type { Clock } from "../../kit/time/clock.ts";

export type JournalStep = "write" | "sync";

export interface JournalFaults {
  /** Since when something fails, in epoch ms; undefined where all works. */
  readonly since: number | undefined;
  failed(step: JournalStep, error: unknown): void;
  works(step: JournalStep): void;
}

export function createJournalFaults({ clock, log }: { clock: Clock; log: Log }): JournalFaults {
  const failing = new Set<JournalStep>();
  let since: number | undefined;
  return {
    get since() {
      return since;
    },
    failed(step, error) {
      failing.add(step);
      // Logged once, not at each try: the log may be on the same full disk.
      if (since === undefined)
        log.error("readings cannot be written; they are kept in memory and retried", { error: messageOf(error) });
      since ??= clock.now();
    },
    works(step) {
      if (!failing.delete(step) || failing.size > 0 || since === undefined) return;
      log.info("readings are written again", { since: new Date(since).toISOString() });
      since = undefined;
    },
  };
}
