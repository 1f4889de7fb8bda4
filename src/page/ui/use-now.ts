// The present moment in steps of a second, for ages and countdowns. It stands still while nobody looks.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const STEP_MS = 1000;
const moment = signal(Date.now());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function step(): void {
  if (document.visibilityState === "visible") moment.value = Date.now();
}

/** Epoch ms; draws again each second. */
export function useNow(): number {
  useEffect(() => {
    watchers++;
    timer ??= setInterval(step, STEP_MS);
    return () => {
      watchers--;
      if (watchers > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return moment.value;
}
