// A command whose answer is waited for by a clock that only the test moves.
import type { VirtualClock } from "./virtual-clock.ts";
import { until } from "./wait.ts";

/** Lets the second pass that the hub waits for a device, unless the device answers before. */
export async function unanswered<T>(clock: VirtualClock, answer: Promise<T>): Promise<T> {
  let isDone = false;
  void answer
    .catch(() => {})
    .finally(() => {
      isDone = true;
    });
  await until("it is waited for", () => isDone || clock.pending().includes("command outcome"));
  if (!isDone) await clock.advance(1_000);
  return answer;
}
