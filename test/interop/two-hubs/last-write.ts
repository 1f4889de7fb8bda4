// What a hub that was killed had taken and not written: it acknowledges readings at once, and writes them together.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Monotonic ms of this process: when the hub of this home last wrote to its journal of readings, which a kill leaves as it is. */
export function lastWriteOf(home: string): number {
  const folder = join(home, "data", "readings");
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const times = files.map((name) => statSync(join(folder, name)).mtimeMs);
  return performance.now() - (Date.now() - Math.max(0, ...times));
}
