// Reports which files of a folder may have changed. It looks at those that the kernel reports, and now and then at all; where
// the kernel does not report everything, again and again at all of them, a few at a time, so that thousands block nothing else.
// Reading them is left to others.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FolderNotices, Following } from "../lifecycle/folder-notices.ts";
import { guarded } from "../lifecycle/lifecycle.ts";
import type { Log } from "../lifecycle/log.ts";
import { messageOf, systemCode } from "../schema/errors.ts";
import type { Clock } from "../time/clock.ts";

export interface FolderWatchOptions {
  clock: Clock;
  log: Log;
  folder: string;
  /** Without them it only looks. */
  notices?: FolderNotices | undefined;
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
// Where the kernel reports changes, a round looks at the folder itself: it may be another one now, or a new one.
const REPORTED_ROUND_MS = 2000;
// And all files are looked at: the kernel does not report what is written through a mapping, or through a hard link elsewhere.
const SWEEP_MS = 60_000;
// Of more at once it is not asked which they are.
const MAX_NOTICES = 100;

/** A file that differs from what was reported of it. */
interface Unsettled {
  seen: string;
  /** Monotonic ms of the look that has to find the same. */
  due: number;
  /** Whether it was found by looking, although the kernel should have reported. */
  isUnreported: boolean;
}

/** Watches from now on. What was read before may already be old, so begin watching first and read then. */
export function watchFolder(options: FolderWatchOptions): FolderWatch {
  return new FolderWatch(options);
}

export class FolderWatch {
  /** The files that were there when it began, by name. */
  readonly names: readonly string[];
  readonly #options: FolderWatchOptions;
  readonly #listing: FolderListing;
  /** The files that are known to be there, with their last reported fingerprints. */
  readonly #reported = new Map<string, string>();
  /** In the order in which they are due. */
  readonly #unsettled = new Map<string, Unsettled>();
  #rounds: Disposable | undefined;
  #roundMs = 0;
  /** The next slice of a look, or the look that was asked for. */
  #next: Disposable | undefined;
  #isLooking = false;
  #settling: Disposable | undefined;
  /** Undefined: all files are looked at in each round. */
  #notices: FolderNotices | undefined;
  #following: Following | undefined;
  /** Whether the kernel has reported anything since the last round. */
  #wasReported = false;
  /** Whether it has reported more than single files. */
  #isAnyReported = false;
  #sweptAt: number;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
    this.#notices = options.notices;
    this.#listing = new FolderListing(options.folder, options.accepts);
    this.#sweptAt = options.clock.mono();
    this.#follow();
    this.#isAnyReported = false;
    for (const name of this.#listing.names()) {
      const now = this.#fingerprint(name);
      if (now !== ABSENT) this.#reported.set(name, now);
    }
    this.names = [...this.#reported.keys()].sort();
    this.#keepPace();
  }

  /** Why the folder cannot be read now. Nothing is reported meanwhile: what cannot be seen has not gone. */
  fault(): string | undefined {
    return this.#listing.fault;
  }

  [Symbol.dispose](): void {
    this.#following?.[Symbol.dispose]();
    this.#rounds?.[Symbol.dispose]();
    this.#next?.[Symbol.dispose]();
    this.#settling?.[Symbol.dispose]();
  }

