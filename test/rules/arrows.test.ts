// The folders of src/rules: only the entry point and the configuration are at its root, and imports between the folders run
// one way. Whoever knows a folder need not know those that use it.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Glob } from "bun";

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
  expect(files.map(({ name }) => name).sort()).toEqual(["config.ts", "rules.ts"]);
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
