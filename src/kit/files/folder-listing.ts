// What is in a folder, and by what one sees that a file has changed.
import { readdirSync, statSync } from "node:fs";
import { systemCode } from "../schema/errors.ts";

export const ABSENT = "absent";

// Some file systems count times in steps of 2 s: a change in the same step as the last look does not show.
const LISTINGS_AFTER_A_CHANGE = 4;
// And some do not keep the time of a folder at all.
const ROUNDS_BETWEEN_LISTINGS = 15;

/** Listing thousands of names takes longer than a slice, so it is done when the folder's own time has changed. */
export class FolderListing {
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
export function fingerprintOf(path: string): string {
  try {
    const stat = statSync(path);
    return stat.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : ABSENT;
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT" || code === "ENOTDIR" ? ABSENT : `${code}`;
  }
}
