// What of a home belongs in a backup beside the databases: the files of config/ and rules/, never plugins/ or logs/, nor the
// configuration of a plugin, wherever that lies; and how many devices, rules, users and plugins it has. Links are followed within those two folders only: a file elsewhere may be anybody's.
import { Database } from "bun:sqlite";
import { existsSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { readTomlFile } from "../../../kit/schema/toml.ts";
import type { Home } from "../../../server/home/paths.ts";
import type { Counts } from "./manifest.ts";
import { pluginConfigsIn } from "./plugin-configs.ts";
import { isClutter, nameProblem, quoted } from "./zip/format.ts";

export interface SourceFile {
  /** In the archive. */
  readonly path: string;
  readonly file: string;
  /** Permission bits. */
  readonly mode: number;
}

export interface Contents {
  readonly files: readonly SourceFile[];
  /** What is left out, and why. */
  readonly skipped: readonly string[];
}

/** `stateDb` may be a snapshot instead of the home's own. */
export function countHome(home: Home, stateDb = home.stateDb): Counts {
  const { devices, users } = countState(stateDb);
  // As it would be packed: the target of a link that leads outside does not belong to the home.
  const { files } = listContents(home);
  const hubToml = files.find(({ path }) => path === "config/hub.toml")?.file;
  return { devices, rules: countRules(files), users, plugins: countPlugins(hubToml) };
}

function countState(path: string): Pick<Counts, "devices" | "users"> {
  // A home before its first start has no database yet.
  if (!existsSync(path)) return { devices: 0, users: 0 };
  using db = new Database(path, { readwrite: true, create: false });
  const count = (table: string): number =>
    db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;
  return { devices: count("devices"), users: count("users") };
}

/** Rule files as the hub counts them: those directly in `rules/`. */
function countRules(files: readonly SourceFile[]): number {
  return files.filter(({ path }) => /^rules\/[^.#~/][^/]*\.(?:ron|toml)$/is.test(path)).length;
}

/** A configuration that cannot be read starts no plugin. */
function countPlugins(hubToml: string | undefined): number {
  if (hubToml === undefined) return 0;
  try {
    const read = readTomlFile(hubToml);
    const plugins = read.ok ? read.table.plugins : undefined;
    return Array.isArray(plugins) ? plugins.length : 0;
  } catch {
    return 0;
  }
}

/** `withPlugins`: also their configurations, for another machine of the same house. */
export function listContents(home: Home, { withPlugins = false }: { withPlugins?: boolean } = {}): Contents {
  const { config, rules, plugins } = home;
  const found = { files: [] as SourceFile[], skipped: [] as string[] };
  const ofPlugins = withPlugins ? new Map<string, string>() : pluginConfigsIn(home);
  const folders = [config, rules].flatMap((folder) => realFolder(folder) ?? []);
  const excluded = realFolder(plugins);
  const mayFollow = (real: string): boolean =>
    folders.some((folder) => isWithin(real, folder)) && !(excluded !== undefined && isWithin(real, excluded));
  for (const [name, folder] of Object.entries({ config, rules }))
    walk(folder, name, { ...found, mayFollow, ofPlugins, parents: [] });
  return found;
}

/**
 * All files of a folder of the home. Links are followed where `mayFollow` allows their real path; `isLeftOut` is asked for each path.
 */
export function listFolder(
  folder: string,
  prefix: string,
  { mayFollow, isLeftOut }: Pick<Walk, "mayFollow" | "isLeftOut">,
): Contents {
  const found = { files: [] as SourceFile[], skipped: [] as string[] };
  walk(folder, prefix, { ...found, mayFollow, ...(isLeftOut && { isLeftOut }), parents: [] });
  return found;
}

const LEADS_OUT =
  "a link that leads out of config/ and rules/: put the file itself there, or save what it leads to yourself";

interface Walk {
  files: SourceFile[];
  skipped: string[];
  /** Whether a file with this real path may be packed, when a link leads to it. */
  mayFollow(real: string): boolean;
  isLeftOut?: (path: string) => boolean;
  /** Real paths that are left out, each with the plugin whose configuration it is. */
  ofPlugins?: ReadonlyMap<string, string>;
  /** The real paths of the folders above: links may form a circle. */
  parents: readonly string[];
}

function walk(folder: string, prefix: string, into: Walk): void {
  const real = realFolder(folder);
  if (real === undefined) return;
  if (!into.mayFollow(real)) {
    into.skipped.push(`${prefix}: a link that leads into plugins/`);
    return;
  }
  if (into.parents.includes(real)) {
    into.skipped.push(`${prefix}: a link that leads in a circle`);
    return;
  }
  const below = { ...into, parents: [...into.parents, real] };
  for (const name of readdirSync(folder).sort()) {
    const path = `${prefix}/${name}`;
    if (isClutter(path) || into.isLeftOut?.(path)) continue;
    const problem = nameProblem(path);
    if (problem !== undefined) into.skipped.push(`${quoted(path)}: its name ${problem}`);
    else add(join(real, name), path, below);
  }
}

/** `file`: in a real folder, so that only a link has another real path. */
function add(file: string, path: string, into: Walk): void {
  const entry = lstatSync(file, { throwIfNoEntry: false });
  // Links are followed: a restored home needs what they lead to.
  const stat = entry?.isSymbolicLink() ? statOf(file) : entry;
  const real = entry?.isSymbolicLink() && stat ? realpathSync(file) : file;
  const plugin = stat?.isFile() ? into.ofPlugins?.get(real) : undefined;
  if (plugin !== undefined)
    into.skipped.push(
      `${path}: the configuration of the plugin "${plugin}", which may hold a password: save it yourself`,
    );
  else if (entry?.isSymbolicLink() && stat && !into.mayFollow(real)) into.skipped.push(`${path}: ${LEADS_OUT}`);
  else if (stat?.isDirectory()) walk(file, path, into);
  else if (stat?.isFile()) into.files.push({ path, file: real, mode: stat.mode & 0o777 });
  else into.skipped.push(`${path}: ${stat ? "neither a file nor a folder" : "a link that leads nowhere"}`);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function realFolder(folder: string): string | undefined {
  return statOf(folder)?.isDirectory() ? realpathSync(folder) : undefined;
}
