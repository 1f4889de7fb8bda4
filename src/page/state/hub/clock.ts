// The time as the hub has it. Tablets on walls are often wrong by minutes, and a timer must not be.
import { signal } from "@preact/signals";

const TRUSTED_MS = 2000;
let aheadMs = 0;

/** Takes the `Date` of an answer, which has whole seconds. */
export function noteHubTime(date: string | null): void {
  const at = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(at)) return;
  const difference = at - Date.now();
  aheadMs = Math.abs(difference) > TRUSTED_MS ? difference : 0;
}

export function hubNow(): number {
  return Date.now() + aheadMs;
}

let ticking: ReturnType<typeof setInterval> | undefined;

/** The hub's time; moves once a second while somebody looks. */
export const seconds = signal(Date.now(), {
  watched() {
    seconds.value = hubNow();
    ticking = setInterval(() => {
      seconds.value = hubNow();
    }, 1000);
  },
  unwatched() {
    clearInterval(ticking);
  },
});
