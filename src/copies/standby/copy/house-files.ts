// The files of the copy: everything of a house but its databases, its logs and what belongs to one machine alone. Nothing is read or
// written outside their folders, and no link is followed.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { removeIfPossible, syncFolder, writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { HubError, systemCode } from "../../../kit/schema/errors.ts";
import type { Home } from "../../../server/home/paths.ts";
import { fileHash } from "../hashes.ts";
import type { FileHead } from "../protocol.ts";
import type { SyncAnswer } from "./answer.ts";

/** Nothing replaces these; files of programs and logs are no part of the copy. */
const FOLDERS = ["config", "rules", "plugins", "data", "bin", "logs"];
const NOT_COPIED = ["bin", "logs"];
const NOT_OF_PLUGINS = ["logs", "tmp"];
/** What lies in `data/` and is no file of the house: databases, what one machine notes for itself, and what is in the making. */
const NOT_IN_DATA =
  /^(state\.redb|history\.db|readings|hub\.lock|backup\.lock|standby|before-|starts\.json|rules\.cache|last-upgrade\.json|restore\.)|\.damaged-|\.stale-|\.tmp$/;
/** Where a file that the other hub does not have is removed. */
const LISTED = ["config", "rules", "plugins", "data/calendars", "data/pictures"];
const LISTED_FILES = ["data/assets.json", "data/backup-targets.json"];
const TEMPORARY = /\.[1-9]\d*\.tmp$/;
const MAX_PATH = 1024;
const PERMISSIONS = 0o777;

export interface HouseFiles {
  /** The hash of each, by its path below the home. A link counts as a file that differs from every other. */
  list(): Record<string, string>;
  /** On the disk when it returns; what cannot be placed is left out. Returns why; undefined where all is placed. */
  apply(answer: Pick<SyncAnswer, "files" | "gone">): string | undefined;
}

export function createHouseFiles(home: Pick<Home, "root">): HouseFiles {
  return {
    list: () => listHouseFiles(home),
    apply({ files, gone }) {
      let problem: string | undefined;
      const place = (work: () => void): void => {
        try {
          work();
        } catch (error) {
          if (!(error instanceof HubError)) throw error;
          problem ??= error.message;
        }
      };
      // First, so that there is room for the others.
      for (const path of gone) place(() => removeHouseFile(home, path));
      for (const { head, content } of files) place(() => writeHouseFile(home, head, content));
      return problem;
    },
  };
}

/** Whether a path below the home may be a file of the copy. */
function isHouseFile(path: string): boolean {
  const parts = path.split("/");
  const [folder = "", name = "", third = ""] = parts;
  if (path.length > MAX_PATH || path.includes("\0") || TEMPORARY.test(path)) return false;
  if (parts.some((part) => part === "" || part === "." || part === "..")) return false;
  if (NOT_COPIED.includes(folder) || (parts.length === 1 && FOLDERS.includes(folder))) return false;
  if (folder === "data") return !NOT_IN_DATA.test(name);
  return folder !== "plugins" || !NOT_OF_PLUGINS.includes(third);
}

function listHouseFiles({ root }: Pick<Home, "root">): Record<string, string> {
  const list: Record<string, string> = {};
  const add = (path: string): void => {
    const stat = statOf(join(root, path));
    if (stat?.isDirectory()) for (const name of readdirSync(join(root, path))) add(`${path}/${name}`);
    // Of a process that was killed: nobody else writes here.
    else if (stat && TEMPORARY.test(path)) removeIfPossible(join(root, path));
    else if (stat && isHouseFile(path)) list[path] = stat.isFile() ? hashOfFile(join(root, path), stat) : "link";
  };
  for (const path of [...LISTED, ...LISTED_FILES]) add(path);
  return list;
}

/** On the disk when it returns. Throws HubError `invalid` for a path that is none, `conflict` where a link is in the way. */
function writeHouseFile({ root }: Pick<Home, "root">, { path, mode }: FileHead, content: Uint8Array): void {
  const file = placeOf(root, path);
  for (const folder of parentsOf(path)) if (!isFolder(root, folder)) makeFolder(join(root, folder));
  // A folder of the copy; one that holds anything else is left alone.
  if (statOf(file)?.isDirectory()) removeEmptyTree(file);
  const permissions = mode & PERMISSIONS;
  // Before anybody may read more of it than its owner wants.
  writeFileAtomic(file, content, permissions & 0o700);
  chmodSync(file, permissions);
}

/** With the folders that it leaves empty. */
function removeHouseFile({ root }: Pick<Home, "root">, path: string): void {
  const file = placeOf(root, path);
  const parents = parentsOf(path);
  if (parents.some((folder) => !isFolder(root, folder))) return;
  if (statOf(file)?.isDirectory()) return;
  rmSync(file, { force: true });
  for (const folder of parents.slice(1).reverse()) removeIfEmpty(join(root, folder));
  const left = parents.findLast((folder) => isFolder(root, folder));
  if (left !== undefined) syncFolder(join(root, left));
}

function hashOfFile(path: string, { mode }: Stats): string {
  return fileHash(readFileSync(path), mode & PERMISSIONS);
}

function placeOf(root: string, path: string): string {
  if (!isHouseFile(path)) throw new HubError("invalid", `the other hub sent a file that is none of a house: ${path}`);
  for (const folder of parentsOf(path)) {
    if (statOf(join(root, folder))?.isSymbolicLink() && !isFolder(root, folder))
      throw new HubError(
        "conflict",
        `${join(root, folder)} is a link, and the copy follows none: put a folder in its place`,
      );
  }
  return join(root, path);
}

/** Outermost first. */
function parentsOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** A link is none, unless it is `data/`, which the hub itself follows: people put it on another disk. */
function isFolder(root: string, folder: string): boolean {
  const path = join(root, folder);
  return folder === "data"
    ? statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    : statOf(path)?.isDirectory() === true;
}

function makeFolder(path: string): void {
  // It was a file before.
  rmSync(path, { force: true });
  mkdirSync(path, { mode: 0o755 });
  syncFolder(dirname(path));
}

/** Throws HubError `conflict` where there is a file in it. */
function removeEmptyTree(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!statOf(join(folder, name))?.isDirectory())
      throw new HubError("conflict", `${folder} is in the way of a file of the copy: move it away`);
    removeEmptyTree(join(folder, name));
  }
  rmdirSync(folder);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(systemCode(error) ?? "")) throw error;
  }
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
