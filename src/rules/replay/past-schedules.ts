// When the schedules of a rule were due. Their moments are computed, so none is late and none is missed.
import type { TriggerRef } from "../engine/entry.ts";
import type { Schedules } from "../engine/triggering/schedules.ts";
import type { HouseReads } from "../model/host.ts";
import type { Schedule } from "../schedule/schedule.ts";

export interface PastSchedules extends Schedules {
  /** Epoch ms. */
  due(): number | undefined;
  /** Those that are due by then, in the order of the rule; each is planned anew. */
  take(now: number): { ref: TriggerRef; at: number }[];
}

interface Planned {
  readonly ref: TriggerRef;
  readonly schedule: Schedule;
  at: number | undefined;
}

/** `from` is included. */
export function createPastSchedules(host: HouseReads, from: number): PastSchedules {
  const planned: Planned[] = [];
  return {
    start(ref) {
      const schedule = ref.definition.schedule?.(ref.spec, host);
      if (schedule) planned.push({ ref, schedule, at: schedule.next(from - 1) });
    },
    stop() {},
    deleteStaleMarks() {},
    due: () => planned.reduce<number | undefined>((first, { at }) => earlier(first, at), undefined),
    take(now) {
      return planned.flatMap((one) => {
        const { ref, schedule, at } = one;
        if (at === undefined || at > now) return [];
        one.at = schedule.next(at);
        return [{ ref, at }];
      });
    },
    [Symbol.dispose]() {},
  };
}

export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}
