// The present moment, for what shows how long ago something was. It stands still while nobody looks.
import { signal } from "@preact/signals";

const STEP_MS = 5000;

export const now = signal(Date.now());

function step(): void {
  if (document.visibilityState === "visible") now.value = Date.now();
}
setInterval(step, STEP_MS);
document.addEventListener("visibilitychange", step);
