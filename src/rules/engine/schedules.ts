// Triggers that the clock sets off: hands their schedules to the scheduler, and keeps on disk how far each has run.

import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { RuleHost } from "../host.ts";
import { startScheduler } from "../schedule/scheduler.ts";
import type { Entry, TriggerRef } from "./entry.ts";
import type { RuleStore } from "./store.ts";

export interface Schedules extends Disposable {
  /** Nothing happens for triggers without a schedule, and for those that run already. */
  begin(ref: TriggerRef): void;
  /** For good: what it missed is none of its own when it comes back. */
  end(entry: Entry, key: string): void;
  /** Forgets how far those ran that are not there any more. */
  forgetOthers(): void;
}

export interface SchedulesOptions {
  clock: Clock;
  log: Log;
  host: RuleHost;
  store: Pick<RuleStore, "marks" | "saveMark" | "dropMark" | "flush">;
  /** `at`: the moment it was due, epoch ms. */
  onDue(entry: Entry, key: string, at: number): void;
}

// A schedule that runs less often than this is on disk before it runs; a crash costs others no more than the last batch.
const OFTEN_MS = 5 * 60_000;

export function createSchedules({ clock, log, host, store, onDue }: SchedulesOptions): Schedules {
  const marks = new Map(store.marks().map(({ id, at }) => [id, at]));
  const running = new Set<string>();
  const scheduler = startScheduler({
    clock,
    log,
    mark: {
      load: (id) => marks.get(id),
      save(id, at) {
        const rare = at - (marks.get(id) ?? 0) >= OFTEN_MS;
        marks.set(id, at);
        store.saveMark({ id, at: Math.floor(at) });
        if (rare && running.has(id)) store.flush();
      },
    },
  });

  function forget(id: string): void {
    if (marks.delete(id)) store.dropMark(id);
  }

  return {
    begin(ref) {
      const { entry, key, spec, definition } = ref;
      if (!definition.schedule || entry.schedules.has(key)) return;
      const id = idOf(entry, key);
      try {
        const task = {
          catchUpSecs: entry.rule.catch_up_secs ?? 0,
          onDue: (at: number) => onDue(entry, key, at),
        };
        entry.schedules.set(key, scheduler.add(id, definition.schedule(spec, host), task));
        running.add(id);
      } catch (error) {
        entry.lastError = { at: clock.now(), message: messageOf(error) };
        log.error("a trigger's times cannot be told; it will not fire", {
          rule: entry.rule.name,
          trigger: definition.type,
          error: messageOf(error),
        });
      }
    },
    end(entry, key) {
      const schedule = entry.schedules.get(key);
      if (!schedule) return;
      schedule[Symbol.dispose]();
      entry.schedules.delete(key);
      running.delete(idOf(entry, key));
      forget(idOf(entry, key));
    },
    forgetOthers() {
      for (const id of [...marks.keys()]) if (!running.has(id)) forget(id);
    },
    [Symbol.dispose]: () => scheduler[Symbol.dispose](),
  };
}

function idOf({ rule }: Entry, key: string): string {
  return `${rule.id}/${key}`;
}
