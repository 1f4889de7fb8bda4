// The present moment, in steps, for ages, countdowns and clocks. It stands still while nobody looks.
import { type ReadonlySignal, signal } from "@preact/signals";

/** `read`: another clock than the browser's. */
export function createMoment(stepMs: number, read: () => number = Date.now): ReadonlySignal<number> {
  let timer: ReturnType<typeof setInterval> | undefined;
  function step(): void {
    if (document.visibilityState === "visible") moment.value = read();
  }
  const moment = signal(read(), {
    watched() {
      step();
      timer = setInterval(step, stepMs);
      document.addEventListener("visibilitychange", step);
    },
    unwatched() {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", step);
    },
  });
  return moment;
}

/** Epoch ms, each second. */
export const secondsNow = createMoment(1000);
/** Epoch ms, for what is as well a little late. */
export const now = createMoment(5000);
