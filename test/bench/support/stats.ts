// Medians and percentiles.

/** NaN of nothing. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Nearest rank. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.ceil((percent / 100) * sorted.length);
  return sorted[Math.max(0, rank - 1)] ?? Number.NaN;
}
