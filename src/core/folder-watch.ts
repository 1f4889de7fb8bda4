// Reports which files of a folder may have changed. It looks again and again (why: file-watch.ts), at a few files
// at a time, so that thousands of them block nothing else. Reading them is left to others.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "./clock.ts";
import { systemCode } from "./errors.ts";
import { guarded } from "./lifecycle.ts";
import type { Log } from "./log.ts";

export interface FolderWatchOptions {
  clock: Clock;
  log: Log;
  folder: string;
  /** Which names are looked at; folders and pipes of such a name are not. */
  accepts: (name: string) => boolean;
  /** Called when a file has changed, appeared or gone, and was then the same at two looks in a row. */
  onChange: (name: string) => void;
}

// A change is found within a round, and reported when the next look finds the same: both within a second.
const ROUND_MS = 700;
const SETTLE_MS = 200;
const BETWEEN_SLICES_MS = 2;
const LOOKS_IN_A_SLICE = 100;
const REPORTS_IN_A_SLICE = 5;
// Some file systems count times in steps of 2 s: a change in the same step as the last look does not show.
const LISTINGS_AFTER_A_CHANGE = 4;
// And some do not keep the time of a folder at all.
const ROUNDS_BETWEEN_LISTINGS = 15;
const ABSENT = "absent";

/** A file that differs from what was reported of it. */
interface Unsettled {
  seen: string;
  /** Monotonic ms of the look that has to find the same. */
  due: number;
}

/** Watches from now on. What was read before may already be old, so begin watching first and read then. */
export function watchFolder(options: FolderWatchOptions): FolderWatch {
  return new FolderWatch(options);
}

export class FolderWatch {
  /** The files that were there when it began, by name. */
  readonly names: readonly string[];
  readonly #options: FolderWatchOptions;
  readonly #listing: Listing;
  /** The files that are known to be there, with their last reported fingerprints. */
  readonly #reported = new Map<string, string>();
  /** In the order in which they are due. */
  readonly #unsettled = new Map<string, Unsettled>();
  #round: Disposable | undefined;
  #settling: Disposable | undefined;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
    this.#listing = new Listing(options.folder, options.accepts);
    for (const name of this.#listing.names()) {
      const now = this.#fingerprint(name);
      if (now !== ABSENT) this.#reported.set(name, now);
    }
    this.names = [...this.#reported.keys()].sort();
    this.#roundAfter(ROUND_MS, () => this.#lookAtAll());
  }

  /** Why the folder cannot be read now. Nothing is reported meanwhile: what cannot be seen has not gone. */
  fault(): string | undefined {
    return this.#listing.fault;
  }

  [Symbol.dispose](): void {
    this.#round?.[Symbol.dispose]();
    this.#settling?.[Symbol.dispose]();
  }

  #lookAtAll(): void {
    const { clock } = this.#options;
    const begun = clock.mono();
    const names = new Set([...this.#listing.names(), ...this.#reported.keys()]).values();
    const slice = (): void => {
      if (this.#lookAtSome(names)) this.#roundAfter(BETWEEN_SLICES_MS, slice);
      else this.#roundAfter(Math.max(BETWEEN_SLICES_MS, ROUND_MS - (clock.mono() - begun)), () => this.#lookAtAll());
    };
    slice();
  }

  /** Looks at the next few; returns whether there are more. */
  #lookAtSome(names: Iterator<string>): boolean {
    for (let looks = 0; looks < LOOKS_IN_A_SLICE; looks++) {
      const { value: name, done } = names.next();
      if (done) return false;
      const now = this.#fingerprint(name);
      if (now !== (this.#reported.get(name) ?? ABSENT) && !this.#unsettled.has(name)) this.#lookAgain(name, now);
    }
    return true;
  }

  #lookAgain(name: string, seen: string): void {
    this.#unsettled.delete(name);
    this.#unsettled.set(name, { seen, due: this.#options.clock.mono() + SETTLE_MS });
    this.#settleAfter(SETTLE_MS);
  }

  #settle(): void {
    this.#settling = undefined;
    const { clock } = this.#options;
    try {
      const now = clock.mono();
      let looks = 0;
      for (const [name, { seen, due }] of this.#unsettled) {
        if (due > now || looks++ === REPORTS_IN_A_SLICE) break;
        const found = this.#fingerprint(name);
        if (found === seen) this.#report(name, seen);
        else this.#lookAgain(name, found);
      }
    } finally {
      const next = this.#unsettled.values().next().value;
      if (next) this.#settleAfter(Math.max(BETWEEN_SLICES_MS, next.due - clock.mono()));
    }
  }

  #report(name: string, seen: string): void {
    this.#unsettled.delete(name);
    if (seen === (this.#reported.get(name) ?? ABSENT)) return;
    // A folder that is gone takes all its files with it for a while, such as one on a disk that was pulled out.
    if (seen === ABSENT && !this.#listing.isThere()) return;
    if (seen === ABSENT) this.#reported.delete(name);
    else this.#reported.set(name, seen);
    this.#options.onChange(name);
  }

  #roundAfter(ms: number, step: () => void): void {
    const { clock, log, folder } = this.#options;
    this.#round = clock.after(`watch ${folder}`, ms, guarded(log, "folder watch", step));
  }

  #settleAfter(ms: number): void {
    const { clock, log, folder } = this.#options;
    const settle = guarded(log, "folder watch", () => this.#settle());
    this.#settling ??= clock.after(`watch ${folder}: settle`, ms, settle);
  }

  #fingerprint(name: string): string {
    return fingerprintOf(join(this.#options.folder, name));
  }
}

/** Listing thousands of names takes longer than a slice, so it is done when the folder's own time has changed. */
class Listing {
  /** Why the folder cannot be read now. */
  fault: string | undefined;
  readonly #folder: string;
  readonly #accepts: (name: string) => boolean;
  #names: readonly string[] = [];
  #seen = "";
  #wanted = 0;
  #rounds = 0;

  constructor(folder: string, accepts: (name: string) => boolean) {
    this.#folder = folder;
    this.#accepts = accepts;
  }

  /** The last that could be read. */
  names(): readonly string[] {
    try {
      this.#look();
      this.fault = undefined;
    } catch (error) {
      this.fault = systemCode(error) ?? String(error);
    }
    return this.#names;
  }

  isThere(): boolean {
    return statSync(this.#folder, { throwIfNoEntry: false })?.isDirectory() === true;
  }

  #look(): void {
    const { ino, mtimeMs } = statSync(this.#folder);
    const now = `${ino} ${mtimeMs}`;
    if (now !== this.#seen) this.#wanted = 1 + LISTINGS_AFTER_A_CHANGE;
    this.#seen = now;
    if (this.#wanted === 0 && ++this.#rounds < ROUNDS_BETWEEN_LISTINGS) return;
    this.#names = readdirSync(this.#folder).filter(this.#accepts);
    this.#wanted = Math.max(0, this.#wanted - 1);
    this.#rounds = 0;
  }
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
