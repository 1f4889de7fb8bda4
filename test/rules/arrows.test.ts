// The folders of src/rules: only the entry point and the configuration are at its root, and imports between the folders run
// one way. Whoever knows a folder need not know those that use it. What rules are made of imports nothing that acts.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Glob, Transpiler } from "bun";

const root = resolve(import.meta.dir, "../../src/rules");
const folderOf = (path: string): string => path.split("/")[0] ?? "";

function arrows(): [from: string, to: string][] {
  return [...new Glob("*/**/*.ts").scanSync(root)].flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return [...text.matchAll(/from "(\.[^"]+)"/g)]
      .map(([, target = ""]) => relative(root, resolve(root, dirname(path), target)))
      .filter((target) => !target.startsWith("..") && target.includes("/"))
      .map((target): [string, string] => [folderOf(path), folderOf(target)])
      .filter(([from, to]) => from !== to);
  });
}

test("the root holds the entry point, the configuration and folders", () => {
  const files = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).sort()).toEqual(["README.md", "config.ts", "rules.ts"]);
});

test("imports between the folders never go in a circle", () => {
  let left = arrows();
  expect(left.length).toBeGreaterThan(10);
  // Folders that import no other one are taken away, again and again.
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    left = left.filter(([, to]) => left.some(([from]) => from === to));
  }
  expect([...new Set(left.map((arrow) => arrow.join(" → ")))]).toEqual([]);
});

/** What these files load, at any depth, that is not of the hub. */
function packagesOf(entries: readonly string[]): string[] {
  const packages = new Set<string>();
  const seen = new Set(entries.map((entry) => join(root, entry)));
  // A set also gives what is added meanwhile.
  for (const path of seen) {
    for (const { path: target } of new Transpiler({ loader: "ts" }).scanImports(readFileSync(path, "utf8"))) {
      if (target.startsWith(".")) seen.add(resolve(dirname(path), target));
      else packages.add(target);
    }
  }
  expect(seen.size).toBeGreaterThan(80);
  return [...packages].sort();
}

test("triggers, conditions and actions load nothing that could act past the host", () => {
  const kinds = ["triggers", "conditions", "actions"].map((folder) => `${folder}/index.ts`);
  expect(packagesOf(kinds)).toEqual(["@sinclair/typebox", "croner", "fastest-levenshtein", "node:crypto", "suncalc"]);
});
