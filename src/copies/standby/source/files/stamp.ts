// Sees by a file's attributes whether it is the one that was read before.
import type { Stats } from "node:fs";

// A file that was written to again within one tick of the kernel's clock keeps its times; and clocks are set.
const JUST_NOW_MS = 2000;

/** Undefined where the attributes are too young to know. `now`: epoch ms. */
export function stampOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats, now: number): string | undefined {
  if (Math.abs(now - ctimeMs) < JUST_NOW_MS) return undefined;
  return `${ino}:${size}:${mode}:${mtimeMs}:${ctimeMs}`;
}
