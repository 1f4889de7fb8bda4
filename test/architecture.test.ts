// The house's walls: which room may import which, as the picture in docs/architecture.md says. Circles count, also those of types alone and
// those that `import()` or `require()` closes.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Glob, Transpiler } from "bun";

const root = resolve(import.meta.dir, "..");
const src = join(root, "src");
const files = [...new Glob("**/*.{ts,tsx}").scanSync(src)].filter((path) => !path.endsWith(".d.ts")).sort();

/** Folders of a room, and files at its root: left of the arrow knows nothing of what is right of it, neighbours nothing of each other. */
const FOLDERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  kit: [["schema"], ["time"], ["text", "lifecycle"], ["files"]],
  server: [
    ["home", "events", "db"],
    ["auth", "system", "alerts"],
  ],
  house: [["state", "discovery", "history", "pictures", "calendars"]],
  reach: [["mqtt", "plugins", "notify", "export"]],
  copies: [["backup"], ["standby"]],
  api: [["http"], ["mcp"]],
  app: [["config"], ["import", "hub"], ["hub.ts"], ["cli"], ["release"]],
};
/** Folders that not all may import who may import their room. */
const ONLY_FOR: Readonly<Record<string, readonly string[]>> = {
  "server/auth": ["server", "api", "app"],
  "server/system": ["server", "api", "app"],
  "server/alerts": ["server", "api", "app"],
};

const picture = readFileSync(join(root, "docs/architecture.md"), "utf8");
type Arrow = readonly [from: string, to: string];
/** Those of the house, and those of the page. */
const [arrows = [], pageArrows = []] = [...picture.matchAll(/^```mermaid\n(.*?)^```/gms)].map(([, drawn = ""]) =>
  [...drawn.matchAll(/^ {2}(\w+)(?:\[.*?\])? --> (\w+)/gm)].map(([, from = "", to = ""]): Arrow => [from, to]),
);
const rooms = [...new Set(arrows.flat())].sort();
const pageRooms = [...new Set(pageArrows.flat())].sort();

/** What a room reaches by arrows. */
function reachedFrom(room: string, along: readonly Arrow[], found = new Set<string>()): Set<string> {
  for (const [from, to] of along) {
    if (from !== room || found.has(to)) continue;
    found.add(to);
    reachedFrom(to, along, found);
  }
  return found;
}
const mayImport = new Map(rooms.map((room) => [room, reachedFrom(room, arrows)]));

/** `main.ts` is the door of the app. */
function roomOf(path: string): string {
  return path === "main.ts" ? "app" : path.slice(0, path.indexOf("/"));
}