  /** Has the kernel report the folder that is there now. */
  #follow(): void {
    const { folder, log } = this.#options;
    if (!this.#notices || this.#following?.isCurrent()) return;
    this.#following?.[Symbol.dispose]();
    this.#following = undefined;
    try {
      const notice = guarded(log, "folder watch", (name: string | undefined) => this.#onNotice(name));
      this.#following = this.#notices.follow(folder, notice);
      this.#isAnyReported = true;
    } catch (error) {
      if (this.#listing.isThere()) this.#poll(messageOf(error));
    }
  }

  #poll(why: string): void {
    this.#options.log.info("a folder is looked at again and again", { folder: this.#options.folder, why });
    this.#notices = undefined;
    this.#following?.[Symbol.dispose]();
    this.#following = undefined;
    this.#keepPace();
  }

  #onNotice(name: string | undefined): void {
    this.#wasReported = true;
    const unsettled = name === undefined ? undefined : this.#unsettled.get(name);
    if (unsettled) unsettled.isUnreported = false;
    else if (name === undefined || this.#unsettled.size >= MAX_NOTICES) this.#lookAtAllSoon();
    else if (this.#options.accepts(name)) this.#lookAt(name, false);
  }

  #lookAtAllSoon(): void {
    if (!this.#isAnyReported && !this.#isLooking) this.#nextAfter(SETTLE_MS, () => this.#lookAround());
    this.#isAnyReported = true;
  }

  #lookAround(): void {
    if (this.#isLooking) return;
    this.#follow();
    const names = this.#listing.names();
    const now = this.#options.clock.mono();
    const isSwept = now - this.#sweptAt >= SWEEP_MS || (this.#listing.changed && !this.#wasReported);
    const isAll = !this.#following || this.#isAnyReported || isSwept;
    const isUnreported = isSwept && !this.#isAnyReported;
    if (isAll) this.#sweptAt = now;
    this.#wasReported = false;
    this.#isAnyReported = false;
    this.#keepPace();
    this.#lookAtSlices(
      (isAll ? new Set([...names, ...this.#reported.keys()]) : this.#listing.links).values(),
      isUnreported,
    );
  }

  #lookAtSlices(names: Iterator<string>, isUnreported: boolean): void {
    this.#isLooking = this.#lookAtSome(names, isUnreported);
    if (this.#isLooking) this.#nextAfter(BETWEEN_SLICES_MS, () => this.#lookAtSlices(names, isUnreported));
    else if (this.#isAnyReported) this.#nextAfter(SETTLE_MS, () => this.#lookAround());
  }

  /** Looks at the next few; returns whether there are more. */
  #lookAtSome(names: Iterator<string>, isUnreported: boolean): boolean {
    for (let looks = 0; looks < LOOKS_IN_A_SLICE; looks++) {
      const { value: name, done } = names.next();
      if (done) return false;
      if (!this.#unsettled.has(name)) this.#lookAt(name, isUnreported && !this.#listing.links.has(name));
    }
    return true;
  }

  #lookAt(name: string, isUnreported: boolean): void {
    const now = this.#fingerprint(name);
    if (now !== (this.#reported.get(name) ?? ABSENT)) this.#lookAgain(name, now, isUnreported);
  }

  #lookAgain(name: string, seen: string, isUnreported: boolean): void {
    this.#unsettled.delete(name);
    this.#unsettled.set(name, { seen, due: this.#options.clock.mono() + SETTLE_MS, isUnreported });
    this.#settleAfter(SETTLE_MS);
  }

  #settle(): void {
    this.#settling = undefined;
    const { clock } = this.#options;
    try {
      const now = clock.mono();
      let looks = 0;
      for (const [name, { seen, due, isUnreported }] of this.#unsettled) {
        if (due > now || looks++ === REPORTS_IN_A_SLICE) break;
        const found = this.#fingerprint(name);
        if (found === seen) this.#report(name, seen, isUnreported);
        else this.#lookAgain(name, found, isUnreported);
      }
    } finally {
      this.#settleNext();
    }
  }

  #settleNext(): void {
    // Set for those that were looked at again, which are due later than what is left.
    this.#settling?.[Symbol.dispose]();
    this.#settling = undefined;
    const next = this.#unsettled.values().next().value;
    if (next) this.#settleAfter(Math.max(BETWEEN_SLICES_MS, next.due - this.#options.clock.mono()));
  }

  #report(name: string, seen: string, isUnreported: boolean): void {
    this.#unsettled.delete(name);
    if (seen === (this.#reported.get(name) ?? ABSENT)) return;
    // A folder that is gone takes all its files with it for a while, such as one on a disk that was pulled out.
    if (seen === ABSENT && !this.#listing.isThere()) return;
    if (isUnreported && this.#following) this.#poll(`the kernel did not report a change of ${name}`);
    if (seen === ABSENT) this.#reported.delete(name);
    else this.#reported.set(name, seen);
    this.#options.onChange(name);
  }

  #keepPace(): void {
    const { clock, log, folder } = this.#options;
    const roundMs = this.#notices && this.#listing.links.size === 0 ? REPORTED_ROUND_MS : ROUND_MS;
    if (roundMs === this.#roundMs) return;
    this.#roundMs = roundMs;
    this.#rounds?.[Symbol.dispose]();
    const round = guarded(log, "folder watch", () => this.#lookAround());
    this.#rounds = clock.every(`watch ${folder}`, roundMs, round);
  }

  #nextAfter(ms: number, step: () => void): void {
    const { clock, log, folder } = this.#options;
    this.#next?.[Symbol.dispose]();
    this.#next = clock.after(`watch ${folder}: look`, ms, guarded(log, "folder watch", step));
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

const ABSENT = "absent";

// Some file systems count times in steps of 2 s: a change in the same step as the last look does not show.
const LISTINGS_AFTER_A_CHANGE = 4;
// And some do not keep the time of a folder at all.
const ROUNDS_BETWEEN_LISTINGS = 15;

/** Listing thousands of names takes longer than a slice, so it is done when the folder's own time has changed. */
class FolderListing {
  /** Why the folder cannot be read now. */
  fault: string | undefined;
  /** Those of the last look that are links, to files which change without an event of the folder. */
  links: ReadonlySet<string> = new Set();
  /** Whether the folder's own time was another one at the last look. */
  changed = false;
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

  /** False also where it may not be looked for. */
  isThere(): boolean {
    try {
      return statSync(this.#folder).isDirectory();
    } catch {
      return false;
    }
  }

  #look(): void {
    const { ino, mtimeMs } = statSync(this.#folder);
    const now = `${ino} ${mtimeMs}`;
    this.changed = now !== this.#seen;
    if (this.changed) this.#wanted = 1 + LISTINGS_AFTER_A_CHANGE;
    this.#seen = now;
    if (this.#wanted === 0 && ++this.#rounds < ROUNDS_BETWEEN_LISTINGS) return;
    const entries = readdirSync(this.#folder, { withFileTypes: true }).filter(({ name }) => this.#accepts(name));
    this.#names = entries.map(({ name }) => name);
    this.links = new Set(entries.flatMap((entry) => (entry.isSymbolicLink() ? [entry.name] : [])));
    this.#wanted = Math.max(0, this.#wanted - 1);
    this.#rounds = 0;
  }
}

/** Another one when the file is another one, or was written. */
function fingerprintOf(path: string): string {
  try {
    const stat = statSync(path);
    return stat.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : ABSENT;
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? ABSENT : `${code}`;
  }
}
