// Which files of the repository a source names: by an import, as a worker, as a child process, or to read it. Types alone do not count,
// as they change nothing of what runs.
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const TYPES_ALONE = /^(?:import|export) type [^;]*;|\btypeof import\("[^"]*"\)/gm;
const COMMENT = /^\s*(?:\/\/|\*|\/\*\*).*$/gm;
const NAME = /[\w@./-]+\.[a-z]+\b/g;
const SOURCE = /\.tsx?$/;

/** `known`: all there are, by their paths from `root`. */
export function namedBy(root: string, known: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const sources = [...known].filter((path) => SOURCE.test(path));
  return new Map(sources.map((path) => [path, namesIn(textOf(join(root, path)), path, known)]));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Removed, and not committed.
    return "";
  }
}

function namesIn(text: string, path: string, known: ReadonlySet<string>): string[] {
  const names = new Set(text.replace(TYPES_ALONE, "").replace(COMMENT, "").match(NAME));
  return [...names].flatMap((name) => filesOf(name, path, known)).filter((one) => one !== path);
}

function filesOf(name: string, path: string, known: ReadonlySet<string>): string[] {
  const fromRoot = name.replace(/^(?:\.*\/)+/, "");
  const found = [normalize(join(dirname(path), name)), fromRoot, ...sourcesOfBundle(name)].filter((one) =>
    known.has(one),
  );
  if (found.length > 0 || !name.includes("/")) return found;
  // Behind a folder that only the run knows: `${page}/state/api.ts`.
  return [...known].filter((one) => one.endsWith(`/${fromRoot}`));
}

/** What build.ts made it of. */
function sourcesOfBundle(name: string): string[] {
  const [, plugin] = /dist\/plugins\/([\w-]+)\.bundle\.js$/.exec(name) ?? [];
  return plugin === undefined
    ? []
    : [`plugins/${plugin}/main.ts`, `plugins/${plugin}/index.ts`, `src/reach/plugins/confine/${plugin}.ts`];
}

/** How many steps away from one of `files` each is that reaches it. */
export function distancesFrom(
  files: readonly string[],
  named: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const namers = new Map<string, string[]>();
  for (const [path, names] of named) for (const name of names) namers.set(name, [...(namers.get(name) ?? []), path]);
  const distances = new Map(files.map((path) => [path, 0]));
  // It grows while it is walked.
  for (const [path, distance] of distances)
    for (const namer of namers.get(path) ?? []) if (!distances.has(namer)) distances.set(namer, distance + 1);
  return distances;
}
