// A virtual clock for whole days in a house whose files nobody edits. Looking at their folders would be most of the work of such
// a day, and so would letting promises settle after each of ten timers that are due in the same second.
import type { Timer } from "../../src/kit/time/clock.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

/** Timers of one period that are due at the same moments, in the order in which they were started. */
interface Group {
  readonly members: Set<() => void>;
  readonly timer: Timer;
}

const looksAtFolder = (name: string): boolean => name.startsWith("watch /");

export const createIdleClock = (start: number): VirtualClock => idle(createVirtualClock(start));

/** For what is started with it from now on. */
export function idle(clock: VirtualClock): VirtualClock {
  const groups = new Map<string, Group>();

  function startGroup(key: string, name: string, ms: number): Group {
    const members = new Set<() => void>();
    const timer = clock.every(name, ms, () => {
      for (const member of [...members]) if (members.has(member)) member();
    });
    const group = { members, timer };
    groups.set(key, group);
    return group;
  }

  function every(name: string, ms: number, fn: () => void): Timer {
    if (looksAtFolder(name)) return { name, [Symbol.dispose]() {} };
    const key = `${ms} from ${clock.mono() % ms}`;
    const group = groups.get(key) ?? startGroup(key, name, ms);
    const member = (): void => fn();
    group.members.add(member);
    return {
      name,
      [Symbol.dispose]() {
        group.members.delete(member);
        if (group.members.size > 0 || groups.get(key) !== group) return;
        group.timer[Symbol.dispose]();
        groups.delete(key);
      },
    };
  }

  return { ...clock, every };
}
