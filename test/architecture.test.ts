// The house's arrows: which room may import which. Circles count, also those of types alone and those that `import()` or `require()` closes.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Glob, Transpiler } from "bun";

const root = resolve(import.meta.dir, "..");
const src = join(root, "src");

// Left of the arrow knows nothing of what is right of it; neighbours in a line never import each other.
const LEVELS: readonly (readonly string[])[] = [
  ["core"],
  ["home", "events", "db"],
  [
    "auth",
    "state",
    "history",
    "mqtt",
    "plugins",
    "rules",
    "notify",
    "pictures",
    "backup",
    "system",
    "alerts",
    "discovery",
    "calendars",
    "export",
  ],
  ["standby"],
  ["http"],
  ["mcp"],
  ["config"],
  ["import", "hub"],
  ["cli"],
  ["main"],
  // Runs in browsers, or builds releases: nothing of the hub imports it.
  ["web", "release"],
];

const files = [...new Glob("**/*.{ts,tsx}").scanSync(src)].filter((path) => !path.endsWith(".d.ts")).sort();

function roomOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : path.replace(/\.tsx?$/, "");
}

/** `from "…"`, `import "…"`, `import("…")` and `require("…")`, of values and of types. */
const IMPORT = /\b(?:from\s*|import\s*|(?:import|require)\s*\(\s*)"(\.[^"]+)"/g;

function importsOf(path: string): string[] {
  const text = readFileSync(join(src, path), "utf8");
  const found = [...text.matchAll(IMPORT)].map((match) => match[1] ?? "");
  return found.map((target) => relative(src, resolve(src, dirname(path), target)));
}

/** As Bun reads it; it passes over types. */
function loadsOf(path: string): string[] {
  const transpiler = new Transpiler({ loader: path.endsWith("x") ? "tsx" : "ts" });
  const found = transpiler.scanImports(readFileSync(join(src, path), "utf8"));
  return found
    .filter(({ path }) => path.startsWith("."))
    .map((one) => relative(src, resolve(src, dirname(path), one.path)));
}

function levelOf(room: string): number {
  return LEVELS.findIndex((rooms) => rooms.includes(room));
}

test("every file stands in a room of the house", () => {
  expect(files.filter((path) => levelOf(roomOf(path)) < 0)).toEqual([]);
  expect(files.length).toBeGreaterThan(50);
});

test("nothing is loaded that is not seen here, and nothing by a name that is made while it runs", () => {
  const unseen = files.flatMap((path) => {
    const seen = new Set(importsOf(path));
    return loadsOf(path)
      .filter((target) => !seen.has(target))
      .map((target) => `${path} → ${target}`);
  });
  expect(unseen).toEqual([]);
  const named = /\b(?:import|require)\s*\(\s*[^\s")]/;
  expect(files.filter((path) => named.test(readFileSync(join(src, path), "utf8")))).toEqual([]);
});

test("imports run one way, and neighbours never import each other", () => {
  const wrong = files.flatMap((path) =>
    importsOf(path)
      .filter((target) => /\.tsx?$/.test(target) && !target.startsWith(".."))
      .filter((target) => roomOf(target) !== roomOf(path) && levelOf(roomOf(target)) >= levelOf(roomOf(path)))
      .map((target) => `${path} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("no circle of imports", () => {
  const graph = new Map(files.map((path) => [path, importsOf(path).filter((target) => files.includes(target))]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
    if (done.has(path) || trail.includes(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of files) visit(path, []);
  expect(circles).toEqual([]);
});

test("the page knows the API only", () => {
  const wrong = files
    .filter((path) => path.startsWith("web/page/"))
    .flatMap((path) =>
      importsOf(path)
        .filter((target) => !target.startsWith("web/page/"))
        .map((target) => `${path} → ${target}`),
    );
  expect(wrong).toEqual([]);
});

test("plugins know the wire protocol only", () => {
  const plugins = join(root, "plugins");
  const wrong = [...new Glob("**/*.ts").scanSync(plugins)].filter((path) =>
    readFileSync(join(plugins, path), "utf8")
      .matchAll(IMPORT)
      .some(([, target = ""]) => target.includes("/src/")),
  );
  expect(wrong).toEqual([]);
});

test("half the files are under 120 lines, and none is over 400", () => {
  const lengths = files.map((path) => ({ path, lines: readFileSync(join(src, path), "utf8").split("\n").length }));
  expect(lengths.filter(({ lines }) => lines > 400)).toEqual([]);
  const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
  expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(120);
});

test("every file begins by saying what it is for, and is named in kebab-case", () => {
  expect(files.filter((path) => !readFileSync(join(src, path), "utf8").startsWith("//"))).toEqual([]);
  expect(files.filter((path) => !/^([a-z0-9-]+\/)*[a-z0-9-]+\.tsx?$/.test(path))).toEqual([]);
});
