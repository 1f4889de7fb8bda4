// Counts how often a rule fires, and says when that is too often to be meant.

export interface FiringRate {
  windowStart: number;
  /** Set off by whatever. */
  fired: number;
  /** Set off by what rules did. */
  caused: number;
}

const WINDOW_MS = 10_000;
const MOST_CAUSED = 50;
// A power meter that reports ten times a second is no fault of the rule that reads it.
const MOST_FIRED = 500;

export function createFiringRate(): FiringRate {
  return { windowStart: Number.NEGATIVE_INFINITY, fired: 0, caused: 0 };
}

/** Counts one firing; what is wrong with it where there were too many. */
export function countFiring(rate: FiringRate, mono: number, caused: boolean): string | undefined {
  if (mono - rate.windowStart >= WINDOW_MS) Object.assign(rate, { windowStart: mono, fired: 0, caused: 0 });
  rate.fired++;
  if (caused) rate.caused++;
  if (rate.caused > MOST_CAUSED) return `rules set it off more than ${MOST_CAUSED} times within ${WINDOW_MS / 1000} s`;
  if (rate.fired > MOST_FIRED) return `it fired more than ${MOST_FIRED} times within ${WINDOW_MS / 1000} s`;
  return undefined;
}
