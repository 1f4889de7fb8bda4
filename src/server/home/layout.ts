// Makes a folder a home: creates what is missing, and never changes what exists.
import { copyFileSync, existsSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeIfPossible, writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { requireSpace } from "../../kit/files/free-space.ts";
import { isStorageFault } from "../../kit/files/storage-fault.ts";
import { HubError, messageOf, systemCode } from "../../kit/schema/errors.ts";
import { type RandomBytes, secret } from "../../kit/schema/ids.ts";
import type { Home } from "./paths.ts";

/** A file that is embedded in the executable. */
export interface Asset {
  /** Relative to HUB_HOME. */
  path: string;
  /** The path under which an earlier version laid it out. */
  formerly?: string;
  content: string;
}

export interface LayoutOptions {
  home: Home;
  /** The running executable, which is placed in `bin/`; undefined when run from source. */
  executable: string | undefined;
  /** The text of hub.toml, with `@JWT_SECRET@` in place of the fresh secret. */
  hubToml: string;
  assets: readonly Asset[];
  random: RandomBytes;
}

export interface LaidOut {
  /** Whether there was no hub.toml before. */
  fresh: boolean;
  /** Paths that were created. */
  created: string[];
  /** What could not be created, with the reason. The hub starts without it. */
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
  for (const folder of [home.bin, home.config, home.rules, home.plugins]) {
    mkdirSync(folder, { recursive: true });
  }
  // They hold password hashes and personal data.
  for (const folder of [home.data, home.logs]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = (path: string, content: string, mode?: number): void => {
    if (existsSync(path)) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomic(path, content, mode);
    created.push(path);
  };
  const fresh = !existsSync(home.hubToml);
  // A file that a person deleted from a finished home stays deleted; a folder that is missing as a whole is created again.
  const wanted = assets.filter(({ path }) => fresh || !existsSync(join(home.root, indicatorOf(path))));
  for (const { path, content } of wanted) {
    try {
      place(join(home.root, path), content, path.endsWith("config.toml") ? 0o600 : 0o644);
    } catch (error) {
      // In a finished home, a folder that this user may not enter does not matter to the rest.
      if (fresh || systemCode(error) !== "EACCES") throw error;
      failed.push(`${path} cannot be laid out: ${messageOf(error)}`);
    }
  }
  if (executable) placeExecutable(executable, home, created);
  // Last, so that an interrupted layout starts over instead of looking finished.
  place(
    home.hubToml,
    hubToml.replace("@JWT_SECRET@", () => secret(random, 48)),
    0o600,
  );
  return { fresh, created, failed };
}

/** The path whose absence shows that the hub has yet to create the file, and that no person deleted it. */
function indicatorOf(path: string): string {
  const folder = dirname(path);
  // config/ itself always exists.
  return folder === "config" ? path : folder;
}

function placeExecutable(executable: string, home: Home, created: string[]): void {
  if (existsSync(home.executable)) return;
  const source = realpathSync(executable);
  if (!isLinked(source, home.executable)) {
    const temporary = `${home.executable}.tmp`;
    try {
      rmSync(temporary, { force: true });
      requireSpace(home.bin, statSync(source).size, "a copy of the executable");
      copyFileSync(source, temporary);
      if (statSync(temporary).size !== statSync(source).size) throw new Error(`copying ${source} was interrupted`);
      renameSync(temporary, home.executable);
    } catch (error) {
      removeIfPossible(temporary);
      throw error;
    }
  }
  created.push(home.executable);
}

/** Makes a hard link, unless the file is another user's: that user could change it later. */
function isLinked(source: string, name: string): boolean {
  if (process.geteuid && statSync(source).uid !== process.geteuid()) return false;
  try {
    linkSync(source, name);
    return true;
  } catch {
    return false;
  }
}

function unwritable(error: unknown, home: Home): HubError {
  const mend = ["EACCES", "EPERM"].includes(systemCode(error) ?? "")
    ? "give its owner the right to write, or choose another with --home"
    : isStorageFault(error)
      ? "free some space, or choose another with --home"
      : "or choose another with --home";
  return new HubError("storage", `cannot lay out the home ${home.root}: ${messageOf(error)}; ${mend}`, {
    cause: error,
  });
}
