// When the last backup of any kind was made; kept over restarts.
import { readFileSync } from "node:fs";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import type { Home } from "../../server/home/paths.ts";
import { placesIn } from "./places.ts";

/** Notes when the last backup was made. */
export function recordBackup(home: Home, at: string): void {
  writeFileAtomic(placesIn(home).lastBackup, `${JSON.stringify({ at })}\n`, 0o600);
}

/** When the last backup was made, in UTC; null where there was none. */
export function readLastBackup(home: Home): string | null {
  try {
    const { at } = JSON.parse(readFileSync(placesIn(home).lastBackup, "utf8"));
    return typeof at === "string" ? at : null;
  } catch {
    return null;
  }
}
