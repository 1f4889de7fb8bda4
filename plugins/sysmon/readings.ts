// Readings of the machine: files of the kernel, and numbers rounded to what a person needs, as every change is an event and a row of
// history.
import { readFile } from "node:fs/promises";

/** The text of a file, without line breaks or NULs at its end; undefined if the machine does not have it. */
export type ReadText = (path: string) => Promise<string | undefined>;

export async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).replace(/[\0\s]+$/, "");
  } catch {
    return undefined;
  }
}

/** To the nearest multiple of `step`: `roundTo(61.27, 0.5)` is 61.5. */
export function roundTo(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toFixed(3));
}

export function percent(part: number, whole: number): number {
  return whole > 0 ? Math.min(100, Math.max(0, Math.round((100 * part) / whole))) : 0;
}
