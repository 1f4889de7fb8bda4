// Triggers that the clock fires: passes their schedules to the scheduler, and stores up to which moment each has run.
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { HouseReads } from "../../model/host.ts";
import { startScheduler } from "../../schedule/scheduler.ts";
import type { Entry, TriggerRef } from "../entry.ts";
import type { RuleStore } from "../store.ts";

export interface Schedules extends Disposable {
  /** Does nothing for a trigger without a schedule, or one that is already running. */
  start(ref: TriggerRef): void;
  /** Also deletes the mark: if the trigger comes back, it does not catch up. */
  stop(entry: Entry, key: string): void;
  /** Deletes the marks of triggers that no longer exist. */
  deleteStaleMarks(): void;
}

export interface SchedulesOptions {
  clock: Clock;
  log: Log;
  host: HouseReads;
  store: Pick<RuleStore, "marks" | "saveMark" | "dropMark" | "flush">;
  /** `at`: when it was due, epoch ms. */
  onDue(entry: Entry, key: string, at: number): void;
}

// A schedule that runs less often than this is stored before it runs. For others, a crash loses at most the last batch.
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

  function deleteMark(id: string): void {
    if (marks.delete(id)) store.dropMark(id);
  }

  return {
    start(ref) {
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
        log.error("the schedule of a trigger cannot be computed; it will not fire", {
          rule: entry.rule.name,
          trigger: definition.type,
          error: messageOf(error),
        });
      }
    },
    stop(entry, key) {
      const schedule = entry.schedules.get(key);
      if (!schedule) return;
      schedule[Symbol.dispose]();
      entry.schedules.delete(key);
      running.delete(idOf(entry, key));
      deleteMark(idOf(entry, key));
    },
    deleteStaleMarks() {
      for (const id of [...marks.keys()]) if (!running.has(id)) deleteMark(id);
    },
    [Symbol.dispose]: () => scheduler[Symbol.dispose](),
  };
}

function idOf({ rule }: Entry, key: string): string {
  return `${rule.id}/${key}`;
}
