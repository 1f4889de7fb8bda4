// The time as the hub has it. Tablets on walls are often wrong by minutes, and a timer must not be.
import type { ReadonlySignal } from "@preact/signals";
import { createMoment } from "../../browser/now.ts";

const TRUSTED_MS = 2000;

interface HubClock {
  /** Takes the `Date` of an answer, which has whole seconds. */
  noteHubTime(date: string | null): void;
  hubNow(): number;
  /** The hub's time; moves once a second while somebody looks. */
  seconds: ReadonlySignal<number>;
}

export function createHubClock(): HubClock {
  let aheadMs = 0;
  const hubNow = (): number => Date.now() + aheadMs;
  return {
    noteHubTime(date) {
      const at = date === null ? Number.NaN : Date.parse(date);
      if (Number.isNaN(at)) return;
      const difference = at - Date.now();
      aheadMs = Math.abs(difference) > TRUSTED_MS ? difference : 0;
    },
    hubNow,
    seconds: createMoment(1000, hubNow),
  };
}

export const { noteHubTime, hubNow, seconds } = createHubClock();
