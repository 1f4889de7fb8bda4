// What is drawn first says only what is there from the beginning: other texts come with the views that are opened later.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { firstEnglish } from "../../src/page/texts/catalogues.ts";

const page = resolve(import.meta.dir, "../../src/page");

/** The modules that the page begins with: those that others load when they are opened are none of them. */
function modulesFrom(entry: string, found = new Set<string>()): Set<string> {
  if (found.has(entry) || !existsSync(entry)) return found;
  found.add(entry);
  const text = readFileSync(entry, "utf8");
  for (const [, target = ""] of text.matchAll(/^(?:import|export)\s(?:(?!type\b)[^"';]*?from\s+)?"(\.[^"]+)";/gms))
    modulesFrom(resolve(dirname(entry), target), found);
  return found;
}

test("the first view has all its texts", () => {
  const modules = [...modulesFrom(join(page, "main.tsx"))];
  expect(modules.map((path) => relative(page, path))).toContain("views/home/home.tsx");
  const missing = modules.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/\bt\(\s*"([\w.]+)"/g)].flatMap(([, key = ""]) =>
      Object.hasOwn(firstEnglish, key) ? [] : [`${relative(page, path)}: ${key}`],
    ),
  );
  expect(missing).toEqual([]);
});
