// The profile files of a folder: read at the start and whenever they change. Of a file with problems the last good version
// stays in use; where there is none, what is right in it.
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { type FolderWatch, watchFolder } from "../../../../kit/files/folder-watch.ts";
import type { FolderNotices } from "../../../../kit/lifecycle/folder-notices.ts";
import type { Log } from "../../../../kit/lifecycle/log.ts";
import { takeTurns } from "../../../../kit/lifecycle/take-turns.ts";
import { messageOf, systemCode } from "../../../../kit/schema/errors.ts";
import type { LineProblem } from "../../../../kit/schema/toml.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import type { ExpressionCompiler, Profile } from "./profile.ts";
import { createProfileReader, type ProfileReader, type ShippedProfiles } from "./read-profile.ts";

export interface ProfileProblem extends LineProblem {
  /** Path of the file, or of the folder. */
  file: string;
}

export type ProfileListener = (name: string, profile: Profile | undefined) => void;

export interface ProfilesOptions {
  folder: string;
  clock: Clock;
  /** See kit/files/folder-watch.ts. */
  notices?: FolderNotices | undefined;
  log: Log;
  compiler: ExpressionCompiler;
  shipped?: ShippedProfiles;
}

interface File {
  profile: Profile | undefined;
  /** The profile lacks nothing that was in its file. */
  isWhole: boolean;
  problems: readonly LineProblem[];
}

const MAX_FILES = 500;
const MAX_NAMED = 5;
const READ_TURN_MS = 2;

/** Editors leave `x.toml~`, `.x.toml.swp` and `x.toml.tmp` beside a file. */
function isProfileFileName(name: string): boolean {
  return /^[^.#~].*\.toml$/i.test(name);
}

export class Profiles implements Disposable {
  readonly #options: ProfilesOptions;
  readonly #reader: ProfileReader;
  readonly #files = new Map<string, File>();
  /** Files that are too many. */
  readonly #leftOut = new Set<string>();
  readonly #watch: FolderWatch;
  #listener: ProfileListener | undefined;
  #isStarted = false;

  constructor(options: ProfilesOptions) {
    this.#options = options;
    this.#reader = createProfileReader(options.compiler, options.shipped);
    const { folder, clock, notices, log } = options;
    this.#watch = watchFolder({
      ...{ folder, clock, notices, log, accepts: isProfileFileName },
      onChange: (file) => this.#load(file),
    });
  }

  /** Reads the files that are there, and lets others go on every `turnMs`; until then there are no profiles. */
  async start(turnMs = READ_TURN_MS): Promise<void> {
    await takeTurns(this.#watch.names, (file) => this.#load(file), turnMs);
    const inUse = [...this.#files.values()].filter(({ profile }) => profile).length;
    if (inUse > 0) this.#options.log.info("profiles are in use", { count: inUse });
    this.#isStarted = true;
  }

  /** Notified of each profile that there is, and from then on of each that changes, or goes or is switched off (undefined). */
  follow(listener: ProfileListener): void {
    this.#listener = listener;
    for (const { profile } of this.#files.values()) if (profile) listener(profile.name, profile);
  }

  /** Of files with problems, the first of each, and of a folder that cannot be read. */
  problems(): ProfileProblem[] {
    const { folder } = this.#options;
    const fault = this.#watch.fault();
    const broken = [...this.#files]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([file, { problems }]) => {
        const first = problems.find(({ warning }) => !warning);
        return first ? [{ ...first, file: join(folder, file) }] : [];
      });
    if (this.#leftOut.size > 0) broken.push({ file: folder, path: "", message: this.#tooMany() });
    if (fault === undefined || (fault === "ENOENT" && this.#files.size === 0)) return broken;
    const message = `the folder of the profiles cannot be read (${fault}); they stay as they were`;
    return [{ file: folder, path: "", message }, ...broken];
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }

  #load(file: string): void {
    const name = basename(file).replace(/\.toml$/i, "");
    const known = this.#files.get(file);
    if (!known && this.#files.size >= MAX_FILES) {
      if (existsSync(join(this.#options.folder, file))) this.#leaveOut(file);
      else this.#leftOut.delete(file);
      return;
    }
    this.#leftOut.delete(file);
    const read = this.#read(file, name);
    if (read === undefined) {
      this.#files.delete(file);
      if (known?.profile) this.#report(name, undefined);
    } else if (read.profile && (isRight(read) || !known?.profile || !known.isWhole)) {
      if (!isRight(read)) this.#warn(file, read.problems, "what is right in it");
      const profile = read.profile.table.enabled === false ? undefined : read.profile;
      this.#files.set(file, { profile, isWhole: isRight(read), problems: read.problems });
      if (profile || known?.profile) this.#report(name, profile);
    } else this.#refuse(file, { profile: known?.profile, isWhole: known?.isWhole ?? false, problems: read.problems });
  }

  #tooMany(): string {
    const names = [...this.#leftOut].slice(0, MAX_NAMED).join(", ");
    const more = this.#leftOut.size > MAX_NAMED ? " …" : "";
    return `at most ${MAX_FILES} profiles are read, and ${this.#leftOut.size} are left out: ${names}${more}. Remove some, and restart the hub`;
  }

  #leaveOut(file: string): void {
    if (!this.#leftOut.has(file))
      this.#options.log.warn("a profile is left out: there are too many", { file, most: MAX_FILES });
    this.#leftOut.add(file);
  }

  #read(file: string, name: string): { profile?: Profile; problems: LineProblem[] } | undefined {
    try {
      return this.#reader.readFile(name, join(this.#options.folder, file));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      const message = `cannot be read: ${messageOf(error)}; give the hub the right to read it`;
      return { problems: [{ path: "", message }] };
    }
  }

  #refuse(file: string, refused: File): void {
    this.#files.set(file, refused);
    this.#warn(file, refused.problems, refused.profile ? "its last good version" : "nothing");
  }

  #warn(file: string, problems: readonly LineProblem[], runs: string): void {
    const { line, path, message } = problems.find(({ warning }) => !warning) ?? {};
    this.#options.log.warn("a profile has problems", { file, line, key: path, problem: message, runs });
  }

  #report(name: string, profile: Profile | undefined): void {
    if (this.#isStarted)
      this.#options.log.info(profile ? "a profile is in use" : "a profile is no longer in use", { profile: name });
    this.#listener?.(name, profile);
  }
}

function isRight({ problems }: { problems: readonly LineProblem[] }): boolean {
  return problems.every(({ warning }) => warning);
}

/** All problems, in the order of the files. */
export function checkProfiles(folder: string, compiler: ExpressionCompiler): ProfileProblem[] {
  const reader = createProfileReader(compiler);
  const problemsOf = (path: string, work: () => Omit<ProfileProblem, "file">[]): ProfileProblem[] => {
    try {
      return work().map((problem) => ({ ...problem, file: path }));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return [];
      return [{ file: path, path: "", message: `cannot be read: ${messageOf(error)}` }];
    }
  };
  let names: string[] = [];
  const unread = problemsOf(folder, () => {
    names = readdirSync(folder).filter(isProfileFileName).sort();
    return [];
  });
  const found = names.flatMap((file) => {
    const path = join(folder, file);
    return problemsOf(path, () => reader.readFile(file.replace(/\.toml$/i, ""), path).problems);
  });
  return [...unread, ...found];
}
