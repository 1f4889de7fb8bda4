// Times as people enter them, by the clocks in the house.

const DAY_MS = 86_400_000;

/**
 * When `wallClock` shows this, in epoch ms; NaN where it is no time. Of an hour that comes twice, the first; one that
 * clocks jump over is as much later.
 */
export function momentAt(local: string, wallClock: (at: number) => string): number {
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc)) return Number.NaN;
  const ahead = (at: number): number => Date.parse(`${wallClock(at)}Z`) - at;
  const [before, after] = [asUtc - ahead(asUtc - DAY_MS), asUtc - ahead(asUtc + DAY_MS)];
  const shown = [before, after].filter((at) => at + ahead(at) === asUtc);
  return shown.length === 0 ? before : Math.min(...shown);
}
