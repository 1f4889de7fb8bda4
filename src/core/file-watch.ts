// Reports when a file has changed. It polls the file: the kernel's notifications get lost on network file systems, and stay
// with the old file when an editor replaces it by renaming.
import { statSync } from "node:fs";
import type { Clock } from "./clock.ts";
import { systemCode } from "./errors.ts";
import { guarded } from "./lifecycle.ts";
import type { Log } from "./log.ts";

export interface FileWatchOptions {
  clock: Clock;
  log: Log;
  path: string;
  /** Called after the file has changed and has then stayed the same for one poll. */
  onChange: () => void;
}

// Two polls have to agree: a change is reported within a second, and a half-written file is not.
const POLL_EVERY_MS = 400;
// Some editors remove a file before they write the new one.
const GONE_AFTER_MS = 2000;
const ABSENT = "absent";

/** Reports changes from now on. Start watching before reading the file, or a change in between is missed. */
export function watchFile({ clock, log, path, onChange }: FileWatchOptions): Disposable {
  let reported = fingerprintOf(path);
  let seen = reported;
  let seenSinceMs = clock.mono();

  function poll(): void {
    const now = fingerprintOf(path);
    if (now !== seen) {
      seen = now;
      seenSinceMs = clock.mono();
      return;
    }
    if (seen === reported || (seen === ABSENT && clock.mono() - seenSinceMs < GONE_AFTER_MS)) return;
    reported = seen;
    onChange();
  }
  return clock.every(`watch ${path}`, POLL_EVERY_MS, guarded(log, "file watch", poll));
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
