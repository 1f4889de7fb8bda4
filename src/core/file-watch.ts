// Tells when a file may read differently. It looks at the file again and again: the kernel's notices get lost on network
// file systems, and stay with the old file when an editor replaces it by renaming.
import { statSync } from "node:fs";
import type { Clock } from "./clock.ts";
import { systemCode } from "./errors.ts";
import { guarded } from "./lifecycle.ts";
import type { Log } from "./log.ts";

export interface FileWatchOptions {
  clock: Clock;
  log: Log;
  path: string;
  /** Told after the file has changed and has then been left alone for a look. */
  onChange: () => void;
}

// Two looks have to agree, so that a change is told within a second and a file half written is not.
const LOOK_EVERY_MS = 400;
// Some editors remove a file before they write it anew.
const GONE_AFTER_MS = 2000;
const ABSENT = "absent";

/** Watches from now on: what was read before may already be old, so begin watching first and read then. */
export function watchFile({ clock, log, path, onChange }: FileWatchOptions): Disposable {
  let told = fingerprintOf(path);
  let seen = told;
  let seenSinceMs = clock.mono();

  function look(): void {
    const now = fingerprintOf(path);
    if (now !== seen) {
      seen = now;
      seenSinceMs = clock.mono();
      return;
    }
    if (seen === told || (seen === ABSENT && clock.mono() - seenSinceMs < GONE_AFTER_MS)) return;
    told = seen;
    onChange();
  }
  return clock.every(`watch ${path}`, LOOK_EVERY_MS, guarded(log, "file watch", look));
}

function fingerprintOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT" ? ABSENT : `${code}`;
  }
}
