// Gives memory back when it is no longer needed: what only the start used, and what a busy time left behind. The engine keeps both
// for the next busy time, which suits a server that is never quiet; a house is quiet nearly always.
import { gcAndSweep } from "bun:jsc";
import type { Clock, Timer } from "../../kit/time/clock.ts";

/** By the first look plugins have started and the first clients have reconnected. */
const LOOK_MS = 5000;
/** So long, right before it releases, the process must still be quiet: work may have begun after a quiet time. */
const CALM_MS = 500;
/** CPU time. Releasing takes a moment in which nothing else happens, and discards compiled code. */
const QUIET_SHARE = 0.1;
/** Less is not worth the moment, and comes and goes with every collection of garbage. */
const GROWN_BYTES = 6 * 1_048_576;
/** Threads that still finish their work give their memory back only the second time. */
const TRIES = 2;

export interface ProcessMemory {
  /** Resident bytes. */
  resident(): number;
  /** Of all threads, since the start. */
  cpuMs(): number;
  /** What it gives back may go a little later. */
  release(): void;
  /** Collects all garbage now. */
  collect(): void;
}

/** Releases memory whenever the process has grown since the last time and is quiet. */
export function startMemoryRelease(clock: Clock, memory: Omit<ProcessMemory, "collect">): Disposable {
  let cpuBefore = memory.cpuMs();
  let rest = 0;
  let tries = 0;
  let calming: Timer | undefined;

  const looking = clock.every("memory-release", LOOK_MS, function look() {
    const cpu = memory.cpuMs();
    const quiet = cpu - cpuBefore <= LOOK_MS * QUIET_SHARE;
    cpuBefore = cpu;
    const resident = memory.resident();
    if (resident < rest + GROWN_BYTES) {
      rest = Math.min(rest, resident);
      tries = 0;
    } else if (quiet && tries < TRIES) {
      calming?.[Symbol.dispose]();
      calming = clock.after("memory-release", CALM_MS, () => releaseIfCalm(cpu));
    } else if (quiet) {
      // What was not given back is in use.
      rest = resident;
      tries = 0;
    }
  });

  function releaseIfCalm(cpuThen: number): void {
    if (memory.cpuMs() - cpuThen > CALM_MS * QUIET_SHARE) return;
    tries++;
    memory.release();
  }

  return {
    [Symbol.dispose]() {
      looking[Symbol.dispose]();
      calming?.[Symbol.dispose]();
    },
  };
}

/** `releaseParts` gives back what the engine does not know of. */
export function processMemory(releaseParts: () => void): ProcessMemory {
  return {
    resident: () => process.memoryUsage.rss(),
    cpuMs() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    release() {
      releaseParts();
      // Collects garbage and discards compiled code as soon as the engine is idle. It calls the function deprecated, and has no other.
      Bun.shrink();
    },
    // With the sweep, as what is not swept yet is not free for what comes next.
    collect: () => void gcAndSweep(),
  };
}

const REGULAR_LOOK_MS = 1000;
/** While it is large. */
const BUSY_LOOK_MS = 50;
/** Below it the engine is left alone: a house gets here only under a flood, or with very many devices. */
const LARGE_BYTES = 192 * 1_048_576;
/** Since the last collection. Also a part of what is resident then: what is in use takes its time to look through. */
const BUSY_GROWN_BYTES = 24 * 1_048_576;
const GROWN_PART = 1 / 12;
/** Nothing else happens during a collection: the next one waits for so many times as long as the last took. */
const PAUSES = 5;

/**
 * Collects garbage while the hub is busy and large. The engine looks at what has lived for a while only once its heap is two or three times
 * what it was: with large messages from many clients that is hundreds of mebibytes of messages that nobody has any more.
 */
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
    if (began < nextAt || resident < rest + Math.max(BUSY_GROWN_BYTES, rest * GROWN_PART)) return;
    memory.collect();
    const ended = clock.mono();
    nextAt = ended + PAUSES * (ended - began);
    rest = memory.resident();
  }

  const looking = clock.every("busy-collection", REGULAR_LOOK_MS, () => {
    if (!busy) look();
  });
  return {
    [Symbol.dispose]() {
      looking[Symbol.dispose]();
      busy?.[Symbol.dispose]();
    },
  };
}
