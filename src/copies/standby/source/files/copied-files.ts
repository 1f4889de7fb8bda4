// Which files of a home a standby copies, besides the databases and the journal: settings, rules, plugins, the files that hub.toml
// names, and what the hub keeps for later. Not: programs, logs, backups, caches, locks, and what is this machine's own.
import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { relative } from "node:path";
import { HubError } from "../../../../kit/schema/errors.ts";
import { isObject } from "../../../../kit/schema/json.ts";
import { readToml } from "../../../../kit/schema/toml.ts";
import type { Home } from "../../../../server/home/paths.ts";
import { type Contents, listContents, listFolder, type SourceFile } from "../../../backup/archive/home-contents.ts";
import { placesIn } from "../../../backup/places.ts";

/** Throws where a folder cannot be read: a copy without it would look like one of a house that has none. */
export function listCopiedFiles(home: Home): Contents {
  if (!existsSync(home.hubToml)) throw new HubError("storage", `${home.hubToml} is missing`);
  const kept = [folderOf(home, home.calendars), folderOf(home, home.waitingPictures)];
  const all = [listContents(home, { withPlugins: true }), pluginFiles(home), ...kept];
  const files = all.flatMap((one) => one.files);
  const single = [home.assetManifest, placesIn(home).targets].flatMap((file) => fileAt(home, file) ?? []);
  return {
    files: [...files, ...single, ...namedFiles(home, new Set(files.map(({ path }) => path)))],
    skipped: all.flatMap((one) => one.skipped),
  };
}

function pluginFiles({ plugins }: Home): Contents {
  if (!existsSync(plugins)) return { files: [], skipped: [] };
  const real = realpathSync(plugins);
  return listFolder(plugins, "plugins", {
    mayFollow: (path) => path === real || isWithin(path, real),
    isLeftOut: (path) => /^plugins\/[^/]+\/(?:logs|tmp)$/.test(path),
  });
}

/** Without what links lead to. */
function folderOf({ root }: Home, folder: string): Contents {
  const real = existsSync(folder) ? realpathSync(folder) : folder;
  return listFolder(folder, relative(root, folder), { mayFollow: (path) => path === real });
}

function fileAt({ root }: Home, file: string): SourceFile | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? { path: relative(root, file), file, mode: stat.mode & 0o777 } : undefined;
}

/** Certificates and the like, wherever in the home they lie. */
function namedFiles(home: Home, listed: ReadonlySet<string>): SourceFile[] {
  const read = readToml(readFileSync(home.hubToml));
  if (!read.ok) return [];
  const own = [home.bin, home.logs, home.data];
  const root = realpathSync(home.root);
  const paths = new Set([...textsIn(read.table)].map((text) => home.resolve(text)));
  return [...paths].flatMap((file) => {
    if (!isWithin(file, home.root) || own.some((folder) => isWithin(file, folder))) return [];
    const found = fileAt(home, file);
    return found && !listed.has(found.path) && isWithin(realpathSync(file), root) ? [found] : [];
  });
}

/** Those that may be the path of a file. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string" && /^[^\0\n]{1,1000}$/.test(value)) yield value;
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one);
  else if (isObject(value)) for (const one of Object.values(value)) yield* textsIn(one);
}

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
