// Reports when a file has changed. It looks when the kernel reports a change in its folder, and now and then; where the kernel does not report
// of everything, again and again: its notices get lost on network file systems, and do not come for what a link leads to.
import { lstatSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { FolderNotices } from "../lifecycle/folder-notices.ts";
import { guarded } from "../lifecycle/lifecycle.ts";
import type { Log } from "../lifecycle/log.ts";
import { systemCode } from "../schema/errors.ts";
import type { Clock, Timer } from "../time/clock.ts";

export interface FileWatchOptions {
  clock: Clock;
  log: Log;
  path: string;
  /** Without them it only looks. */
  notices?: FolderNotices | undefined;
  /** Called after the file has changed and has then stayed the same for one poll. */
  onChange: () => void;
}

// Two polls have to agree: a change is reported within a second, and a half-written file is not.
const POLL_EVERY_MS = 400;
// Of a file whose changes the kernel reports.
const LOOK_EVERY_MS = 5000;
// Some editors remove a file before they write the new one.
const GONE_AFTER_MS = 2000;
const ABSENT = "absent";

/** Reports changes from now on. Start watching before reading the file, or a change in between is missed. */
export function watchFile({ clock, log, path, notices, onChange }: FileWatchOptions): Disposable {
  let following = follow();
  let reported = fingerprintOf(path);
  let seen = reported;
  let seenSinceMs = clock.mono();
  let timer: Timer | undefined;
  let isOver = false;

  function follow(): Disposable | undefined {
    try {
      return notices?.follow(dirname(path), guarded(log, "file watch", onNotice));
    } catch {
      // It cannot be watched, or is not there.
      return undefined;
    }
  }

  function onNotice(name: string | undefined): void {
    if (name === undefined) {
      // The folder may be another one.
      following?.[Symbol.dispose]();
      following = follow();
    }
    if (name === undefined || name === basename(path)) poll();
  }

  function poll(): void {
    try {
      look();
    } finally {
      const isReported = following !== undefined && seen === reported && !isLink(path);
      timer?.[Symbol.dispose]();
      const again = guarded(log, "file watch", poll);
      if (!isOver) timer = clock.after(`watch ${path}`, isReported ? LOOK_EVERY_MS : POLL_EVERY_MS, again);
    }
  }

  function look(): void {
    const now = fingerprintOf(path);
    const sinceMs = clock.mono() - seenSinceMs;
    if (now !== seen) {
      seen = now;
      seenSinceMs = clock.mono();
      return;
    }
    // A notice may come between two polls.
    if (seen === reported || sinceMs < (seen === ABSENT ? GONE_AFTER_MS : POLL_EVERY_MS / 2)) return;
    reported = seen;
    onChange();
  }

  poll();
  return {
    [Symbol.dispose]() {
      isOver = true;
      following?.[Symbol.dispose]();
      timer?.[Symbol.dispose]();
    },
  };
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
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
