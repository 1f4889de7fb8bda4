// Collects garbage while the hub is busy and large. The engine looks at what has lived for a while only once its heap is two or three
// times what it was: with large messages from many clients that is hundreds of mebibytes of messages that nobody has any more.
// What is left behind by a busy time is memory-release.ts's.
import type { Clock, Timer } from "../../kit/time/clock.ts";
import type { ProcessMemory } from "./memory-release.ts";

const LOOK_MS = 1000;
/** While it is large. */
const BUSY_LOOK_MS = 50;
/** Below it the engine is left alone: a house gets here only under a flood, or with very many devices. */
const LARGE_BYTES = 192 * 1_048_576;
/** Since the last collection. Also a part of what is resident then: what is in use takes its time to look through. */
const GROWN_BYTES = 24 * 1_048_576;
const GROWN_PART = 1 / 12;
/** Nothing else happens during a collection: the next one waits for so many times as long as the last took. */
const PAUSES = 5;

export function startBusyCollection(clock: Clock, memory: Pick<ProcessMemory, "resident" | "collect">): Disposable {
  let rest = 0;
  let nextAt = 0;
  let busy: Timer | undefined;

  function look(): void {
    const resident = memory.resident();
    rest = Math.min(rest, resident);
    if (resident < LARGE_BYTES) {
      busy?.[Symbol.dispose]();
      busy = undefined;
      return;
    }
    busy ??= clock.every("busy-collection", BUSY_LOOK_MS, look);
    const began = clock.mono();
    if (began < nextAt || resident < rest + Math.max(GROWN_BYTES, rest * GROWN_PART)) return;
    memory.collect();
    const ended = clock.mono();
    nextAt = ended + PAUSES * (ended - began);
    rest = memory.resident();
  }

  const looking = clock.every("busy-collection", LOOK_MS, () => {
    if (!busy) look();
  });
  return {
    [Symbol.dispose]() {
      looking[Symbol.dispose]();
      busy?.[Symbol.dispose]();
    },
  };
}
