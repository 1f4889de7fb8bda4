// Warnings of lint for the list of rules: kept for a while, because thousands of rules are listed at once. A list spends a
// bounded time on it; what it does not get to is looked at right after it, in short steps.
import type { TextPosition } from "../../kit/schema/text-places.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { RuleShape } from "../parse/shape.ts";
import { type KnownHouse, type LintWarning, lintText } from "../read/lint.ts";
import type { ListedFile } from "./files.ts";
import { type GoodVersion, placeIn } from "./read-rule.ts";

export type LocatedWarning = LintWarning & TextPosition;

export interface LintCache {
  /** Of the version that runs; at worst as they were half a minute ago, or none yet. */
  of(entry: Pick<ListedFile, "good" | "text" | "problems">): readonly LocatedWarning[];
}

export interface LintCacheOptions {
  clock: Pick<Clock, "mono">;
  shape: RuleShape;
  house: KnownHouse;
}

interface Known {
  /** Monotonic ms. */
  readonly at: number;
  readonly warnings: readonly LocatedWarning[];
}

const FRESH_MS = 30_000;
const STEP_MS = 8;
const NONE: readonly LocatedWarning[] = [];

export function createLintCache({ clock, shape, house }: LintCacheOptions): LintCache {
  const known = new WeakMap<GoodVersion, Known>();
  const waiting = new Map<GoodVersion, string>();
  let spentMs = 0;
  let scheduled = false;

  function look(good: GoodVersion, text: string): readonly LocatedWarning[] {
    const began = clock.mono();
    const warnings = lintText(text, good.rule, { shape, house, placeOf: placeIn(good) });
    const at = clock.mono();
    known.set(good, { at, warnings });
    spentMs += at - began;
    return warnings;
  }

  /** After everything else that waits. */
  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      spentMs = 0;
      for (const [good, text] of waiting) {
        if (spentMs > STEP_MS) break;
        waiting.delete(good);
        look(good, text);
      }
      if (waiting.size > 0 || spentMs > 0) schedule();
    });
  }

  return {
    of({ good, text, problems }) {
      // The text of a broken file is another one than the version that runs.
      if (!good || text === undefined || problems.length > 0) return NONE;
      const last = known.get(good);
      // In a small house always anew: somebody may have just given a device its name.
      if (spentMs <= STEP_MS) {
        schedule();
        return look(good, text);
      }
      if (!last || clock.mono() - last.at > FRESH_MS) waiting.set(good, text);
      return last?.warnings ?? NONE;
    },
  };
}
