// The house's own time, which may run faster than everybody else's.

export interface HouseClock {
  /** Seconds; a multiple of 86,400 is a midnight. */
  now(): number;
  /** Real milliseconds until that time, at least 1. */
  msUntil(secs: number): number;
}

export interface HouseClockOptions {
  startSecs: number;
  /** Simulated seconds for each real one. */
  speed: number;
  /** Time that only moves forward; the machine's date may jump. */
  monotonicMs(): number;
}

export function createHouseClock({ startSecs, speed, monotonicMs }: HouseClockOptions): HouseClock {
  const startMs = monotonicMs();
  const now = () => startSecs + ((monotonicMs() - startMs) / 1000) * speed;
  return {
    now,
    msUntil: (secs) => Math.max(1, Math.ceil(((secs - now()) / speed) * 1000)),
  };
}

/** This machine's local time, as a house counts it. */
export function localSecs(date: Date): number {
  return date.getTime() / 1000 - date.getTimezoneOffset() * 60;
}
