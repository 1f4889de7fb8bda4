// A file that a document or a comment names is there: by its path from the root, from beside the document, or by the end of its path. So
// is a folder of src/, test/ or docs/.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { REPOSITORY } from "./repository-copy.ts";
import { readPage, sectionsOf } from "./steps.ts";

/** Names that look like files of this repository, and are none. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ["ntfy.sh", "a service"],
  ["homeassistant/components/climate/const.py", "a file of Home Assistant"],
  ["rtl_433_mqtt_hass.py", "a file of rtl_433"],
  ["plugins/dice/bin/dice.ts", "a plugin that a reader of README.md writes"],
  ["home/plugins/dice/bin/dice.ts", "a plugin that a reader of README.md writes"],
  ["x.sql", "an example"],
  ["test/campaign/results", "a folder that campaigns make"],
]);
const MADE = /\b(?:NAME|NNNN|dist|node_modules)\b/;

const HERE = "test/docs/named-files.test.ts";
const SOURCES = "{src,test,plugins}/**/*.{ts,tsx,css,sh,md}";
const isOurs = (path: string): boolean => !/(^|\/)(node_modules|results)\//.test(path);
const PATHS = [
  ...["{src,test,plugins,docs,config,rules}/**/*", "*.{ts,md,json}"].flatMap((pattern) => [
    ...new Glob(pattern).scanSync({ cwd: REPOSITORY }),
  ]),
].filter(isOurs);
const TEXTS = [SOURCES, "docs/**/*.md", "*.{ts,md}"].flatMap((pattern) =>
  [...new Glob(pattern).scanSync({ cwd: REPOSITORY })].filter((path) => isOurs(path) && path !== HERE),
);

/** A file of the kinds that only this repository has, or anything below src/, test/ or docs/. Not a part of an address or of a pattern. */
const NAME =
  /(?<![\w/.$*{<>:@~\\-])(?:\.{1,2}\/)*((?:[\w.@-]+\/)*[\w-][\w.-]*\.(?:tsx?|md|sql|css|sh|py)|(?:src|test|docs)\/[\w./-]*[\w-])(?![\w*{<(\\-]|\.[\w*])/g;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:"'`\w/])\/\/[^\n]*/g;
const HASH = /(?<=^|\s)#.*$/gm;
const BLOCK = /^( *)```[\s\S]*?^\1```$/gm;

/** What people read in it: all of a document but its blocks, which other tests try, and the comments of a source. */
function proseOf(path: string, text: string): string {
  if (path.endsWith(".md")) return text.replaceAll(BLOCK, "");
  return (text.match(path.endsWith(".sh") ? HASH : COMMENT) ?? []).join("\n");
}

/** The ends of all paths of files, and all folders. */
function known(paths: readonly string[]): ReadonlySet<string> {
  return new Set(
    paths.flatMap((path) => {
      const parts = path.split("/");
      return parts.flatMap((_, at) => [parts.slice(at).join("/"), parts.slice(0, at).join("/")]);
    }),
  );
}

function missingIn(path: string, text: string, names: ReadonlySet<string>): string[] {
  const found = [...proseOf(path, text).matchAll(NAME)].map(([, name = ""]) => name);
  return found.filter((name) => !names.has(name) && !FOREIGN.has(name) && !MADE.test(name));
}

/** What docs/adding-things.md tells to make. */
const toBeMade = sectionsOf(readPage(REPOSITORY)).flatMap(({ steps }) => steps.map(({ file }) => file));
const names = known([...PATHS, ...toBeMade]);

test("documents and comments name files that there are", () => {
  expect(TEXTS.length).toBeGreaterThan(2000);
  const missing = TEXTS.flatMap((path) =>
    missingIn(path, readFileSync(join(REPOSITORY, path), "utf8"), names).map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test.each([
  ["src/a.ts", "// As build.ts, hub.tsx and test/docs do."],
  ["src/a.ts", "/** `http/door.ts` */"],
  ["test/a.sh", "set -e # see test/interop/nothing.sh"],
  ["docs/a.md", "the worker (`src/nowhere/`) does"],
])("a name in %s that is none would be found: %s", (path, text) => {
  expect(missingIn(path, text, names)).toHaveLength(1);
});

test("every name that is excused is still said somewhere", () => {
  const all = TEXTS.map((path) => proseOf(path, readFileSync(join(REPOSITORY, path), "utf8"))).join("\n");
  expect([...FOREIGN.keys()].filter((name) => !all.includes(name))).toEqual([]);
});
