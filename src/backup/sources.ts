// Which files of a home go into its archive beside the databases: config/** and rules/**, never plugins/ or logs/. Links
// are followed within those folders only: what lies elsewhere may be anybody's, and its secrets are not the home's.
import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../home/paths.ts";
import { isClutter, nameProblem, shown } from "./names.ts";

export interface Source {
  /** In the archive. */
  readonly path: string;
  readonly file: string;
  /** Permission bits. */
  readonly mode: number;
}

export interface Sources {
  readonly files: readonly Source[];
  /** What is left out, and why. */
  readonly skipped: readonly string[];
}

export function listSources({ config, rules, plugins }: Home): Sources {
  const found = { files: [] as Source[], skipped: [] as string[] };
  const folders = [config, rules].flatMap((folder) => realOf(folder) ?? []);
  const outside = realOf(plugins);
  const mayFollow = (real: string): boolean =>
    folders.some((folder) => isWithin(real, folder)) && !(outside !== undefined && isWithin(real, outside));
  for (const [name, folder] of Object.entries({ config, rules }))
    walk(folder, name, { ...found, mayFollow, above: [] });
  return found;
}

/** Rule files as the hub counts them: those right in `rules/`. */
export function countRules(paths: Iterable<string>): number {
  return [...paths].filter((path) => /^rules\/[^.#~/][^/]*\.(?:ron|toml)$/is.test(path)).length;
}

interface Walk {
  files: Source[];
  skipped: string[];
  /** Whether what has this real path may be packed, when a link leads to it. */
  mayFollow(real: string): boolean;
  /** Folders this one lies in, by their real names: links may lead in a circle. */
  above: readonly string[];
}

function walk(folder: string, prefix: string, into: Walk): void {
  const real = realOf(folder);
  if (real === undefined) return;
  if (!into.mayFollow(real)) {
    into.skipped.push(`${prefix}: a link that leads into plugins/`);
    return;
  }
  if (into.above.includes(real)) {
    into.skipped.push(`${prefix}: a link that leads in a circle`);
    return;
  }
  for (const name of readdirSync(folder).sort()) {
    const path = `${prefix}/${name}`;
    const why = isClutter(path) ? undefined : nameProblem(path);
    if (why !== undefined) into.skipped.push(`${shown(path)}: its name ${why}`);
    if (why !== undefined || isClutter(path)) continue;
    const whither = leadsOut(join(folder, name), into);
    if (whither !== undefined) into.skipped.push(`${path}: ${whither}`);
    if (whither !== undefined) continue;
    // Links are followed: a home that is put back needs what they lead to.
    const stat = statOf(join(folder, name));
    if (stat?.isDirectory()) walk(join(folder, name), path, { ...into, above: [...into.above, real] });
    else if (stat?.isFile()) into.files.push({ path, file: realpathSync(join(folder, name)), mode: stat.mode & 0o777 });
    else into.skipped.push(`${path}: ${stat ? "neither a file nor a folder" : "a link that leads nowhere"}`);
  }
}

/** What is wrong with where a link leads; undefined for what is none, or leads nowhere. */
function leadsOut(path: string, { mayFollow }: Walk): string | undefined {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() || !statOf(path)) return undefined;
  if (mayFollow(realpathSync(path))) return undefined;
  return "a link that leads out of config/ and rules/: put the file itself there, or save what it leads to yourself";
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function realOf(folder: string): string | undefined {
  return statOf(folder)?.isDirectory() ? realpathSync(folder) : undefined;
}
