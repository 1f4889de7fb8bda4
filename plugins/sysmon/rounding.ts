// Rounding. Every change is an event and a row of history, so no figure is finer than a person has use for.

/** To the nearest multiple of `step`: `roundTo(61.27, 0.5)` is 61.5. */
export function roundTo(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toFixed(3));
}

export function percent(part: number, whole: number): number {
  return whole > 0 ? Math.min(100, Math.max(0, Math.round((100 * part) / whole))) : 0;
}