function folderOf(path: string): string {
  return path.split("/")[1] ?? "";
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

/** Every import of a source in `src`, as `[from, to]`. */
const imports = files.flatMap((path) =>
  importsOf(path)
    .filter((target) => /\.tsx?$/.test(target) && !target.startsWith(".."))
    .map((target): [from: string, to: string] => [path, target]),
);
const shown = (pairs: readonly (readonly [string, string])[]): string[] => pairs.map((pair) => pair.join(" → "));

test("there are nine rooms at most, those of the picture, and every file stands in one of them", () => {
  const there = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(there.map(({ name }) => name).sort()).toEqual(rooms);
  expect(rooms.length).toBeLessThanOrEqual(9);
  expect(files.filter((path) => !path.includes("/"))).toEqual(["main.ts"]);
  expect(files.length).toBeGreaterThan(50);
});

test("the README of each room is one paragraph, and says what the room may import as the picture does", () => {
  for (const room of rooms) {
    const [title, ...paragraphs] = readFileSync(join(src, room, "README.md"), "utf8")
      .trim()
      .split("\n\n");
    expect({ room, title, paragraphs: paragraphs.length }).toEqual({ room, title: `# ${room}`, paragraphs: 1 });
    const [, said = ""] = /It\s+may\s+import ([^.]*)/.exec(paragraphs[0] ?? "") ?? [];
    const named = [...said.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    expect({ room, named: named.sort() }).toEqual({ room, named: [...(mayImport.get(room) ?? [])].sort() });
    const files = [...(paragraphs[0] ?? "").matchAll(/`([\w/-]+\.tsx?)`/g)].map(([, path = ""]) => path);
    expect(files.filter((path) => !existsSync(join(src, room, path)) && !existsSync(join(root, path)))).toEqual([]);
  }
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

test("a room imports only what it reaches by the picture's arrows", () => {
  const wrong = imports.filter(([from, to]) => {
    const [here, there] = [roomOf(from), roomOf(to)];
    if (here === there) return false;
    return !mayImport.get(here)?.has(there) || ONLY_FOR[`${there}/${folderOf(to)}`]?.includes(here) === false;
  });
  expect(shown(wrong)).toEqual([]);
});

test("each arrow of the picture is one that imports go along", () => {
  const unused = arrows.filter(([a, b]) => !imports.some(([from, to]) => roomOf(from) === a && roomOf(to) === b));
  expect(unused).toEqual([]);
});

test("within a room imports run one way, too, and neighbours never import each other", () => {
  const levelOf = (path: string): number =>
    FOLDERS[roomOf(path)]?.findIndex((folders) => folders.includes(folderOf(path))) ?? -1;
  const inside = imports.filter(
    ([from, to]) => from !== "main.ts" && roomOf(from) === roomOf(to) && folderOf(from) !== folderOf(to),
  );
  const ordered = inside.filter(([from]) => FOLDERS[roomOf(from)]);
  expect(ordered.length).toBeGreaterThan(50);
  expect(shown(ordered.filter(([from, to]) => levelOf(to) < 0 || levelOf(to) >= levelOf(from)))).toEqual([]);
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
  const wrong = imports.filter(
    ([from, to]) => roomOf(from) === "page" && from !== "page/bundle.ts" && roomOf(to) !== "page",
  );
  expect(shown(wrong)).toEqual([]);
});

/** The files of the page that stand in one of its own rooms, and what they import of the page. */
const ofPage = files.filter((path) => pageRooms.includes(pageRoomOf(path)));
const inPage = imports.filter(([from]) => ofPage.includes(from));
/** `bundle.ts`, and what it alone starts: the help, the service worker, and the help's search. */
const BESIDE = ["bundle.ts", "help", "worker"];

function pageRoomOf(path: string): string {
  return path.startsWith("page/") ? folderOf(path) : "";
}

/** Of `page/views/`: a folder, or the file of a view without parts. */
function viewOf(path: string): string {
  return path.split("/")[2] ?? "";
}

test("every file of the page is its beginning, or stands in one of its rooms", () => {
  const outside = files.filter((path) => path.startsWith("page/") && !ofPage.includes(path));
  const others = outside.map(folderOf).filter((name) => !BESIDE.includes(name));
  expect([...new Set(others)].sort()).toEqual(["app.tsx", "main.tsx"]);
  expect(pageRooms.filter((room) => !ofPage.some((path) => pageRoomOf(path) === room))).toEqual([]);
});

test("a room of the page imports only what it reaches by the picture's arrows", () => {
  const wrong = inPage.filter(([from, to]) => {
    const [here, there] = [pageRoomOf(from), pageRoomOf(to)];
    return here !== there && !reachedFrom(here, pageArrows).has(there);
  });
  expect(shown(wrong)).toEqual([]);
  const unused = pageArrows.filter(([a, b]) => !inPage.some(([f, t]) => pageRoomOf(f) === a && pageRoomOf(t) === b));
  expect(unused).toEqual([]);
});

test("no view imports another", () => {
  const between = inPage.filter(([from, to]) => pageRoomOf(from) === "views" && pageRoomOf(to) === "views");
  expect(between.length).toBeGreaterThan(50);
  expect(shown(between.filter(([from, to]) => viewOf(from) !== viewOf(to)))).toEqual([]);
});

test("what views share is used by two of them, and knows the hub", () => {
  const parts = ofPage.filter((path) => pageRoomOf(path) === "parts");
  const views = new Map(parts.map((part) => [part, viewsThatUse(part)]));
  expect(parts.filter((part) => (views.get(part)?.size ?? 0) < 2)).toEqual([]);
  const above = ["model", "state", "parts"];
  const unbound = parts.filter((part) => !inPage.some(([from, to]) => from === part && above.includes(pageRoomOf(to))));
  expect(unbound).toEqual([]);
});

/** Also by way of other parts. */
function viewsThatUse(part: string): Set<string> {
  const users = inPage.filter(([, to]) => to === part).map(([from]) => from);
  return new Set(users.flatMap((user) => (pageRoomOf(user) === "parts" ? [...viewsThatUse(user)] : [viewOf(user)])));
}

/** The code of a source, without its comments. */
function codeOf(path: string): string {
  const transpiler = new Transpiler({ loader: path.endsWith("x") ? "tsx" : "ts", target: "browser" });
  return transpiler.transformSync(readFileSync(join(src, path), "utf8"));
}

test("what the page knows needs no page: no elements, nothing of a browser, nothing that is kept", () => {
  const model = ofPage.filter((path) => pageRoomOf(path) === "model");
  expect(model.filter((path) => path.endsWith(".tsx"))).toEqual([]);
  expect(model.filter((path) => /from "(?:preact|@preact)/.test(codeOf(path)))).toEqual([]);
  const browser =
    /(?<![.\w"'`])(?:document|window|navigator|location|history|(?:local|session)Storage|addEventListener|fetch)\b(?=[.([])/;
  expect(model.filter((path) => browser.test(codeOf(path)))).toEqual([]);
});

test("no file of the page keeps anything that a test could not make twice", () => {
  const page = files.filter((path) => path.startsWith("page/") && path !== "page/texts/index.ts");
  expect(page.filter((path) => /^(?:export )?(?:let|var) /m.test(readFileSync(join(src, path), "utf8")))).toEqual([]);
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

// In the executable a worker is found by its path alone, and one that is not there is missed only when it is needed.
test("each worker that the executable starts by its path is an entry point of the build", () => {
  const build = readFileSync(join(root, "build.ts"), "utf8");
  const entries = [...build.matchAll(/^ +"([\w/-]+\/worker\.ts)",$/gm)].map(([, path = ""]) => path);
  const started = files.flatMap((path) =>
    [...readFileSync(join(src, path), "utf8").matchAll(/\? "\.\/([\w/-]+\.ts)"/g)].map(([, worker = ""]) => worker),
  );
  expect(started.sort()).toEqual(entries.sort());
  expect(started.filter((path) => !files.includes(path))).toEqual([]);
  expect(started).not.toEqual([]);
});
