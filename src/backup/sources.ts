// Which files of a home go into its archive beside the databases: config/** and rules/**, never plugins/ or logs/.
import { readdirSync, realpathSync, type Stats, statSync } from "node:fs";
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

export function listSources({ config, rules }: Home): Sources {
  const found = { files: [] as Source[], skipped: [] as string[] };
  for (const [name, folder] of Object.entries({ config, rules })) walk(folder, name, { ...found, above: [] });
  return found;
}

/** Rule files as the hub counts them: those right in `rules/`. */
export function countRules(paths: Iterable<string>): number {
  return [...paths].filter((path) => /^rules\/[^.#~/][^/]*\.(?:ron|toml)$/is.test(path)).length;
}

interface Walk {
  files: Source[];
  skipped: string[];
  /** Folders this one lies in, by their real names: links may lead in a circle. */
  above: readonly string[];
}

function walk(folder: string, prefix: string, into: Walk): void {
  const real = realOf(folder);
  if (real === undefined) return;
  if (into.above.includes(real)) {
    into.skipped.push(`${prefix}: a link that leads in a circle`);
    return;
  }
  for (const name of readdirSync(folder).sort()) {
    const path = `${prefix}/${name}`;
    const why = isClutter(path) ? undefined : nameProblem(path);
    if (why !== undefined) into.skipped.push(`${shown(path)}: its name ${why}`);
    if (why !== undefined || isClutter(path)) continue;
    // Links are followed: a home that is put back needs what they lead to.
    const stat = statOf(join(folder, name));
    if (stat?.isDirectory()) walk(join(folder, name), path, { ...into, above: [...into.above, real] });
    else if (stat?.isFile()) into.files.push({ path, file: join(folder, name), mode: stat.mode & 0o777 });
    else into.skipped.push(`${path}: ${stat ? "neither a file nor a folder" : "a link that leads nowhere"}`);
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function realOf(folder: string): string | undefined {
  return statOf(folder)?.isDirectory() ? realpathSync(folder) : undefined;
}
