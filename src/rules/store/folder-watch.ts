// Tells which files of a folder may read differently. It looks again and again (why, core/file-watch.ts says), a few files
// at a time, so that thousands of them keep nothing else waiting. Reading them is left to others.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { systemCode } from "../../core/errors.ts";
import { guarded } from "../../core/lifecycle.ts";
import type { Log } from "../../core/log.ts";

export interface FolderWatchOptions {
  clock: Clock;
  log: Log;
  folder: string;
  /** Which names are looked at; whatever is no file is not. */
  accepts: (name: string) => boolean;
  /** Told when a file has changed, appeared or gone, and has then been left alone for a look. */
  onChange: (name: string) => void;
}

export interface FolderWatch extends Disposable {
  /** The files that were there when it began, by name. */
  readonly names: readonly string[];
  /** Why the folder cannot be looked into now. Nothing is told meanwhile: what cannot be seen has not gone. */
  fault(): string | undefined;
}

// A change is found within a round, and told when the next look at it finds the same: both within a second.
const ROUND_MS = 700;
const SETTLE_MS = 200;
const BETWEEN_SLICES_MS = 2;
const LOOKS_IN_A_SLICE = 100;
const TOLD_IN_A_SLICE = 5;
// The times of some file systems count in steps of 2 s: what came in the same step as the last look shows in none of them.
const LISTINGS_AFTER_A_CHANGE = 4;
// And some do not keep the time of a folder at all.
const ROUNDS_BETWEEN_LISTINGS = 15;
const ABSENT = "absent";

/** A file that differs from what was told of it. */
interface Restless {
  seen: string;
  /** Monotonic ms of the look that has to find the same. */
  due: number;
}

/** Watches from now on: what was read before may already be old, so begin watching first and read then. */
export function watchFolder({ clock, log, folder, accepts, onChange }: FolderWatchOptions): FolderWatch {
  const listing = createListing(folder, accepts);
  const fingerprint = (name: string): string => fingerprintOf(join(folder, name));
  // Those that were told to be there, each as it was then.
  const told = new Map<string, string>();
  // The first is due first.
  const restless = new Map<string, Restless>();
  let timer: Disposable | undefined;
  let settling: Disposable | undefined;

  for (const name of listing.names()) {
    const now = fingerprint(name);
    if (now !== ABSENT) told.set(name, now);
  }

  function round(): void {
    const before = clock.mono();
    const names = new Set([...listing.names(), ...told.keys()]).values();
    const slice = (): void => {
      if (lookAt(names)) after(BETWEEN_SLICES_MS, slice);
      else after(Math.max(BETWEEN_SLICES_MS, ROUND_MS - (clock.mono() - before)), round);
    };
    slice();
  }

  function after(ms: number, step: () => void): void {
    timer = clock.after(`watch ${folder}`, ms, guarded(log, "folder watch", step));
  }

  /** Looks at the next few; whether there are more. */
  function lookAt(names: Iterator<string>): boolean {
    for (let looks = 0; looks < LOOKS_IN_A_SLICE; looks++) {
      const { value: name, done } = names.next();
      if (done) return false;
      const now = fingerprint(name);
      if (now !== (told.get(name) ?? ABSENT) && !restless.has(name)) lookAgain(name, now);
    }
    return true;
  }

  function lookAgain(name: string, seen: string): void {
    restless.delete(name);
    restless.set(name, { seen, due: clock.mono() + SETTLE_MS });
    settleAfter(SETTLE_MS);
  }

  function settle(): void {
    settling = undefined;
    try {
      const now = clock.mono();
      let looks = 0;
      for (const [name, { seen, due }] of restless) {
        if (due > now || looks++ === TOLD_IN_A_SLICE) break;
        const found = fingerprint(name);
        if (found === seen) settled(name, seen);
        else lookAgain(name, found);
      }
    } finally {
      const next = restless.values().next().value;
      if (next) settleAfter(Math.max(BETWEEN_SLICES_MS, next.due - clock.mono()));
    }
  }

  function settleAfter(ms: number): void {
    settling ??= clock.after(`watch ${folder}: settle`, ms, guarded(log, "folder watch", settle));
  }

  function settled(name: string, seen: string): void {
    restless.delete(name);
    if (seen === (told.get(name) ?? ABSENT)) return;
    // A folder that is gone takes all its files with it for a while, such as one on a disk that was pulled out.
    if (seen === ABSENT && !listing.isThere()) return;
    if (seen === ABSENT) told.delete(name);
    else told.set(name, seen);
    onChange(name);
  }

  after(ROUND_MS, round);
  return {
    names: [...told.keys()].sort(),
    fault: listing.fault,
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      settling?.[Symbol.dispose]();
    },
  };
}

interface Listing {
  /** The last that could be had. */
  names(): readonly string[];
  isThere(): boolean;
  fault(): string | undefined;
}

/** Listing thousands of names takes longer than a slice, so it is done when the folder's own time has changed. */
function createListing(folder: string, accepts: (name: string) => boolean): Listing {
  let names: readonly string[] = [];
  let fault: string | undefined;
  let seen = "";
  let wanted = 0;
  let rounds = 0;

  function look(): void {
    const { ino, mtimeMs } = statSync(folder);
    const now = `${ino} ${mtimeMs}`;
    if (now !== seen) wanted = 1 + LISTINGS_AFTER_A_CHANGE;
    seen = now;
    if (wanted === 0 && ++rounds < ROUNDS_BETWEEN_LISTINGS) return;
    names = readdirSync(folder).filter(accepts);
    wanted = Math.max(0, wanted - 1);
    rounds = 0;
  }

  return {
    names() {
      try {
        look();
        fault = undefined;
      } catch (error) {
        fault = systemCode(error) ?? String(error);
      }
      return names;
    },
    isThere: () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true,
    fault: () => fault,
  };
}

function fingerprintOf(path: string): string {
  try {
    const stat = statSync(path);
    return stat.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : ABSENT;
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? ABSENT : `${code}`;
  }
}
