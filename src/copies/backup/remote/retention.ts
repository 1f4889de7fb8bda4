// Which copies are kept: of each of the last days, weeks and months that have one, the newest. Days are those of UTC.
import type { CopyName } from "./copy-names.ts";

export interface Keep {
  daily: number;
  weekly: number;
  monthly: number;
}

export interface RetentionOptions {
  keep: Keep;
  /** Epoch ms. */
  now: number;
  /** This hub: copies of another one that is still making some are never given up. */
  hub: string;
  /** Kept in any case: what was copied last, to which a clock that was set back gave an old date. */
  spare: readonly string[];
}

const DAY_MS = 86_400_000;
/** A clock that shows less is wrong. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
/** Another hub that made none for so long is gone: after a restore on a new machine, its copies grow old like one's own. */
const GONE_AFTER_MS = 7 * DAY_MS;

/**
 * The names of the copies that may be removed. None while the clock is certainly wrong. Those of the future come from a clock that
 * was ahead: they take nobody's place, and go as soon as there are as many good ones as days are kept.
 */
export function surplusOf(copies: readonly CopyName[], { keep, now, hub, spare }: RetentionOptions): string[] {
  if (now < EARLIEST_MS) return [];
  const alive = otherHubs(copies, { hub, now });
  const isFuture = ({ at }: CopyName): boolean => at > now + DAY_MS;
  const dated = copies.filter((copy) => !isFuture(copy)).sort((a, b) => b.at - a.at);
  const kept = new Set([
    ...newestOfEach(dated, keep.daily, dayOf),
    ...newestOfEach(dated, keep.weekly, weekOf),
    ...newestOfEach(dated, keep.monthly, monthOf),
  ]);
  const days = new Set(dated.map(({ at }) => dayOf(at))).size;
  const future = days >= keep.daily ? copies.filter(isFuture) : [];
  return [...dated.filter((copy) => !kept.has(copy)), ...future]
    .filter((copy) => !alive.includes(copy.hub) && !spare.includes(copy.name))
    .map(({ name }) => name);
}

/** Other hubs that save this house now: they have made copies since this one began to, within the last week. */
export function otherHubs(copies: readonly CopyName[], { hub, now }: Pick<RetentionOptions, "hub" | "now">): string[] {
  const begun = Math.min(...copies.filter((copy) => copy.hub === hub).map(({ at }) => at));
  const others = copies.filter((copy) => copy.hub !== hub && copy.at > begun && copy.at > now - GONE_AFTER_MS);
  return [...new Set(others.map((copy) => copy.hub))];
}

function newestOfEach(newestFirst: readonly CopyName[], most: number, spanOf: (at: number) => number): CopyName[] {
  const found = new Map<number, CopyName>();
  for (const copy of newestFirst) {
    const span = spanOf(copy.at);
    if (!found.has(span) && found.size < most) found.set(span, copy);
  }
  return [...found.values()];
}

const dayOf = (at: number): number => Math.floor(at / DAY_MS);
/** 1 January 1970 was a Thursday; weeks begin on Mondays. */
const weekOf = (at: number): number => Math.floor((dayOf(at) + 3) / 7);
const monthOf = (at: number): number => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth();
