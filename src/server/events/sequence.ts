// Event numbers that only grow, across restarts, power cuts and clocks that step back.
import type { Clock } from "../../kit/time/clock.ts";

/** Stores the greatest number that is reserved. */
export interface SequenceMark {
  load(): number;
  /** Must be durable when it returns. */
  save(mark: number): void;
}

export interface Sequence {
  /** The last number given out, or the one before the first. */
  readonly current: number;
  next(): number;
}

// A block is reserved with one write: the next write comes after a million events.
const BLOCK = 1_000_000;
const RETRY_BLOCK = 10_000;

/**
 * Starts at the clock (microseconds, below 2^53 until the year 2255) or after the stored mark, whichever is greater. Reserves nothing
 * before the first number is given out: until then a start writes nothing.
 */
export function createSequence(clock: Clock, mark: SequenceMark): Sequence {
  let current = Math.max(Math.floor(clock.now()) * 1000, mark.load());
  let reserved = current;
  // A full disk must not stop events; the clock alone then makes the numbers grow over a restart.
  function reserve(): void {
    reserved = current + BLOCK;
    try {
      mark.save(reserved);
    } catch {
      reserved = current + RETRY_BLOCK;
    }
  }

  return {
    get current() {
      return current;
    },
    next() {
      current++;
      if (current >= reserved) reserve();
      return current;
    },
  };
}
