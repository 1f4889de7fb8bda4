// Makes a folder a home: whatever is missing is laid out, whatever is there stays as it is.
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { removeIfPossible, writeFileAtomic } from "../core/atomic-file.ts";
import { HubError, messageOf, systemCode } from "../core/errors.ts";
import { type RandomBytes, secret } from "../core/ids.ts";
import { isStorageFault } from "../core/storage-fault.ts";
import type { Home } from "./paths.ts";

/** One file that travels inside the executable. */
export interface Asset {
  /** Relative to HUB_HOME. */
  path: string;
  content: string;
}

export interface LayoutOptions {
  home: Home;
  /** The running executable; undefined when run from source, and then none is placed. */
  executable: string | undefined;
  /** The text of hub.toml, with `@JWT_SECRET@` where the fresh secret goes. */
  hubToml: string;
  assets: readonly Asset[];
  random: RandomBytes;
}

export interface LaidOut {
  /** Whether there was no hub.toml before. */
  fresh: boolean;
  /** Paths that were made. */
  created: string[];
  /** What could not be laid out, with the reason; the hub can do without. */
  failed: string[];
}

/** Throws HubError `storage` when the home cannot be written. */
export function layOutHome(options: LayoutOptions): LaidOut {
  try {
    return layOut(options);
  } catch (error) {
    throw unwritable(error, options.home);
  }
}

function layOut({ home, executable, hubToml, assets, random }: LayoutOptions): LaidOut {
  const created: string[] = [];
  const failed: string[] = [];
  for (const folder of [home.bin, home.config, home.profiles, home.rules, home.plugins]) {
    mkdirSync(folder, { recursive: true });
  }
  // Password hashes, and what people did when.
  for (const folder of [home.data, home.logs]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = (path: string, content: string, mode?: number): void => {
    if (existsSync(path)) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomic(path, content, mode);
    created.push(path);
  };
  const fresh = !existsSync(home.hubToml);
  // What a person deleted from a finished home stays deleted; a folder that is missing as a whole is completed.
  const wanted = assets.filter(({ path }) => fresh || !existsSync(join(home.root, wholeOf(path))));
  for (const { path, content } of wanted) {
    try {
      place(join(home.root, path), content, path.endsWith("config.toml") ? 0o600 : 0o644);
    } catch (error) {
      // A folder that this user may not enter keeps a home that was finished from nothing else.
      if (fresh || systemCode(error) !== "EACCES") throw error;
      failed.push(`${path} cannot be laid out: ${messageOf(error)}`);
    }
  }
  if (executable) placeExecutable(executable, home, created);
  // Last: a layout that is cut short starts over instead of looking finished.
  place(
    home.hubToml,
    hubToml.replace("@JWT_SECRET@", () => secret(random, 48)),
    0o600,
  );
  return { fresh, created, failed };
}

/** What is looked at to see whether a person deleted one file, or the hub has yet to lay out all of them. */
function wholeOf(path: string): string {
  const folder = dirname(path);
  // The home's own folder is always there.
  return folder === "config" ? path : folder;
}

function placeExecutable(executable: string, home: Home, created: string[]): void {
  if (existsSync(home.executable)) return;
  const source = realpathSync(executable);
  if (!isLinked(source, home.executable)) {
    const temporary = `${home.executable}.tmp`;
    try {
      rmSync(temporary, { force: true });
      needRoom(source, home.bin);
      copyFileSync(source, temporary);
      if (statSync(temporary).size !== statSync(source).size) throw new Error(`copying ${source} was cut short`);
      renameSync(temporary, home.executable);
    } catch (error) {
      removeIfPossible(temporary);
      throw error;
    }
  }
  created.push(home.executable);
}

/** Gives the file a second name, unless it is somebody else's: that would be his to change as well. */
function isLinked(source: string, name: string): boolean {
  if (process.geteuid && statSync(source).uid !== process.geteuid()) return false;
  try {
    linkSync(source, name);
    return true;
  } catch {
    return false;
  }
}

function needRoom(source: string, folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  const [needed, free] = [statSync(source).size, bavail * bsize].map((bytes) => Math.ceil(bytes / 1e6));
  if (Number(free) > Number(needed)) return;
  throw Object.assign(new Error(`the executable needs ${needed} MB, and ${free} MB are free`), { code: "ENOSPC" });
}

function unwritable(error: unknown, home: Home): HubError {
  const mend = ["EACCES", "EPERM"].includes(systemCode(error) ?? "")
    ? "give its owner the right to write, or choose another with --home"
    : isStorageFault(error)
      ? "free some space, or choose another with --home"
      : "choose another with --home";
  return new HubError("storage", `cannot lay out the home ${home.root}: ${messageOf(error)}; ${mend}`, {
    cause: error,
  });
}
